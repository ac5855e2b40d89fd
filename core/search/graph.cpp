#include "search/graph.hpp"

#include <algorithm>
#include <functional>

#include "base/heap.hpp"

namespace sluice {
namespace {

// Places of F, of the backward that gives the gradient (B or I), and of W.
constexpr std::size_t kParts = 3;

std::size_t part_of(OpKind kind) {
  if (kind == OpKind::Forward) return 0;
  return kind == OpKind::WeightGrad ? 2 : 1;
}

std::int64_t duration_of(const StageLoad& load, OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
      return load.forward;
    case OpKind::Backward:
      return load.backward;
    case OpKind::InputGrad:
      return load.input_grad;
    default:
      return load.weight_grad;
  }
}

}  // namespace

GraphTimes times_of(const Instance& instance, const Layout& layout) {
  GraphTimes out;
  const std::size_t stages = layout.stages();
  for (std::size_t s = 0; s < stages; ++s) {
    const std::size_t rank = layout.rank_of_stage[s];
    out.loads.push_back(instance.load(layout, s));
    out.forward_hop.push_back(
        s + 1 < stages ? instance.hop_between(rank, layout.rank_of_stage[s + 1]) : 0);
    out.backward_hop.push_back(s > 0 ? instance.hop_between(rank, layout.rank_of_stage[s - 1]) : 0);
    out.first_extra.push_back(s == 0            ? instance.first_extra
                              : s + 1 == stages ? instance.last_extra
                                                : 0);
  }
  return out;
}

bool OrderGraph::supports(const Order& order) {
  if (order.slices != 1) return false;
  return std::all_of(order.operations.begin(), order.operations.end(),
                     [](const Operation& op) { return static_cast<int>(op.kind) < kComputeKinds; });
}

OrderGraph::OrderGraph(const Order& order, GraphTimes times)
    : placement_(order.placement),
      microbatches_(order.microbatches),
      pipes_(order.pipe_of_microbatch),
      times_(std::move(times)) {
  for (int r = 0; r < order.ranks(); ++r) {
    const auto list = order.of_rank(r);
    std::uint32_t last = kNoNode;
    first_of_rank_.push_back(list.empty() ? kNoNode : nodes());
    for (const Operation& op : list) {
      const std::uint32_t node = nodes();
      nodes_.push_back(op);
      rank_.push_back(static_cast<std::uint16_t>(r));
      previous_.push_back(last);
      next_.push_back(kNoNode);
      if (last != kNoNode) next_[last] = node;
      last = node;
      std::int64_t duration = duration_of(times_.loads[op.stage], op.kind);
      if (op.kind == OpKind::Forward && op.microbatch == 0)
        duration += times_.first_extra[op.stage];
      duration_.push_back(duration);
    }
    last_of_rank_.push_back(last);
  }
  start_.assign(nodes_.size(), 0);
  end_.assign(nodes_.size(), 0);
  is_dirty_.assign(nodes_.size(), 0);
  seen_.assign(nodes_.size(), 0);
  connect();
}

std::size_t OrderGraph::slot(OpKind kind, std::size_t stage, std::uint32_t microbatch) const {
  return (stage * static_cast<std::size_t>(microbatches_) + microbatch) * kParts + part_of(kind);
}

void OrderGraph::connect() {
  const auto per_pipe = static_cast<std::size_t>(placement_.stages());
  std::vector<std::uint32_t> at(
      times_.loads.size() * static_cast<std::size_t>(microbatches_) * kParts, kNoNode);
  for (std::uint32_t n = 0; n < nodes(); ++n)
    at[slot(nodes_[n].kind, nodes_[n].stage, nodes_[n].microbatch)] = n;
  need_.assign(nodes_.size(), {});
  needed_by_.assign(nodes_.size(), {kNoNode, kNoNode});
  for (std::uint32_t n = 0; n < nodes(); ++n) {
    const Operation& op = nodes_[n];
    const std::size_t s = op.stage;
    const bool first = s % per_pipe == 0;
    const bool last = (s + 1) % per_pipe == 0;
    Need need;
    if (op.kind == OpKind::Forward) {
      if (!first) need = {at[slot(op.kind, s - 1, op.microbatch)], times_.forward_hop[s - 1]};
    } else if (op.kind == OpKind::WeightGrad) {
      need = {at[slot(OpKind::InputGrad, s, op.microbatch)], 0};
    } else if (last) {
      need = {at[slot(OpKind::Forward, s, op.microbatch)], 0};
    } else {
      need = {at[slot(OpKind::InputGrad, s + 1, op.microbatch)], times_.backward_hop[s + 1]};
    }
    need_[n] = need;
    if (need.node == kNoNode) continue;
    auto& by = needed_by_[need.node];
    by[by[0] == kNoNode ? 0 : 1] = n;
  }
}

std::int64_t OrderGraph::earliest(std::uint32_t node) const {
  std::int64_t at = 0;
  if (previous_[node] != kNoNode) at = end_[previous_[node]];
  const Need& need = need_[node];
  if (need.node != kNoNode) at = std::max(at, end_[need.node] + need.way);
  return at;
}

bool OrderGraph::evaluate() {
  // How many of its two inputs each node still waits for.
  std::vector<std::uint8_t> waits(nodes_.size(), 0);
  stack_.clear();
  for (std::uint32_t n = 0; n < nodes(); ++n) {
    waits[n] = static_cast<std::uint8_t>((previous_[n] != kNoNode ? 1 : 0) +
                                         (need_[n].node != kNoNode ? 1 : 0));
    if (waits[n] == 0) stack_.push_back(n);
  }
  std::uint32_t done = 0;
  while (!stack_.empty()) {
    const std::uint32_t n = stack_.back();
    stack_.pop_back();
    ++done;
    start_[n] = earliest(n);
    end_[n] = start_[n] + duration_[n];
    const auto release = [&](std::uint32_t other) {
      if (other != kNoNode && --waits[other] == 0) stack_.push_back(other);
    };
    release(next_[n]);
    for (const std::uint32_t other : needed_by_[n]) release(other);
  }
  return done == nodes();
}

std::int64_t OrderGraph::makespan() const {
  std::int64_t most = 0;
  for (const std::uint32_t last : last_of_rank_) {
    if (last != kNoNode) most = std::max(most, end_[last]);
  }
  return most;
}

std::uint32_t OrderGraph::binding(std::uint32_t node) const {
  if (start_[node] == 0) return kNoNode;
  const Need& need = need_[node];
  if (need.node != kNoNode && end_[need.node] + need.way == start_[node]) return need.node;
  return previous_[node];
}

bool OrderGraph::leads_to(std::uint32_t from, std::uint32_t to) {
  ++visit_;
  stack_.assign(1, to);
  while (!stack_.empty()) {
    const std::uint32_t n = stack_.back();
    stack_.pop_back();
    if (n == from) return true;
    // What comes after `from` starts at its end or later.
    if (seen_[n] == visit_ || start_[n] < end_[from]) continue;
    seen_[n] = visit_;
    if (previous_[n] != kNoNode) stack_.push_back(previous_[n]);
    if (need_[n].node != kNoNode) stack_.push_back(need_[n].node);
  }
  return false;
}

bool OrderGraph::swap_with_next(std::uint32_t a) {
  const std::uint32_t b = next_[a];
  if (b == kNoNode) return false;
  if (need_[b].node != kNoNode && leads_to(a, need_[b].node)) return false;
  const std::uint32_t before = previous_[a];
  const std::uint32_t behind = next_[b];
  previous_[b] = before;
  next_[b] = a;
  previous_[a] = b;
  next_[a] = behind;
  if (before != kNoNode) next_[before] = b;
  if (behind != kNoNode) previous_[behind] = a;
  if (first_of_rank_[rank_[a]] == a) first_of_rank_[rank_[a]] = b;
  if (last_of_rank_[rank_[a]] == b) last_of_rank_[rank_[a]] = a;
  touch(b);
  touch(a);
  if (behind != kNoNode) touch(behind);
  settle();
  return true;
}

void OrderGraph::touch(std::uint32_t node) {
  if (is_dirty_[node] != 0) return;
  is_dirty_[node] = 1;
  heap_push(dirty_, {earliest(node), node}, std::less<>());
}

void OrderGraph::settle() {
  while (!dirty_.empty()) {
    const std::uint32_t n = heap_pop(dirty_, std::less<>()).second;
    is_dirty_[n] = 0;
    const std::int64_t start = earliest(n);
    const std::int64_t end = start + duration_[n];
    start_[n] = start;
    if (end == end_[n]) continue;
    end_[n] = end;
    if (next_[n] != kNoNode) touch(next_[n]);
    for (const std::uint32_t other : needed_by_[n]) {
      if (other != kNoNode) touch(other);
    }
  }
}

Order OrderGraph::order() const {
  OrderBuilder out(placement_, microbatches_, nodes_.size() / first_of_rank_.size() + 1);
  for (const std::uint32_t first : first_of_rank_) {
    for (std::uint32_t n = first; n != kNoNode; n = next_[n])
      out.add(nodes_[n].kind, nodes_[n].stage, static_cast<int>(nodes_[n].microbatch));
    out.end_rank();
  }
  if (!pipes_.empty()) out.set_pipes(pipes_);
  return out.take();
}

std::int64_t OrderGraph::peak_activation(int rank) const {
  std::int64_t held = 0;
  std::int64_t most = 0;
  for (std::uint32_t n = first_of_rank_[static_cast<std::size_t>(rank)]; n != kNoNode;
       n = next_[n]) {
    const StageLoad& load = times_.loads[nodes_[n].stage];
    switch (nodes_[n].kind) {
      case OpKind::Forward:
        held += load.activation;
        most = std::max(most, held);
        break;
      case OpKind::Backward:
        held -= load.activation;
        break;
      case OpKind::InputGrad:
        held -= load.activation - load.kept_for_weights;
        break;
      default:
        held -= load.kept_for_weights;
    }
  }
  return most;
}

}  // namespace sluice

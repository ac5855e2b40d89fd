#include "search/graph.hpp"

#include <algorithm>

#include "base/stable_order.hpp"

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
  position_.assign(nodes_.size(), 0);
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
  std::vector<std::uint32_t> ready;
  for (std::uint32_t n = 0; n < nodes(); ++n) {
    waits[n] = static_cast<std::uint8_t>((previous_[n] != kNoNode ? 1 : 0) +
                                         (need_[n].node != kNoNode ? 1 : 0));
    if (waits[n] == 0) ready.push_back(n);
  }
  std::vector<std::uint32_t> done;
  done.reserve(nodes_.size());
  while (!ready.empty()) {
    const std::uint32_t n = ready.back();
    ready.pop_back();
    done.push_back(n);
    start_[n] = earliest(n);
    end_[n] = start_[n] + duration_[n];
    const auto release = [&](std::uint32_t other) {
      if (other != kNoNode && --waits[other] == 0) ready.push_back(other);
    };
    release(next_[n]);
    for (const std::uint32_t other : needed_by_[n]) release(other);
  }
  if (done.size() != nodes_.size()) return false;
  sequence_ = std::move(done);
  sort_stably(sequence_, [&](std::uint32_t a, std::uint32_t b) { return start_[a] < start_[b]; });
  for (std::uint32_t p = 0; p < nodes(); ++p) position_[sequence_[p]] = p;
  return true;
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

bool OrderGraph::swap_with_next(std::uint32_t a) {
  const std::uint32_t b = next_[a];
  if (b == kNoNode || !reorder(a, b)) return false;
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
  retime(position_[b], position_[behind != kNoNode ? behind : a]);
  return true;
}

// Puts `b`, the next after `a` on its rank, before it: what waits for `a` moves behind `b`, all
// else between them before it. False where `b` needs what waits for `a`.
bool OrderGraph::reorder(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t first = position_[a];
  const std::uint32_t last = position_[b];
  ++visit_;
  moved_.assign(1, a);
  seen_[a] = visit_;
  const auto waits = [&](std::uint32_t input) {
    return input != kNoNode && seen_[input] == visit_;
  };
  for (std::uint32_t p = first + 1; p < last; ++p) {
    const std::uint32_t n = sequence_[p];
    if (!waits(previous_[n]) && !waits(need_[n].node)) continue;
    seen_[n] = visit_;
    moved_.push_back(n);
  }
  if (waits(need_[b].node)) return false;
  std::uint32_t to = first;
  const auto put = [&](std::uint32_t n) {
    sequence_[to] = n;
    position_[n] = to++;
  };
  for (std::uint32_t p = first + 1; p < last; ++p) {
    if (seen_[sequence_[p]] != visit_) put(sequence_[p]);
  }
  put(b);
  for (const std::uint32_t n : moved_) put(n);
  return true;
}

// Times nodes anew from one position to another, and on as far as what has changed is waited for.
void OrderGraph::retime(std::uint32_t from, std::uint32_t until) {
  const auto reach = [&](std::uint32_t other) {
    if (other != kNoNode) until = std::max(until, position_[other]);
  };
  for (std::uint32_t p = from; p <= until; ++p) {
    const std::uint32_t n = sequence_[p];
    const std::int64_t start = earliest(n);
    if (start == start_[n]) continue;
    start_[n] = start;
    end_[n] = start + duration_[n];
    reach(next_[n]);
    for (const std::uint32_t other : needed_by_[n]) reach(other);
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

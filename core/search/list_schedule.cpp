#include "search/list_schedule.hpp"

#include <algorithm>
#include <cstddef>

#include "base/heap.hpp"

namespace sluice {

bool ListScheduler::earlier(const Event& a, const Event& b) {
  return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
}

void ListScheduler::set_up(const Layout& layout, const Habits& habits) {
  habits_ = habits;
  rank_of_stage_ = layout.rank_of_stage;
  const std::size_t stages = layout.stages();
  const auto ranks = static_cast<std::size_t>(instance_.ranks);
  ranks_.resize(ranks);
  for (Rank& r : ranks_) {
    std::vector<Operation> list = std::move(r.list);
    list.clear();
    r = Rank{};
    r.list = std::move(list);
  }
  stages_.assign(stages, {});
  for (std::size_t s = 0; s < stages; ++s) {
    Stage& stage = stages_[s];
    stage.rank = layout.rank_of_stage[s];
    stage.load = instance_.load(layout, s);
    constexpr std::int32_t kEighths = 8;
    stage.limit =
        std::max(1, habits.in_flight - static_cast<std::int32_t>(s) * habits.taper / kEighths);
    ranks_[stage.rank].held += stage.load.resident;
    if (s + 1 < stages)
      stage.forward_hop = instance_.hop_between(stage.rank, layout.rank_of_stage[s + 1]);
    if (s > 0) stage.backward_hop = instance_.hop_between(stage.rank, layout.rank_of_stage[s - 1]);
  }
  stages_.front().first_extra = instance_.first_extra;
  if (stages > 1) stages_.back().first_extra = instance_.last_extra;
  stages_.front().forward_in = instance_.microbatches;
  stages_of_rank_.clear();
  for (std::size_t r = 0; r < ranks; ++r) {
    ranks_[r].peak = ranks_[r].held;
    ranks_[r].first_stage = static_cast<std::uint32_t>(stages_of_rank_.size());
    for (std::size_t s = 0; s < stages; ++s) {
      if (stages_[s].rank == r) stages_of_rank_.push_back(static_cast<std::uint32_t>(s));
    }
    ranks_[r].end_stage = static_cast<std::uint32_t>(stages_of_rank_.size());
  }
  events_.clear();
  touched_.clear();
  sequence_ = 0;
  left_ = stages * static_cast<std::uint64_t>(instance_.microbatches) * (habits.split ? 3 : 2);
}

Played ListScheduler::play(const Layout& layout, const Habits& habits) {
  set_up(layout, habits);
  std::int64_t now = 0;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) ask(r, 0);
  while (!events_.empty()) {
    now = events_.front().time;
    while (!events_.empty() && events_.front().time == now) apply(pop());
    for (const std::uint32_t r : touched_) {
      ranks_[r].touched = false;
      ask(r, now);
    }
    touched_.clear();
  }
  Played out;
  if (left_ > 0) return out;
  out.makespan = now;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const auto most = static_cast<double>(instance_.memory[r]);
    out.overflow = std::max(out.overflow, static_cast<double>(ranks_[r].peak) / most - 1);
  }
  return out;
}

void ListScheduler::push(std::int64_t time, std::uint32_t what) {
  heap_push(events_, {time, sequence_++, what}, earlier);
}

ListScheduler::Event ListScheduler::pop() {
  return heap_pop(events_, earlier);
}

void ListScheduler::apply(const Event& e) {
  const auto ranks = static_cast<std::uint32_t>(ranks_.size());
  if (e.what < ranks) {
    finish(e.what, e.time);
    return;
  }
  const std::uint32_t message = e.what - ranks;
  const std::uint32_t stage = message / 2;
  arrive(stage, message % 2 == 1, stages_[stage].rank);
}

void ListScheduler::arrive(std::uint32_t stage, bool gradient, std::uint32_t rank) {
  ++(gradient ? stages_[stage].backward_in : stages_[stage].forward_in);
  touch(rank);
}

void ListScheduler::touch(std::uint32_t rank) {
  Rank& r = ranks_[rank];
  if (r.working || r.touched) return;
  r.touched = true;
  // Ascending; there are seldom more than two.
  touched_.insert(std::upper_bound(touched_.begin(), touched_.end(), rank), rank);
}

void ListScheduler::finish(std::uint32_t rank, std::int64_t time) {
  Rank& r = ranks_[rank];
  r.working = false;
  const Operation op = r.now;
  Stage& stage = stages_[op.stage];
  const auto ranks = static_cast<std::uint32_t>(ranks_.size());
  --left_;
  const auto send = [&](std::uint32_t to, bool gradient, std::int64_t way) {
    if (stages_[to].rank == rank && way == 0) {
      arrive(to, gradient, rank);
    } else {
      push(time + way, ranks + 2 * to + (gradient ? 1 : 0));
    }
  };
  switch (op.kind) {
    case OpKind::Forward:
      if (op.stage + 1U < stages_.size()) {
        send(op.stage + 1U, false, stage.forward_hop);
      } else {
        ++stage.backward_in;
      }
      break;
    case OpKind::WeightGrad:
      r.held -= stage.load.kept_for_weights;
      break;
    default:
      r.held -= stage.load.activation;
      if (op.kind == OpKind::InputGrad) {
        r.held += stage.load.kept_for_weights;
        ++r.put_off;
      }
      if (op.stage > 0) {
        send(op.stage - 1U, true, stage.backward_hop);
      } else {
        // One more may enter, wherever the first stage is held back.
        touch(stages_.front().rank);
      }
  }
  touch(rank);
}

std::uint32_t ListScheduler::ready_forward(const Rank& rank) const {
  std::uint32_t best = kNone;
  for (std::uint32_t i = rank.first_stage; i < rank.end_stage; ++i) {
    const std::uint32_t s = stages_of_rank_[i];
    const Stage& stage = stages_[s];
    if (stage.forwards >= stage.forward_in) continue;
    if (stage.forwards - stage.backwards >= stage.limit) continue;
    if (habits_.guarded && rank.held + stage.load.activation > instance_.memory[stage.rank])
      continue;
    // Later stages are met later: the furthest along wins unless an older microbatch is asked for.
    if (best == kNone || habits_.deep_forward || stage.forwards <= stages_[best].forwards) best = s;
  }
  return best;
}

std::uint32_t ListScheduler::ready_backward(const Rank& rank) const {
  std::uint32_t best = kNone;
  for (std::uint32_t i = rank.first_stage; i < rank.end_stage; ++i) {
    const std::uint32_t s = stages_of_rank_[i];
    const Stage& stage = stages_[s];
    if (stage.backwards >= stage.backward_in) continue;
    const bool older = best != kNone && stage.backwards < stages_[best].backwards;
    if (best == kNone || (!habits_.deep_backward && older)) best = s;
  }
  return best;
}

std::uint32_t ListScheduler::ready_weight(const Rank& rank) const {
  std::uint32_t best = kNone;
  for (std::uint32_t i = rank.first_stage; i < rank.end_stage; ++i) {
    const std::uint32_t s = stages_of_rank_[i];
    const Stage& stage = stages_[s];
    if (stage.weights >= stage.backwards) continue;
    if (best == kNone || stage.weights < stages_[best].weights) best = s;
  }
  return best;
}

void ListScheduler::ask(std::uint32_t rank, std::int64_t time) {
  Rank& r = ranks_[rank];
  if (r.working) return;
  const std::uint32_t forward = ready_forward(r);
  const std::uint32_t backward = ready_backward(r);
  bool take_forward = forward != kNone;
  if (forward != kNone && backward != kNone) {
    take_forward = habits_.prefers == Prefers::Forward ||
                   (habits_.prefers == Prefers::Alternate && !r.last_was_forward);
  }
  if (habits_.split && (take_forward ? r.put_off >= habits_.put_off : backward == kNone)) {
    const std::uint32_t weight = ready_weight(r);
    if (weight != kNone) return start(rank, weight, OpKind::WeightGrad, time);
  }
  if (take_forward) return start(rank, forward, OpKind::Forward, time);
  if (backward == kNone) return;
  start(rank, backward, habits_.split ? OpKind::InputGrad : OpKind::Backward, time);
}

void ListScheduler::start(std::uint32_t rank, std::uint32_t s, OpKind kind, std::int64_t time) {
  Rank& r = ranks_[rank];
  Stage& stage = stages_[s];
  std::int64_t duration = 0;
  std::int32_t microbatch = 0;
  switch (kind) {
    case OpKind::Forward:
      microbatch = stage.forwards++;
      duration = stage.load.forward + (microbatch == 0 ? stage.first_extra : 0);
      r.held += stage.load.activation;
      r.peak = std::max(r.peak, r.held);
      r.last_was_forward = true;
      break;
    case OpKind::WeightGrad:
      microbatch = stage.weights++;
      duration = stage.load.weight_grad;
      --r.put_off;
      break;
    default:
      microbatch = stage.backwards++;
      duration = kind == OpKind::InputGrad ? stage.load.input_grad : stage.load.backward;
      r.last_was_forward = false;
  }
  r.now = {.kind = kind,
           .slice = 0,
           .stage = static_cast<std::uint16_t>(s),
           .microbatch = static_cast<std::uint32_t>(microbatch)};
  r.list.push_back(r.now);
  r.working = true;
  r.busy += duration;
  push(time + duration, rank);
}

Order ListScheduler::order() const {
  Placement placement;
  placement.ranks = instance_.ranks;
  placement.rank_of_stage = rank_of_stage_;
  OrderBuilder out(placement, instance_.microbatches, ranks_.front().list.size() + 1);
  for (const Rank& r : ranks_) {
    for (const Operation& op : r.list) out.add(op.kind, op.stage, static_cast<int>(op.microbatch));
    out.end_rank();
  }
  return out.take();
}

}  // namespace sluice

// Batches, the barrier between them, and the optimizer phase: all-reduce rounds, then one update a
// device.
#include <algorithm>

#include "engine/draws.hpp"
#include "engine/hot_path.hpp"

namespace sluice {

// With the barrier: all ranks begin batch `batch_`. Without: called once, at the start.
void Engine::begin_batch() {
  const Plan& plan = program_.plan;
  operations_left_ = program_.operations_per_batch;
  forwards_left_ = static_cast<std::uint64_t>(plan.stages()) * microbatches_ * slices_;
  ranks_left_ = static_cast<std::uint32_t>(ranks_.size());
  tied_left_ = 2;
  tied_row_ = kNoRow;
  tied_done_ = false;
  sums_left_ = update_due(batch_) ? static_cast<std::uint32_t>(program_.sums.size()) : 0;
  sum_arrived_.assign(program_.sums.size(), 0);
  rank_sums_done_.assign(sums_of_rank_.size(), 0);
  if (!marks_.empty()) marks_[batch_] = {rows_, now_};
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Rank& r = ranks_[i];
    r.batch = batch_;
    r.forwards = r.backwards = r.weights = 0;
    r.holds = kNoStage;
    if (plan.order) {
      r.next = plan.order->begin[i];
      r.end = plan.order->end[i];
    }
  }
  if (program_.own_updates) begin_updates_anew();
  for (std::uint32_t d = 0; d < devices_.size(); ++d) touch(d);
  // At the very start no event has touched anything yet; an event of this instant brings on its
  // second phase.
  if (now_ == 0 && batch_ == 0 && trace_.events == 0) {
    queue_.push(0, EventKind::Nudge, 0, kNoRow, 0);
    ++live_events_;
  }
}

void Engine::operations_done(std::uint64_t count) {
  operations_left_ -= count;
  if (operations_left_ > 0) return;
  if (program_.simulation.step_barrier) return batch_done();
  // Without the barrier the count runs over all batches: refill until the last batch is through.
  if (batch_ + 1 < plays_) {
    ++batch_;
    operations_left_ = program_.operations_per_batch;
  } else if (updates_pending_ == 0 && ranks_left_ == 0) {
    finished_ = over_ = true;
  }
}

bool Engine::update_due(std::uint32_t batch) const {
  return program_.updates && !program_.own_updates &&
         (static_cast<std::int64_t>(batch) + 1) % program_.accumulation_steps == 0;
}

bool Engine::tied_due() const {
  return program_.tied.has_value() && update_due(batch_);
}

// The two ends of the pipeline reduce their embedding as soon as both are through with the step,
// whatever the ranks between them still do.
void Engine::rank_is_through(std::uint32_t rank) {
  if (sums_left_ > 0) join_sum(rank);
  if (!tied_due()) return;
  if (rank != program_.tied->first_rank && rank != program_.tied->last_rank) return;
  if (--tied_left_ == 0) begin_tied();
}

void Engine::begin_tied() {
  const Program::Tied& tied = *program_.tied;
  const std::uint32_t from = program_.device_of_rank[tied.first_rank];
  for (const std::uint32_t link : tied.links) {
    tied_row_ = add_row(now_ + tied.duration_ps, OpKind::AllReduce, trace_.devices + link, kNoStage,
                        batch_, devices_[from].last_row);
  }
  tied_left_ = 0;
  queue_.push(now_ + tied.duration_ps, EventKind::CollectiveEnd, 1, tied_row_, 0);
  ++live_events_;
}

// A rank that is through with the step, and with its sums so far, waits in its next one.
void Engine::join_sum(std::uint32_t rank) {
  const std::vector<std::uint32_t>& own = sums_of_rank_[rank];
  if (rank_sums_done_[rank] == own.size()) return;
  const std::uint32_t sum = own[rank_sums_done_[rank]];
  if (++sum_arrived_[sum] == program_.sums[sum].ranks.size()) begin_sum(sum, rank);
}

// `rank`: the last one to come.
void Engine::begin_sum(std::uint32_t sum, std::uint32_t rank) {
  const Program::Sum& s = program_.sums[sum];
  const std::uint32_t before = devices_[program_.device_of_rank[rank]].last_row;
  std::uint32_t row = kNoRow;
  for (const std::uint32_t link : s.links) {
    row = add_row(now_ + s.duration_ps, OpKind::AllReduce, trace_.devices + link, kNoStage,
                  program_.own_updates ? rank_updates_[rank].number : batch_, before);
  }
  constexpr std::uint32_t kSumEnd = 2;
  queue_.push(now_ + s.duration_ps, EventKind::CollectiveEnd, kSumEnd, row, sum);
  ++live_events_;
}

void Engine::sum_end(std::uint32_t sum, std::uint32_t row) {
  if (program_.own_updates) return own_sum_end(sum, row);
  phase_row_ = row;
  --sums_left_;
  for (const std::uint32_t rank : program_.sums[sum].ranks) {
    ++rank_sums_done_[rank];
    join_sum(rank);
  }
  if (sums_left_ == 0 && operations_left_ == 0) batch_done();
}

void Engine::batch_done() {
  if (!update_due(batch_)) return next_batch();
  if (sums_left_ > 0) return;
  if (tied_due() && !tied_done_) {
    // A policy has no end of a rank's list to go by.
    if (tied_row_ == kNoRow) begin_tied();
    return;
  }
  collective_round_ = 0;
  if (program_.sums.empty()) phase_row_ = tied_row_;
  if (program_.collective.empty()) return begin_updates();
  begin_collective_round();
}

void Engine::begin_collective_round() {
  collective_pending_ = static_cast<std::uint32_t>(program_.collective.size());
  for (std::size_t i = 0; i < program_.collective.size(); ++i) {
    const CollectiveHop& hop = program_.collective[i];
    const Link& link = program_.machine.links[hop.link];
    const DrawKey key{.seed = program_.simulation.seed,
                      .purpose = Purpose::AllReduce,
                      .entity = link.key,
                      .microbatch = batch_,
                      .number = collective_round_};
    const auto jitter = time_from_ms(link.jitter_scale * sample(link.jitter, key));
    if (!jitter || jitter->ps >= kMaxRunTime.ps - now_) return stop_at_time_limit();
    const std::uint32_t before =
        collective_round_ == 0 ? devices_[link.from.index()].last_row : phase_row_;
    Flow flow;
    flow.wire_ps = program_.simulation.transfers == Transfers::Latency ? 0 : hop.wire_ps;
    flow.latency_ps = link.latency.ps + jitter->ps;
    flow.row =
        add_row(kUnknown, OpKind::AllReduce, trace_.devices + hop.link, kNoStage, batch_, before);
    transfer(hop.link, flow);
  }
}

void Engine::collective_end(const Event& e) {
  if (e.index() == 2) return sum_end(e.extra, e.row);
  if (e.index() == 1) {
    tied_done_ = true;
    if (operations_left_ == 0) batch_done();
    return;
  }
  // One that came to share its link, or was lost, has another end than this event says.
  if (trace_.end[e.row] != now_) return;
  if (--collective_pending_ > 0) return;
  phase_row_ = e.row;
  if (++collective_round_ < program_.collective_rounds) return begin_collective_round();
  begin_updates();
}

void Engine::begin_updates() {
  updates_pending_ = static_cast<std::uint32_t>(program_.stage_devices.size());
  for (std::uint32_t slot = 0; slot < program_.stage_devices.size(); ++slot) begin_update(slot);
}

void Engine::begin_update(std::uint32_t slot) {
  const std::uint32_t device = program_.stage_devices[slot];
  DeviceState& d = devices_[device];
  if (d.down_until > now_) {
    // Begun when the device is back.
    d.update_waits = true;
    return;
  }
  d.update_waits = false;
  const std::uint32_t batch = ranks_[program_.ranks_of_device[program_.first_rank[device]]].batch;
  const auto duration = drawn_update(program_, device, batch, 0, 1);
  if (!duration || duration->ps >= kMaxRunTime.ps - now_) return stop_at_time_limit();
  const std::uint32_t before = phase_row_ == kNoRow ? d.last_row : phase_row_;
  d.update_row = add_row(now_ + duration->ps, OpKind::Update, device, program_.first_stage[slot],
                         batch, before);
  d.running = kUpdating;
  queue_.push(now_ + duration->ps, EventKind::UpdateEnd, slot, d.update_row, 0);
  ++live_events_;
}

void Engine::update_end(const Event& e) {
  if (program_.own_updates) return own_update_end(e);
  const std::uint32_t device = program_.stage_devices[e.index()];
  DeviceState& d = devices_[device];
  if (d.update_row != e.row) return;  // interrupted
  d.running = kIdle;
  d.update_row = kNoRow;
  d.last_row = e.row;
  d.free_at = now_;
  --updates_pending_;
  if (program_.simulation.step_barrier) {
    if (updates_pending_ == 0) next_batch();
    return;
  }
  for (std::uint32_t i = program_.first_rank[device]; i < program_.first_rank[device + 1]; ++i) {
    begin_rank_batch(program_.ranks_of_device[i]);
  }
  touch(device);
  if (ranks_left_ == 0 && updates_pending_ == 0 && operations_left_ == 0) finished_ = over_ = true;
}

void Engine::next_batch() {
  if (checkpoint_due()) return begin_checkpoint();
  begin_next_batch();
}

void Engine::begin_next_batch() {
  ++batch_;
  if (batch_ >= plays_) {
    finished_ = over_ = true;
    return;
  }
  // An outage in the pause goes back to here.
  if (!marks_.empty()) marks_[batch_] = {rows_, now_};
  const auto pause = drawn_pause(program_, batch_);
  if (!pause || pause->ps >= kMaxRunTime.ps - now_) return stop_at_time_limit();
  queue_.push(now_ + pause->ps, EventKind::BatchStart, 0, 0, 0);
  ++live_events_;
}

// Without the step barrier a device goes on to the next batch by itself, after its own update when
// one is due.
void Engine::rank_finished_batch(std::uint32_t rank) {
  if (program_.simulation.step_barrier) return rank_is_through(rank);
  Rank& r = ranks_[rank];
  const std::uint32_t device = program_.device_of_rank[rank];
  if (!update_due(r.batch)) return begin_rank_batch(rank);
  r.waits_for_update = true;
  for (std::uint32_t i = program_.first_rank[device]; i < program_.first_rank[device + 1]; ++i) {
    if (!ranks_[program_.ranks_of_device[i]].waits_for_update) return;
  }
  ++updates_pending_;
  begin_update(program_.update_slot[device]);
}

void Engine::begin_rank_batch(std::uint32_t rank) {
  Rank& r = ranks_[rank];
  r.waits_for_update = false;
  if (r.batch + 1 >= plays_) {
    --ranks_left_;
    return;
  }
  ++r.batch;
  r.holds = kNoStage;
  r.next = program_.plan.order->begin[rank];
}

}  // namespace sluice

// Batches, the barrier between them, and the optimizer phase: all-reduce rounds, then one update a
// device.
#include <algorithm>

#include "engine/hot_path.hpp"

namespace sluice {

// With the barrier: all ranks begin batch `batch_`. Without: called once, at the start.
void Engine::begin_batch() {
  const Plan& plan = program_.plan;
  operations_left_ = program_.operations_per_batch;
  forwards_left_ = static_cast<std::uint64_t>(stages_) * microbatches_;
  ranks_left_ = static_cast<std::uint32_t>(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Rank& r = ranks_[i];
    r.batch = batch_;
    r.forwards = r.backwards = r.weights = 0;
    if (plan.order) {
      r.next = plan.order->begin[i];
      r.end = plan.order->end[i];
    }
  }
  for (std::uint32_t d = 0; d < devices_.size(); ++d) touch(d);
  // At the very start no event has touched anything yet; an event of this instant brings on its
  // second phase.
  if (now_ == 0 && batch_ == 0 && trace_.events == 0) {
    queue_.push(0, EventKind::Nudge, 0, kNoRow, 0);
    ++live_events_;
  }
}

void Engine::operation_done() {
  if (--operations_left_ > 0) return;
  if (program_.simulation.step_barrier) return batch_done();
  // Without the barrier the count runs over all batches: refill until the last batch is through.
  if (batch_ + 1 < static_cast<std::uint32_t>(program_.simulation.batches)) {
    ++batch_;
    operations_left_ = program_.operations_per_batch;
  } else if (updates_pending_ == 0 && ranks_left_ == 0) {
    finished_ = over_ = true;
  }
}

bool Engine::update_due(std::uint32_t batch) const {
  return program_.updates &&
         (static_cast<std::int64_t>(batch) + 1) % program_.accumulation_steps == 0;
}

void Engine::batch_done() {
  if (!update_due(batch_)) return next_batch();
  collective_round_ = 0;
  phase_row_ = kNoRow;
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
  const DrawKey key{.seed = program_.simulation.seed,
                    .purpose = Purpose::Update,
                    .entity = program_.machine.devices[device].key,
                    .microbatch = batch,
                    .number = 0};
  const DurationModel& m = program_.update;
  const auto duration = time_from_ms(std::max(0.0, m.offset_ms + m.scale * sample(m.noise, key)));
  if (!duration || duration->ps >= kMaxRunTime.ps - now_) return stop_at_time_limit();
  const std::uint32_t before = phase_row_ == kNoRow ? d.last_row : phase_row_;
  d.update_row = add_row(now_ + duration->ps, OpKind::Update, device, program_.first_stage[slot],
                         batch, before);
  d.running = kUpdating;
  queue_.push(now_ + duration->ps, EventKind::UpdateEnd, slot, d.update_row, 0);
  ++live_events_;
}

void Engine::update_end(const Event& e) {
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
  ++batch_;
  if (batch_ >= static_cast<std::uint32_t>(program_.simulation.batches)) {
    finished_ = over_ = true;
    return;
  }
  std::int64_t pause = 0;
  if (program_.barrier) {
    const DrawKey key{.seed = program_.simulation.seed,
                      .purpose = Purpose::Barrier,
                      .entity = 0,
                      .microbatch = batch_,
                      .number = 0};
    const DurationModel& m = *program_.barrier;
    const auto drawn = time_from_ms(std::max(0.0, m.offset_ms + m.scale * sample(m.noise, key)));
    if (!drawn || drawn->ps >= kMaxRunTime.ps - now_) return stop_at_time_limit();
    pause = drawn->ps;
  }
  queue_.push(now_ + pause, EventKind::BatchStart, 0, 0, 0);
  ++live_events_;
}

// Without the step barrier a device goes on to the next batch by itself, after its own update when
// one is due.
void Engine::rank_finished_batch(std::uint32_t rank) {
  if (program_.simulation.step_barrier) return;
  Rank& r = ranks_[rank];
  const std::uint32_t device = program_.device_of_rank[rank];
  if (!update_due(r.batch)) return begin_rank_batch(rank);
  r.waits_for_update = true;
  for (std::uint32_t i = program_.first_rank[device]; i < program_.first_rank[device + 1]; ++i) {
    if (!ranks_[program_.ranks_of_device[i]].waits_for_update) return;
  }
  const auto slot = std::find(program_.stage_devices.begin(), program_.stage_devices.end(), device);
  ++updates_pending_;
  begin_update(static_cast<std::uint32_t>(slot - program_.stage_devices.begin()));
}

void Engine::begin_rank_batch(std::uint32_t rank) {
  Rank& r = ranks_[rank];
  r.waits_for_update = false;
  if (r.batch + 1 >= static_cast<std::uint32_t>(program_.simulation.batches)) {
    --ranks_left_;
    return;
  }
  ++r.batch;
  r.next = program_.plan.order->begin[rank];
}

}  // namespace sluice

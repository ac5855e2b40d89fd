// Steps that are begun anew: where a failed device takes the whole step with it, everything since
// the step's start, or since the last checkpoint, is thrown away.
#include <algorithm>

#include "engine/hot_path.hpp"

namespace sluice {

// When devices that compute are whole again: with enough spares at once. A spare's own place is
// taken by what it stands in for, once that is repaired.
std::int64_t Engine::take_spares(std::uint32_t devices, std::int64_t repair) {
  if (spares_ < devices) return now_ + repair;
  spares_ -= devices;
  for (std::uint32_t i = 0; i < devices; ++i)
    queue_.push(now_ + repair, EventKind::SpareReady, 0, 0, 0);
  return now_;
}

std::uint32_t Engine::play_to_go_back_to() const {
  if (program_.failure.recovery == Recovery::Checkpoint) return saved_play_;
  // Gradients that were summed up go with the step they belong to.
  return batch_ - batch_ % static_cast<std::uint32_t>(program_.accumulation_steps);
}

void Engine::roll_back(std::int64_t repaired, std::uint32_t outage_row) {
  const std::int64_t restart =
      time_from_ms(program_.failure.restart_s * 1e3).value_or(kMaxRunTime).ps;
  if (repaired >= kMaxRunTime.ps - restart) return stop_at_time_limit();
  const bool working = resume_at_ < 0;
  resume_at_ = std::max(resume_at_, repaired + restart);
  ++failures_.rollbacks;
  if (working) {
    const std::uint32_t play = play_to_go_back_to();
    stopped_at_ = now_;
    trace_.discarded.push_back({marks_[play].at, now_});
    lose_rows_from(marks_[play].row);
    failures_.lost_time += Time{now_ - marks_[play].at};
    batch_ = play;
  }
  forget_work(outage_row);
  queue_.push(resume_at_, EventKind::Resume, 0, 0, ++resume_generation_);
  ++live_events_;
}

// What was done stays in the trace, as lost.
void Engine::lose_rows_from(std::uint32_t first) {
  for (std::uint32_t row = first; row < rows_; ++row) {
    std::uint8_t& outcome = trace_.outcome.raw()[row];
    if (trace_.kind_at(row) == OpKind::Failure ||
        outcome == static_cast<std::uint8_t>(Outcome::Lost))
      continue;
    outcome = static_cast<std::uint8_t>(Outcome::Lost);
    std::int64_t& start = trace_.start.raw()[row];
    std::int64_t& end = trace_.end.raw()[row];
    start = std::min(start, now_);
    end = std::min(end, now_);
    if (trace_.resource.raw()[row] < trace_.devices && !trace_.second_half(row))
      failures_.lost_work += Time{end - start};
  }
}

// Nothing of the job is under way any more; outages, and their ends, are still to come.
void Engine::forget_work(std::uint32_t outage_row) {
  live_events_ = 0;
  queue_.filter([&](const Event& e) {
    switch (e.kind()) {
      case EventKind::DeviceRecovery:
      case EventKind::LinkRecovery:
        ++live_events_;
        return true;
      case EventKind::FailureCheck:
      case EventKind::Outage:
      case EventKind::SpareReady:
        return true;
      default:
        return false;
    }
  });
  std::fill(slots_.begin(), slots_.end(), kNoRow);
  for (Rank& r : ranks_) {
    r.row = kNoRow;
    r.waits_for_update = false;
  }
  for (DeviceState& d : devices_) {
    d.running = kRecovering;
    d.free_at = now_;
    d.wake_at = -1;
    d.last_row = outage_row;
    d.update_row = kNoRow;
    d.interrupted = kIdle;
    d.update_waits = false;
  }
  for (LinkState& link : links_) {
    link.solo_until = -1;
    link.flows.clear();
    link.waiting.clear();
    link.ends.clear();
    ++link.generation;
  }
  if (!streams_.empty()) streams_.assign(streams_.size(), Stream{});
  if (policy_)
    policy_.emplace(*program_.plan.policy, program_.plan.ranks(), program_.plan.microbatches,
                    program_.means);
  updates_pending_ = 0;
  collective_pending_ = 0;
  phase_row_ = kNoRow;
}

void Engine::resume(const Event& e) {
  if (e.extra != resume_generation_) return;
  failures_.recovering += Time{now_ - stopped_at_};
  trace_.discarded.back().to = now_;
  resume_at_ = -1;
  saved_at_ = now_;
  for (DeviceState& d : devices_) d.running = kIdle;
  begin_batch();
}

bool Engine::checkpoint_due() const {
  const FailureSection& f = program_.failure;
  if (!f.enabled || f.recovery != Recovery::Checkpoint || batch_ + 1 >= plays_) return false;
  const auto step = static_cast<std::uint32_t>(program_.accumulation_steps);
  if ((batch_ + 1) % step != 0) return false;
  const CheckpointSection& c = f.checkpoint;
  if (c.interval_s &&
      now_ - saved_at_ >= time_from_ms(*c.interval_s * 1e3).value_or(kMaxRunTime).ps)
    return true;
  return c.every_steps > 0 && (batch_ + 1 - saved_play_) / step >= c.every_steps;
}

void Engine::begin_checkpoint() {
  const std::int64_t cost =
      time_from_ms(program_.failure.checkpoint.cost_s * 1e3).value_or(kMaxRunTime).ps;
  if (cost >= kMaxRunTime.ps - now_) return stop_at_time_limit();
  for (std::size_t slot = 0; slot < program_.stage_devices.size(); ++slot) {
    DeviceState& d = devices_[program_.stage_devices[slot]];
    d.last_row = add_row(now_ + cost, OpKind::Checkpoint, program_.stage_devices[slot],
                         program_.first_stage[slot], batch_, d.last_row);
    d.free_at = now_ + cost;
  }
  queue_.push(now_ + cost, EventKind::CheckpointEnd, 0, 0, 0);
  ++live_events_;
}

void Engine::checkpoint_end() {
  saved_play_ = batch_ + 1;
  saved_at_ = now_;
  ++failures_.checkpoints;
  failures_.saving += time_from_ms(program_.failure.checkpoint.cost_s * 1e3).value_or(Duration{});
  begin_next_batch();
}

}  // namespace sluice

// The few functions that every event passes through, inline for the engine's own files. Nothing
// else includes this.
#pragma once

#include <algorithm>
#include <utility>

#include "engine/engine.hpp"

namespace sluice {

inline std::uint32_t Engine::add_row(std::int64_t end, OpKind kind, std::uint32_t resource,
                                     std::uint16_t stage, std::uint32_t index,
                                     std::uint32_t predecessor) {
  if (rows_ == capacity_) grow_rows();
  const std::uint32_t row = rows_++;
  trace_.start.raw()[row] = now_;
  trace_.end.raw()[row] = end;
  trace_.kind.raw()[row] = static_cast<std::uint8_t>(kind);
  trace_.resource.raw()[row] = resource;
  trace_.stage.raw()[row] = stage;
  trace_.index.raw()[row] = index;
  trace_.predecessor.raw()[row] = predecessor;
  if (track_outcome_) trace_.outcome.raw()[row] = static_cast<std::uint8_t>(Outcome::Done);
  return row;
}

// Keeps the list ascending; it holds one or two devices nearly always.
inline void Engine::touch(std::uint32_t device) {
  DeviceState& state = devices_[device];
  if (state.touched) return;
  state.touched = true;
  touched_.push_back(device);
  for (std::size_t i = touched_.size() - 1; i > 0 && touched_[i - 1] > device; --i) {
    std::swap(touched_[i], touched_[i - 1]);
  }
}

inline void Engine::start(std::uint32_t device, std::uint32_t rank, const Operation& op,
                          std::uint32_t input_row) {
  DeviceState& d = devices_[device];
  Rank& r = ranks_[rank];
  const std::int64_t fixed = table_[op.stage].duration[static_cast<std::size_t>(op.kind)];
  const std::int64_t duration = fixed == kNoisy ? noisy_duration(op, r.batch) : fixed;
  const std::int64_t end = now_ + duration;
  // The later of the two things the start waited for decided it.
  std::uint32_t predecessor = d.last_row;
  if (input_row != kNoRow && (predecessor == kNoRow || trace_.end.raw()[input_row] >= d.free_at))
    predecessor = input_row;
  r.current = op;
  r.row =
      add_row(end, op.kind, device, op.stage, r.batch * microbatches_ + op.microbatch, predecessor);
  d.running = static_cast<std::int32_t>(rank);
  queue_.push(end, EventKind::ComputeEnd, rank, r.row, 0);
  ++live_events_;
}

// Asks the device again at `time`, when what it waits for is there.
inline void Engine::wake(std::uint32_t device, std::int64_t time) {
  if (time <= now_) return touch(device);
  DeviceState& d = devices_[device];
  if (d.wake_at == time) return;
  d.wake_at = time;
  queue_.push(time, EventKind::Wake, device, 0, 0);
  ++live_events_;
}

// The device is idle for want of this transfer.
inline void Engine::wake_for(std::uint32_t device, std::uint32_t row) {
  if (row != kNoRow && trace_.end[row] != kUnknown) wake(device, trace_.end[row]);
}

}  // namespace sluice

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

inline std::int64_t Engine::duration_of(const Operation& op, std::uint32_t batch) {
  constexpr std::uint8_t kPlace[kTimedKinds] = {0, 0, 1, 2, 1};
  const std::int64_t fixed =
      side(op.kind, op.stage).duration[kPlace[static_cast<std::size_t>(op.kind)]];
  return fixed == kNoisy ? noisy_duration(op, batch) : fixed;
}

// Time to gather the weights of the operation's stage, which the rank then holds.
inline std::int64_t Engine::turn_to(Rank& r, const Operation& op) const {
  // A weight gradient is made of activations and gradients alone.
  if (op.kind == OpKind::WeightGrad) return 0;
  r.holds = op.stage;
  return program_.gather_ps[op.stage];
}

// `other`: the backward that overlaps the forward, or of kind Forward when there is none.
inline void Engine::start(std::uint32_t device, std::uint32_t rank, const Operation& op,
                          const Operation& other, std::uint32_t input_row) {
  DeviceState& d = devices_[device];
  Rank& r = ranks_[rank];
  const bool cell = op.kind == OpKind::Overlapped;
  std::int64_t end = now_ + (cell ? cell_duration(op, other, r.batch) : duration_of(op, r.batch));
  if (unit(op) == 0 && (op.kind == OpKind::Forward || cell))
    end += program_.first_extra_ps[op.stage];
  if (op.stage != r.holds) end += turn_to(r, op);
  if (cell && other.stage != r.holds) end += turn_to(r, other);
  // The later of the two things the start waited for decided it.
  std::uint32_t predecessor = d.last_row;
  if (input_row != kNoRow && (predecessor == kNoRow || trace_.end.raw()[input_row] >= d.free_at))
    predecessor = input_row;
  r.current = op;
  r.other = other;
  const std::uint32_t first = r.batch * microbatches_ * slices_;
  r.row = add_row(end, op.kind, device, op.stage, first + unit(op), predecessor);
  if (cell) add_row(end, other.kind, device, other.stage, first + unit(other), predecessor);
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

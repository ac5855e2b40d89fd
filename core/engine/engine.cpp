#include "engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "engine/draws.hpp"
#include "engine/hot_path.hpp"

namespace sluice {

bool Engine::step(std::uint64_t events) {
  const std::uint64_t stop_at = trace_.events + events;
  while (!over_ && trace_.events < stop_at) {
    if (live_events_ == 0) {
      report_stuck();
      break;
    }
    now_ = queue_.next_time();
    do {
      const Event e = queue_.pop();
      ++trace_.events;
      apply(e);
    } while (queue_.next_time() == now_);
    // A start of zero length pushes an event of this same time, which is a new instant with its own
    // two phases.
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const std::uint32_t device = touched_[i];
      devices_[device].touched = false;
      ask(device);
    }
    touched_.clear();
  }
  if (!over_) return false;
  trace_.start.set_size(rows_);
  trace_.end.set_size(rows_);
  trace_.kind.set_size(rows_);
  trace_.resource.set_size(rows_);
  trace_.stage.set_size(rows_);
  trace_.index.set_size(rows_);
  trace_.predecessor.set_size(rows_);
  if (track_outcome_) trace_.outcome.set_size(rows_);
  return true;
}

void Engine::apply(const Event& e) {
  switch (e.kind()) {
    case EventKind::ComputeEnd:
      --live_events_;
      return compute_end(e);
    case EventKind::Wake:
      --live_events_;
      return touch(e.index());
    case EventKind::LinkHead:
      --live_events_;
      return link_head(e);
    case EventKind::StreamHead:
      --live_events_;
      return stream_head(e);
    case EventKind::Nudge:
      --live_events_;
      return;
    case EventKind::CollectiveEnd:
      --live_events_;
      return collective_end(e);
    case EventKind::UpdateEnd:
      --live_events_;
      return update_end(e);
    case EventKind::BatchStart:
      --live_events_;
      return begin_batch();
    case EventKind::FailureCheck:
      return failure_check(e);
    case EventKind::DeviceRecovery:
      --live_events_;
      return device_recovery(e);
    case EventKind::LinkRecovery:
      --live_events_;
      return link_recovery(e);
    case EventKind::Outage:
      return outage(e);
    case EventKind::SpareReady:
      ++spares_;
      return;
    case EventKind::CheckpointEnd:
      --live_events_;
      return checkpoint_end();
    case EventKind::Resume:
      --live_events_;
      return resume(e);
  }
}

// ---- Rows
// -------------------------------------------------------------------------------------------------------------

void Engine::grow_rows() {
  if (rows_ == capacity_) {
    capacity_ *= 2;
    if (capacity_ > most_rows_) stop_without_end();
  }
  const std::size_t filled = rows_;
  const auto widen = [&](auto& column) {
    column.set_size(filled);
    column.reserve(capacity_);
  };
  widen(trace_.start);
  widen(trace_.end);
  widen(trace_.kind);
  widen(trace_.resource);
  widen(trace_.stage);
  widen(trace_.index);
  widen(trace_.predecessor);
  if (track_outcome_) widen(trace_.outcome);
}

// ---- Compute
// ----------------------------------------------------------------------------------------------------------

void Engine::ask(std::uint32_t device) {
  const DeviceState& state = devices_[device];
  if (state.running != kIdle || state.down_until > now_) return;
  for (std::uint32_t i = state.first_rank; i < state.end_rank; ++i) {
    const std::uint32_t rank = program_.ranks_of_device[i];
    if (policy_ ? start_policy(device, rank) : start_static(device, rank)) return;
  }
}

// The slot whose content an operation needs before it starts; null when the order itself sees to
// it: a weight gradient, and the forward of a first stage.
const std::uint32_t* Engine::awaited(const Operation& op) const {
  const StageSide& s = side(op.kind, op.stage);
  if (!s.waits || op.kind == OpKind::WeightGrad) return nullptr;
  return &slots_[s.own + spot(unit(op))];
}

bool Engine::start_static(std::uint32_t device, std::uint32_t rank) {
  Rank& r = ranks_[rank];
  if (!rank_updates_.empty()) {
    bool started = false;
    if (update_comes_first(device, rank, started)) return started;
  }
  if (r.next == r.end) return false;
  if (!streams_.empty() && !stream_allows(rank)) return false;
  const Operation op = operations_[r.next];
  // Within a rank the order itself guarantees F before B and I before W (check_order); only inputs
  // from elsewhere are waited for. A slot is emptied when it is used, so that the next batch finds
  // it empty.
  const std::uint32_t* slot = awaited(op);
  if (slot != nullptr && !arrived(*slot)) {
    wake_for(device, *slot);
    return false;
  }
  Operation other;
  const std::uint32_t* other_slot = nullptr;
  if (op.kind == OpKind::Overlapped) {
    other = operations_[r.next + 1];
    other_slot = awaited(other);
    if (!arrived(*other_slot)) {
      wake_for(device, *other_slot);
      return false;
    }
    ++r.next;
  }
  ++r.next;
  const auto take = [&](const std::uint32_t* from) {
    if (from == nullptr) return kNoRow;
    return std::exchange(slots_[static_cast<std::size_t>(from - slots_.data())], kNoRow);
  };
  const std::uint32_t input_row = take(slot);
  const std::uint32_t other_row = take(other_slot);
  const bool other_later =
      other_row != kNoRow && (input_row == kNoRow || trace_.end[other_row] > trace_.end[input_row]);
  start(device, rank, op, other, other_later ? other_row : input_row);
  return true;
}

bool Engine::start_policy(std::uint32_t device, std::uint32_t rank) {
  Rank& r = ranks_[rank];
  const std::uint32_t m = microbatches_;
  RankView view;
  view.rank = rank;
  view.forwards = r.forwards;
  view.backwards = r.backwards;
  view.weights = r.weights;
  view.forwards_left = forwards_left_;
  view.forward_ready = r.forwards < m && (rank == 0 || arrived(input(rank, r.forwards)));
  view.backward_ready = r.backwards < r.forwards && arrived(gradient(rank, r.backwards));
  view.weight_ready = program_.plan.split_backward && r.weights < r.backwards;
  const std::optional<OpKind> kind = policy_->next(view);
  if (!kind) {
    if (r.forwards < m && rank != 0 && !view.forward_ready)
      wake_for(device, input(rank, r.forwards));
    if (r.backwards < r.forwards && !view.backward_ready)
      wake_for(device, gradient(rank, r.backwards));
    return false;
  }
  Operation op{
      .kind = *kind, .slice = 0, .stage = static_cast<std::uint16_t>(rank), .microbatch = 0};
  std::uint32_t input_row = kNoRow;
  if (*kind == OpKind::Forward) {
    op.microbatch = r.forwards;
    if (rank != 0) input_row = std::exchange(input(rank, op.microbatch), kNoRow);
  } else if (*kind == OpKind::WeightGrad) {
    op.microbatch = r.weights;
  } else {
    op.microbatch = r.backwards;
    input_row = std::exchange(gradient(rank, op.microbatch), kNoRow);
  }
  start(device, rank, op, {}, input_row);
  return true;
}

std::int64_t Engine::cell_duration(const Operation& op, const Operation& other,
                                   std::uint32_t batch) {
  if (side(op.kind, op.stage).duration[1] != kSum) return duration_of(op, batch);
  Operation forward = op;
  forward.kind = OpKind::Forward;
  return duration_of(forward, batch) + duration_of(other, batch);
}

std::int64_t Engine::noisy_duration(const Operation& op, std::uint32_t batch) {
  const auto duration =
      drawn_time(program_, op.kind, op.stage, batch * microbatches_ * slices_ + unit(op), now_);
  if (duration && duration->ps < kMaxRunTime.ps - now_) return duration->ps;
  stop_at_time_limit();
  return 0;
}

void Engine::compute_end(const Event& e) {
  const std::uint32_t rank = e.index();
  Rank& r = ranks_[rank];
  // An outage has interrupted it: this is the end it would have had.
  if (r.row != e.row) return;
  const std::uint32_t device = program_.device_of_rank[rank];
  DeviceState& d = devices_[device];
  d.running = kIdle;
  d.last_row = e.row;
  d.free_at = now_;
  r.row = kNoRow;
  const Operation op = r.current;
  deliver(rank, op, e.row);
  const bool cell = op.kind == OpKind::Overlapped;
  if (cell) deliver(rank, r.other, e.row + 1);
  if (!streams_.empty() && program_.simulation.communication == Communication::Calls)
    make_calls(rank);
  touch(device);
  if (!policy_ && r.next == r.end) rank_finished_batch(rank);
  operations_done(cell ? 2 : 1);
}

// Counts a completed operation and passes on what it made.
void Engine::deliver(std::uint32_t rank, const Operation& op, std::uint32_t row) {
  Rank& r = ranks_[rank];
  switch (op.kind) {
    case OpKind::Forward:
    case OpKind::Overlapped:
      ++r.forwards;
      --forwards_left_;
      pass_on(rank, op, row);
      // The policy of GPipe watches how many forwards are left anywhere.
      if (policy_ && forwards_left_ == 0) {
        for (std::uint32_t other = 0; other < devices_.size(); ++other) touch(other);
      }
      break;
    case OpKind::Backward:
    case OpKind::InputGrad:
      ++r.backwards;
      pass_on(rank, op, row);
      if (!rank_updates_.empty()) gradient_made(rank, op.stage);
      break;
    default:
      ++r.weights;
      break;
  }
}

void Engine::pass_on(std::uint32_t rank, const Operation& op, std::uint32_t row) {
  const StageSide& from = side(op.kind, op.stage);
  if (from.sends) {
    if (streams_.empty() || from.link == kNoLink) {
      send(from, op, ranks_[rank].batch, row);
    } else {
      post_send(rank, op, ranks_[rank].batch, row);
    }
  } else if (op.kind == OpKind::Forward || op.kind == OpKind::Overlapped) {
    slots_[from.to + spot(unit(op))] = row;
  }
}

}  // namespace sluice

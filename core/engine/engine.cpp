#include "engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "engine/hot_path.hpp"

namespace sluice {
namespace {

bool releases_gradient(OpKind kind) {
  return kind == OpKind::Backward || kind == OpKind::InputGrad;
}

}  // namespace

Engine::Engine(const Program& program, Trace recycled)
    : program_(program), trace_(std::move(recycled)) {
  const Plan& plan = program_.plan;
  microbatches_ = static_cast<std::uint32_t>(plan.microbatches);
  stages_ = static_cast<std::uint32_t>(plan.stages());
  track_outcome_ = program_.failure.enabled;
  trace_.events = 0;
  trace_.devices = static_cast<std::uint32_t>(program_.machine.devices.size());
  trace_.microbatches = microbatches_;
  trace_.outcome.set_size(0);
  constexpr std::size_t kLine = 64 / sizeof(std::uint32_t);
  slot_stride_ = microbatches_ + kLine;
  inputs_.assign(stages_ * slot_stride_, kNoRow);
  gradients_.assign(stages_ * slot_stride_, kNoRow);
  plain_links_ = program_.simulation.transfers != Transfers::Shared && !program_.failure.enabled;
  table_.resize(stages_);
  for (std::size_t s = 0; s < stages_; ++s) {
    for (std::size_t k = 0; k < kComputeKinds; ++k) {
      const OpTime& t = program_.times[s * kComputeKinds + k];
      table_[s].duration[k] = t.noisy ? kNoisy : t.fixed_ps;
    }
    table_[s].forward = program_.forward_hop[s];
    table_[s].backward = program_.backward_hop[s];
  }
  if (plan.order) operations_ = plan.order->operations.data();
  ranks_.resize(static_cast<std::size_t>(plan.ranks));
  devices_.resize(program_.machine.devices.size());
  links_.resize(program_.machine.links.size());
  touched_.reserve(devices_.size());
  queue_.reserve(2 * devices_.size() + 2 * links_.size() + 64);
  if (plan.policy) policy_.emplace(*plan.policy, plan.ranks, plan.microbatches, program_.means);

  const std::uint64_t rows =
      program_.rows_per_batch * static_cast<std::uint64_t>(program_.simulation.batches);
  capacity_ = static_cast<std::size_t>(
                  std::min<std::uint64_t>(rows, 2 * static_cast<std::uint64_t>(kMaxOperations))) +
              16;
  // Outages may repeat work, but a run that needs several times its rows does not get anywhere.
  constexpr std::size_t kRetries = 4;
  constexpr std::size_t kFewRows = std::size_t{1} << 21;
  most_rows_ = std::max(kRetries * capacity_, kFewRows);
  grow_rows();
  ranks_left_ = static_cast<std::uint32_t>(plan.ranks);
  begin_batch();
  if (program_.failure.enabled) {
    const auto interval = time_from_ms(program_.failure.check_interval_ms);
    if (interval) queue_.push(interval->ps, EventKind::FailureCheck, 0, 0, 0);
  }
}

std::uint64_t Engine::expected_segments() const {
  return program_.rows_per_batch * static_cast<std::uint64_t>(program_.simulation.batches);
}

bool Engine::step(std::uint64_t events) {
  const std::uint64_t stop_at = trace_.events + events;
  while (!over_ && trace_.events < stop_at) {
    if (live_events_ == 0) {
      report_stuck();
      break;
    }
    now_ = queue_.top().time;
    do {
      const Event e = queue_.pop();
      ++trace_.events;
      apply(e);
    } while (!queue_.empty() && queue_.top().time == now_);
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
  const std::uint32_t end = program_.first_rank[device + 1];
  for (std::uint32_t i = program_.first_rank[device]; i < end; ++i) {
    const std::uint32_t rank = program_.ranks_of_device[i];
    if (policy_ ? start_policy(device, rank) : start_static(device, rank)) return;
  }
}

bool Engine::start_static(std::uint32_t device, std::uint32_t rank) {
  Rank& r = ranks_[rank];
  if (r.next == r.end) return false;
  const Operation op = operations_[r.next];
  std::uint32_t input_row = kNoRow;
  // Within a rank the order itself guarantees F before B and I before W (check_order); only inputs
  // from elsewhere are waited for. A slot is emptied when it is used, so that the next batch finds
  // it empty.
  const bool forward = op.kind == OpKind::Forward;
  if (forward ? op.stage != 0 : releases_gradient(op.kind)) {
    std::uint32_t& slot =
        forward ? input(op.stage, op.microbatch) : gradient(op.stage, op.microbatch);
    if (!arrived(slot)) {
      wake_for(device, slot);
      return false;
    }
    input_row = std::exchange(slot, kNoRow);
  }
  ++r.next;
  start(device, rank, op, input_row);
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
  start(device, rank, op, input_row);
  return true;
}

std::int64_t Engine::noisy_duration(const Operation& op, std::uint32_t batch) {
  const OpTime& time = program_.times[static_cast<std::size_t>(op.stage) * kComputeKinds +
                                      static_cast<std::size_t>(op.kind)];
  const DrawKey key{
      .seed = program_.simulation.seed,
      .purpose = Purpose::Compute,
      .entity = time.key,
      .microbatch = batch * microbatches_ + op.microbatch,
      .number = static_cast<std::uint32_t>(op.kind) | (static_cast<std::uint32_t>(op.stage) << 4)};
  const DurationModel& m = time.model;
  const auto duration = time_from_ms(std::max(0.0, m.offset_ms + m.scale * sample(m.noise, key)));
  if (duration && duration->ps < kMaxRunTime.ps - now_) return duration->ps;
  stop_at_time_limit();
  return 0;
}

void Engine::stop_at_time_limit() {
  if (over_) return;
  over_ = true;
  problems_.push_back(error(Code::LimitTime, "simulation",
                            "a random duration took the run beyond 100 days of simulated time, the "
                            "most that is kept exactly"));
}

void Engine::compute_end(const Event& e) {
  const std::uint32_t rank = e.index();
  Rank& r = ranks_[rank];
  // An outage has interrupted it: this is the end it would have had.
  if (r.row != e.row) return;
  const std::uint32_t device = program_.device_of_rank[rank];
  DeviceState& d = devices_[device];
  const Operation op = r.current;
  d.running = kIdle;
  d.last_row = e.row;
  d.free_at = now_;
  r.row = kNoRow;
  switch (op.kind) {
    case OpKind::Forward:
      ++r.forwards;
      --forwards_left_;
      if (op.stage + 1U < stages_) {
        send(table_[op.stage].forward, OpKind::Activation, op.stage,
             static_cast<std::uint16_t>(op.stage + 1), op.microbatch, r.batch, e.row);
      } else {
        gradient(op.stage, op.microbatch) = e.row;
      }
      // The policy of GPipe watches how many forwards are left anywhere.
      if (policy_ && forwards_left_ == 0) {
        for (std::uint32_t other = 0; other < devices_.size(); ++other) touch(other);
      }
      break;
    case OpKind::Backward:
    case OpKind::InputGrad:
      ++r.backwards;
      if (op.stage > 0) {
        send(table_[op.stage].backward, OpKind::Gradient, op.stage,
             static_cast<std::uint16_t>(op.stage - 1), op.microbatch, r.batch, e.row);
      }
      break;
    default:
      ++r.weights;
      break;
  }
  touch(device);
  if (!policy_ && r.next == r.end) rank_finished_batch(rank);
  operation_done();
}

void Engine::stop_without_end() {
  if (over_) return;
  over_ = true;
  problems_.push_back(error(
      Code::LimitOperations, "failure",
      "outages interrupt the work over and over: batch " + std::to_string(batch_) + " does not end",
      "shorter outages, a smaller probability, or a longer check interval"));
}

void Engine::report_stuck() {
  over_ = true;
  std::string heads;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank& r = ranks_[i];
    std::string what;
    if (program_.plan.order) {
      if (r.next < r.end) what = operation_text(operations_[r.next]);
    } else if (r.forwards < microbatches_ || r.backwards < microbatches_ ||
               (program_.plan.split_backward && r.weights < microbatches_)) {
      what = std::to_string(r.forwards) + " F, " + std::to_string(r.backwards) +
             (program_.plan.split_backward ? " I, " + std::to_string(r.weights) + " W" : " B") +
             " of " + std::to_string(microbatches_) + " done, no rule applies";
    }
    if (what.empty()) continue;
    heads += (heads.empty() ? "" : "; ") + std::string("rank ") + std::to_string(i) + ": " + what;
  }
  problems_.push_back(
      error(Code::OrderDeadlock, "pipeline.schedule",
            "the schedule deadlocks in batch " + std::to_string(batch_) + ": " + heads,
            "no rank can start anything and nothing is under way"));
}

}  // namespace sluice

// AMDP by a greedy rule, for depths and stage times that its written order does not fit.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "schedule/families/amdp.hpp"

namespace sluice {
namespace {

/// Durations, and when what an operation waits for is there. Stage copies count over all pipes.
class Clock {
 public:
  Clock(const AmdpShape& shape, const ScheduleRequest& request)
      : shape_(shape),
        transfer_ms_(request.transfer_ms),
        stages_(static_cast<std::size_t>(shape.devices)),
        forward_(stages_ * static_cast<std::size_t>(shape.microbatches()), kNever),
        backward_(forward_.size(), kNever) {
    for (int s = 0; s < shape.devices * shape.pipes; ++s) {
      const StageMeans cost = request.cost_of(s);
      forward_ms_.push_back(cost.forward_ms);
      backward_ms_.push_back(cost.backward_ms);
    }
  }

  static constexpr double kNever = std::numeric_limits<double>::infinity();

  [[nodiscard]] double length(const Operation& op) const {
    return op.kind == OpKind::Forward ? forward_ms_[op.stage] : backward_ms_[op.stage];
  }
  /// When the operation could begin at the earliest; kNever while that is not known.
  [[nodiscard]] double ready(const Operation& op) const {
    const std::size_t at = cell(op);
    const std::size_t stage = op.stage % stages_;
    if (op.kind == OpKind::Forward) return stage == 0 ? 0 : forward_[at - 1] + hop(op, -1);
    return stage + 1 == stages_ ? forward_[at]
                                : std::max(forward_[at], backward_[at + 1] + hop(op, 1));
  }
  void done(const Operation& op, double end) {
    (op.kind == OpKind::Forward ? forward_ : backward_)[cell(op)] = end;
  }

 private:
  [[nodiscard]] std::size_t cell(const Operation& op) const {
    return op.microbatch * stages_ + op.stage % stages_;
  }
  /// From the stage before (-1) or behind.
  [[nodiscard]] double hop(const Operation& op, int step) const {
    const int pipe = shape_.pipe_of(op.microbatch);
    const int stage = static_cast<int>(op.stage % stages_);
    return shape_.rank_of(pipe, stage) == shape_.rank_of(pipe, stage + step) ? 0 : transfer_ms_;
  }

  const AmdpShape& shape_;
  double transfer_ms_;
  std::size_t stages_;
  /// Ends, by microbatch and stage.
  std::vector<double> forward_;
  std::vector<double> backward_;
  std::vector<double> forward_ms_;
  std::vector<double> backward_ms_;
};

TimedOrder empty_order(const AmdpShape& shape) {
  const auto ranks = static_cast<std::size_t>(shape.devices);
  TimedOrder out;
  out.ranks.resize(ranks);
  out.start.resize(ranks);
  out.end.resize(ranks);
  return out;
}

class Greedy {
 public:
  Greedy(const AmdpShape& shape, const ScheduleRequest& request, int most, bool forwards_first)
      : shape_(shape),
        clock_(shape, request),
        most_(most),
        forwards_first_(forwards_first),
        out_(empty_order(shape)),
        free_(static_cast<std::size_t>(shape.devices), 0),
        in_flight_(static_cast<std::size_t>(shape.pipes), 0) {
    // The next forward and the next backward of each stage copy: microbatches of a pipeline come in
    // order.
    next_.resize(static_cast<std::size_t>(shape.devices * shape.pipes) * 2, 0);
  }

  TimedOrder run() {
    const int all = 2 * shape_.devices * shape_.microbatches();
    for (int placed = 0; placed < all;) {
      double soonest = Clock::kNever;
      for (int r = 0; r < shape_.devices; ++r) {
        const double busy = free_[static_cast<std::size_t>(r)];
        if (busy > now_) {
          soonest = std::min(soonest, busy);
          continue;
        }
        const double waits = take(r);
        if (waits <= now_) {
          ++placed;
          soonest = std::min(soonest, free_[static_cast<std::size_t>(r)]);
        } else {
          soonest = std::min(soonest, waits);
        }
      }
      now_ = soonest;
      release();
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t lane(int stage_copy, OpKind kind) const {
    return static_cast<std::size_t>(stage_copy) * 2 + (kind == OpKind::Forward ? 0U : 1U);
  }

  /// Begins the best operation that is ready now and returns a time that is not later; else returns
  /// when one will be.
  double take(int rank) {
    std::optional<Operation> best;
    std::int64_t least = 0;
    double soonest = Clock::kNever;
    for (int pipe = 0; pipe < shape_.pipes; ++pipe) {
      const int stage = shape_.stage_of(pipe, rank);
      const int copy = pipe * shape_.devices + stage;
      for (const OpKind kind : {OpKind::Forward, OpKind::Backward}) {
        const int sequence = next_[lane(copy, kind)];
        if (sequence == 2 * shape_.rounds) continue;
        const Operation candidate{
            .kind = kind,
            .slice = 0,
            .stage = static_cast<std::uint16_t>(copy),
            .microbatch = static_cast<std::uint32_t>(sequence * shape_.pipes + pipe)};
        const bool enters = kind == OpKind::Forward && stage == 0;
        if (enters && in_flight_[static_cast<std::size_t>(pipe)] >= most_) continue;
        const double ready = clock_.ready(candidate);
        if (ready > now_) {
          soonest = std::min(soonest, ready);
          continue;
        }
        const bool first = (kind == OpKind::Forward) == forwards_first_;
        // Deeper stages first, which is what makes it as fast as the written order; who takes
        // forwards first loses a little less the other way round.
        const int depth = forwards_first_ ? stage : shape_.devices - 1 - stage;
        const std::int64_t turn =
            (std::int64_t{shape_.round_of(candidate.microbatch)} * 2 + (first ? 0 : 1)) *
                shape_.devices +
            depth;
        const std::int64_t key = turn * shape_.microbatches() + candidate.microbatch;
        if (best && key >= least) continue;
        best = candidate;
        least = key;
      }
    }
    if (!best) return soonest;
    begin(rank, *best);
    return now_;
  }

  void begin(int rank, const Operation& op) {
    const auto r = static_cast<std::size_t>(rank);
    const double end = now_ + clock_.length(op);
    out_.ranks[r].push_back(op);
    out_.start[r].push_back(now_);
    out_.end[r].push_back(end);
    free_[r] = end;
    ++next_[lane(op.stage, op.kind)];
    clock_.done(op, end);
    if (op.stage % shape_.devices != 0) return;
    if (op.kind == OpKind::Forward) {
      ++in_flight_[static_cast<std::size_t>(shape_.pipe_of(op.microbatch))];
    } else {
      leaving_.emplace_back(end, shape_.pipe_of(op.microbatch));
    }
  }

  /// Microbatches whose last backward is over by now let others in.
  void release() {
    std::erase_if(leaving_, [&](const std::pair<double, int>& one) {
      if (one.first > now_) return false;
      --in_flight_[static_cast<std::size_t>(one.second)];
      return true;
    });
  }

  const AmdpShape& shape_;
  Clock clock_;
  int most_;
  bool forwards_first_;
  TimedOrder out_;
  double now_ = 0;
  std::vector<double> free_;
  std::vector<int> in_flight_;
  std::vector<int> next_;
  std::vector<std::pair<double, int>> leaving_;
};

}  // namespace

int AmdpShape::rank_of(int pipe, int stage) const {
  const int first = 4 * (pipe / 2);
  const int rank = pipe % 2 == 0 ? first + stage : first + 3 - stage;
  return (rank % devices + devices) % devices;
}

int AmdpShape::stage_of(int pipe, int rank) const {
  const int first = 4 * (pipe / 2);
  const int stage = pipe % 2 == 0 ? rank - first : first + 3 - rank;
  return (stage % devices + devices) % devices;
}

double TimedOrder::makespan() const {
  double last = 0;
  for (const std::vector<double>& rank : end) last = std::max(last, rank.empty() ? 0 : rank.back());
  return last;
}

TimedOrder amdp_greedy(const AmdpShape& shape, const ScheduleRequest& request, int most,
                       bool forwards_first) {
  return Greedy(shape, request, most, forwards_first).run();
}

TimedOrder amdp_timed(const AmdpShape& shape, const ScheduleRequest& request,
                      std::vector<std::vector<Operation>> ranks) {
  Clock clock(shape, request);
  TimedOrder out = empty_order(shape);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      while (out.end[r].size() < ranks[r].size()) {
        const Operation& op = ranks[r][out.end[r].size()];
        const double ready = clock.ready(op);
        if (ready == Clock::kNever) break;
        const double start = std::max(ready, out.end[r].empty() ? 0 : out.end[r].back());
        out.start[r].push_back(start);
        out.end[r].push_back(start + clock.length(op));
        clock.done(op, out.end[r].back());
        moved = true;
      }
    }
  }
  out.ranks = std::move(ranks);
  return out;
}

}  // namespace sluice

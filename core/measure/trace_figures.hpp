// Recorded events -> the figures of a run, the same for a real one and for a simulated one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/traced_run.hpp"

namespace sluice {

/// Of a set of durations, ms; zeros for none. `std_ms` over the population.
struct DurationFigures {
  std::int64_t count = 0;
  double mean_ms = 0;
  double median_ms = 0;
  double std_ms = 0;
};

/// What a message between two stages takes, from the end of the operation that makes it to the
/// start of the one that waits for it, host time included.
struct HopFigures {
  std::int32_t from_stage = 0;
  std::int32_t to_stage = 0;
  DurationFigures time;
};

struct TraceFigures {
  std::int32_t microbatches = 0;
  std::int32_t first_iteration = 0;
  std::int32_t last_iteration = 0;
  std::int32_t iterations = 0;
  /// Leading iterations left out, and iterations that the recording cuts off at either end.
  std::int32_t warm_up_dropped = 0;
  std::int32_t incomplete_dropped = 0;

  /// From the first event of an iteration to that of the next, ms; none with one iteration.
  std::optional<double> period_mean_ms;
  std::optional<double> period_median_ms;
  /// Completed microbatches over the time from the first forward to the last backward of stage 0.
  double microbatches_per_s = 0;
  /// Idle time of all stages over stages * makespan, in [0, 1]; makespan from the first to the last
  /// event of computation, updates included.
  double bubble = 0;
  /// By stage: union of its computation over makespan, in [0, 1]; an update counts for every stage
  /// of its rank.
  std::vector<double> utilization;
  /// By stage. A backward that is split counts as the sum of its parts. `input_grad_share`: of all
  /// split backwards, in [0, 1].
  std::vector<DurationFigures> forward;
  std::vector<DurationFigures> backward;
  std::optional<double> input_grad_share;
  /// By rank (entry of `ranks`); counts are 0 where no updates were recorded.
  std::vector<DurationFigures> update;
  std::vector<HopFigures> hops;
  /// Between steps: from the last end of F, B, I or W to the next iteration's first event, less the
  /// longest update of any rank, ms. Negative where ranks do not wait for each other.
  DurationFigures pause;
  /// The part of it before the first update, ms.
  DurationFigures before_updates;
  /// Updates of all ranks were recorded.
  bool updates = false;
};

/// A run without leading iterations that are warm-up, and without iterations at either end in which
/// operations are missing. Warm-up: from the earliest on, while the span (first start to last end)
/// is at least three times the median span of all later ones; the last always stays. Source:
/// specification of HOPS, section 11. Diagnostics: trace.empty when nothing is left; trace.field
/// when an iteration in the middle lacks operations, or microbatches are not numbered from 0.
Result<TracedRun> steady_part(const TracedRun& run, std::int32_t& warm_up_dropped,
                              std::int32_t& incomplete_dropped);

/// Figures of a run whose clocks agree, every iteration of it. Source: specification of HOPS,
/// sections 9 and 11.
TraceFigures trace_figures(const TracedRun& run);

}  // namespace sluice

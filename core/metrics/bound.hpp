// A proven lower bound on the makespan of a plan: no order on this placement can be faster.
#pragma once

#include <optional>

#include "base/units.hpp"
#include "engine/program.hpp"

namespace sluice {

/// Largest, over ranks, of: the shortest way of any microbatch to the rank's first operation, the
/// rank's work, and the shortest way from its last operation to the end of the step. With a split
/// backward the last operation may be a W, which nothing waits for. With the step barrier once for
/// each play; without it the work of all plays lies between one way in and one way out. Nothing
/// when durations are drawn, as then only the run itself knows them. Cost: O(stages). Source:
/// specification of schedules; standard head-body-tail bound of job-shop scheduling.
std::optional<Duration> lower_bound(const Program& program);

/// How much longer than the bound a makespan is, in percent; nothing without a bound.
std::optional<double> gap_pct(Duration makespan, std::optional<Duration> bound);

}  // namespace sluice

// Random plans, good and bad: what the balance of pipelines and stages does to throughput.
#pragma once

#include <cstdint>
#include <optional>

#include "search/hpp/planner.hpp"

namespace sluice::hpp {

/// A plan by chance: nodes to up to four pipelines, stages of some size, layers and shares of the
/// batch more or less in proportion to speed. Nothing where it cannot be, or does not fit. The same
/// number gives the same plan. Cost: O(stages x layers).
std::optional<HppPlan> random_plan(const Problem& problem, StageTimes& times, std::uint64_t number);

}  // namespace sluice::hpp

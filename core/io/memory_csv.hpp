// What each device holds at each moment of a run, as CSV.
#pragma once

#include <string>

#include "cost/costs.hpp"
#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// Header and one line a moment (metrics/memory), device by device: its id, the time from which on
/// it holds what follows, the operation that runs from then on ("" between operations), bytes by
/// part, and their sum. Times in ms, round-trip exact. Cost: O(devices * rows).
std::string memory_csv(const Program& program, const Costs& costs, const Trace& trace);

}  // namespace sluice

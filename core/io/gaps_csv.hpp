// Every gap of a run as CSV.
#pragma once

#include <string>

#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// One row a gap, in the order of their ends: rank, device, its times, what ended it, one column a
/// cause (exact; their sum is `idle_ms`), the chain of waits to its root, newest first, and what
/// could have run. Cost: O(rows + steps of all chains).
std::string gaps_csv(const Program& program, const Trace& trace);

}  // namespace sluice

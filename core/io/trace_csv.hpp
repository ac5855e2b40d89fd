// The trace as CSV: the twelve columns of HOPS first, ours behind them.
#pragma once

#include <string>

#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// Header and one line a row: computes in the order they ended, then transfers, then failures, as
/// HOPS writes them. Times in ms, round-trip exact. Cost: O(rows log rows).
std::string trace_csv(const Program& program, const Trace& trace);

}  // namespace sluice

// How much later each segment of a run could have ended without a later end of its step.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program.hpp"
#include "metrics/gaps.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// One entry a row, picoseconds: by so much it could end later, alone, if all durations and all
/// orders stayed as they were, and what decided another's start kept its distance. 0 on the
/// critical path of each step, and of outages. Without a step barrier the run's end counts. Empty
/// unless communication is asynchronous: elsewhere the order of messages makes more wait than the
/// rows say. Cost: O(rows).
std::vector<std::int64_t> slack(const Program& program, const Trace& trace, const IdleTime& idle);

}  // namespace sluice

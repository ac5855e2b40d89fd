// How stale weights and gradients are, as part of the summary.
#pragma once

#include "engine/program.hpp"
#include "io/json.hpp"

namespace sluice {

/// Of a schedule that never drains: updates between the weights of a forward and its backward
/// (drift), and between those of a backward and the version that it changes (delay), by stage.
/// Cost: O(microbatches x stages).
Json staleness_json(const Program& program);

}  // namespace sluice

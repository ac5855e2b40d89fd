// The iteration that stands for a run when one is drawn.
#pragma once

#include <vector>

#include "measure/traced_run.hpp"

namespace sluice {

/// Computation of the iteration whose span (first start to last end) is the median of all, the
/// lower one of two, the earliest of equals; times count from its first start. Empty for an empty
/// run. Cost: O(events log events).
std::vector<OpEvent> typical_step(const TracedRun& run);

}  // namespace sluice

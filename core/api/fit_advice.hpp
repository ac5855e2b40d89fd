// What would make a scenario fit into its devices' memory.
#pragma once

#include <string>

#include "api/load.hpp"

namespace sluice {

/// Larger runs are not tried out.
inline constexpr std::uint64_t kMostAdvisedOperations = 50'000;

/// Changes of one key or two, each played before it is named: another schedule, recomputation, a
/// smaller micro-batch, twice the tensor parallelism, a distributed optimizer; where none of them
/// is enough by itself, as many together as it takes. At most three, the fastest first, with what
/// the fullest device then needs and how much longer a step takes; "" where nothing fits, or the
/// run is too large. `loaded` does not fit. Cost: some ten loads and runs of one step.
std::string fit_advice(const Loaded& loaded);

}  // namespace sluice

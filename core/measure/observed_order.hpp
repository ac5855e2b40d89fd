// In which order each rank worked.
#pragma once

#include <string>
#include <vector>

#include "measure/traced_run.hpp"

namespace sluice {

struct ObservedOrder {
  /// "1f1b" or "gpipe", when every rank kept to it in most iterations; else "none". With one
  /// microbatch all orders are one, which is called 1f1b.
  std::string name;
  /// By rank: what it did in its most frequent order, "F0@0 F1@0 B0@0 ..." (kind, microbatch,
  /// stage).
  std::vector<std::string> ranks;
  /// Iterations in which some rank deviated from that.
  std::int32_t deviations = 0;
};

/// Cost: O(events log events).
ObservedOrder observed_order(const TracedRun& run);

}  // namespace sluice

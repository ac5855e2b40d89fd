// What a table of versions asks of a replay, and whether it can be replayed at all.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "metrics/versions.hpp"

namespace sluice::learn {

struct TableNeeds {
  /// By stage: how many versions are held at once while microbatches pass in order, the one being
  /// made included; at least 2.
  std::vector<std::uint32_t> depth;
  /// By stage: mean over microbatches of the updates between the version that the forward reads and
  /// the one that the gradient is applied to.
  std::vector<double> delay;
};

/// Refused (value.range, with a path such as `versions.forward[12]`, entry by entry as in the
/// table): shapes that do not agree; updates that do not begin at 0, go back or leave one out; a
/// pass that reads a version which is made only by an update that its own gradient goes into, or a
/// later one. At most one diagnostic for each of these. Cost: O(microbatches x stages).
Result<TableNeeds> table_needs(const VersionTable& table);

}  // namespace sluice::learn

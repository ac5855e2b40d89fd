// Plays one prepared scenario after another for their numbers alone: nothing is kept of a run but
// its memory, which the next one uses again.
#pragma once

#include <cstdint>
#include <vector>

#include "api/load.hpp"
#include "base/result.hpp"
#include "trace/trace.hpp"

namespace sluice {

struct PlayedRun {
  /// As kRunMetrics.
  std::vector<double> metrics;
  std::uint64_t trace_hash = 0;
};

class Player {
 public:
  /// The same numbers that `simulate` gives at this seed; the seed is all that changes in `loaded`.
  /// Diagnostics: of a run that cannot finish, without places. Cost: O(events).
  Result<PlayedRun> play(Loaded& loaded, std::uint64_t seed);

 private:
  Trace memory_;
};

/// "message [code]" of the first: what a table of runs says of one that cannot be.
std::string reason_of(const Diagnostics& diagnostics);

}  // namespace sluice

// Hosts have clocks of their own: how far apart they are, from the events themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/traced_run.hpp"

namespace sluice {

enum class ClockSource : std::uint8_t {
  /// All ranks have one clock, or nothing tells their clocks apart.
  Recorded,
  /// Updates start together behind a barrier.
  Updates,
  /// A message is not received before it was sent.
  Causality,
};

struct ClockAlignment {
  ClockSource source = ClockSource::Recorded;
  /// By rank (entry of `ranks`): ns to add to its times. The first stage's rank has 0.
  std::vector<std::int64_t> shift_ns;
  /// Largest contradiction that no constant shift resolves, ns: clocks that drift, or wrong rows.
  std::int64_t contradiction_ns = 0;
};

/// Ranks of one named host share a clock. Where every rank records updates (not in the host's time
/// alone) and these, made to start together (median over iterations), leave no message received
/// before it was sent, that is the alignment. Otherwise shifts come from the messages: between two
/// clocks each message gives a bound, and where 0 is within the bounds the clocks stay as they are,
/// else they move to the middle, as if the fastest messages of both directions took equally long.
/// Source: specification of accuracy, section 1 (updates start within 0.2 ms of each other); Mills
/// 1991 for the middle.
ClockAlignment align_clocks(const TracedRun& run);

/// The run with the shifts added, sorted again.
TracedRun with_clocks(TracedRun run, const ClockAlignment& alignment);

}  // namespace sluice

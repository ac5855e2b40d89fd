// Which recorded operation feeds which: the activations and gradients between stages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/traced_run.hpp"

namespace sluice {

/// From the end of the operation that makes it to the start of the one that needs it.
struct Message {
  std::int32_t from_stage = 0;
  std::int32_t to_stage = 0;
  /// Entries of `ranks`.
  std::size_t from_place = 0;
  std::size_t to_place = 0;
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = 0;
  /// When the receiving operation ended: it had been received by then, even where operations begin
  /// with waiting.
  std::int64_t used_ns = 0;
  /// Whether the receiving rank had nothing else to do when it was sent.
  bool awaited = false;
};

/// Between stages on different ranks: F(s) feeds F(s + 1), B or I of s + 1 feeds that of s. In the
/// order of the receiving events.
std::vector<Message> messages_of(const TracedRun& run);

}  // namespace sluice

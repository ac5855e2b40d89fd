// What became of a scenario's `expect:`, over the summary as JSON. For sources of io/ only.
#pragma once

#include <vector>

#include "base/diagnostics.hpp"
#include "io/json.hpp"
#include "model/scenario.hpp"

namespace sluice {

struct Verdict {
  /// One entry an expectation: {"path", "value" | "at_most" | "at_least", "tolerance"?, "found",
  /// "passed"}; `found` is null where the summary has no number at the path.
  Json list = Json::array();
  /// A warning for each that does not hold: expect.failed, expect.path. Not placed.
  Diagnostics unmet;
};

/// A path ends at a number or at true or false, which count as 1 and 0.
Verdict judge(const std::vector<Expectation>& expectations, const Json& summary);

}  // namespace sluice

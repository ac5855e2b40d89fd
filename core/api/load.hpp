// Scenario text -> everything that a run needs, with all diagnostics placed in the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cost/costs.hpp"
#include "cost/network.hpp"
#include "engine/program.hpp"
#include "io/overlay.hpp"
#include "io/places.hpp"
#include "model/scenario.hpp"

namespace sluice {

struct Loaded {
  /// From the comment `# title: ...`, or "".
  std::string title;
  Scenario scenario;
  Places places;
  Network network;
  Costs costs;
  Program program;
  /// Warnings and information.
  Diagnostics diagnostics;
  std::uint64_t scenario_hash = 0;
};

/// Reads, checks and compiles. Every problem that can be found is reported, sorted by place; codes
/// as in base/diagnostics. Cost: O(text + operations).
Result<Loaded> load_scenario(std::string_view text, const std::vector<Setting>& settings = {});

/// The text after `# title:` in the first lines, or "".
std::string title_of(std::string_view text);

}  // namespace sluice

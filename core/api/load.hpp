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
#include "io/reader.hpp"
#include "model/presets.hpp"
#include "model/scenario.hpp"

namespace sluice {

struct Loaded {
  /// From the comment `# title: ...`, or "".
  std::string title;
  /// With the layers of each stage in the place of a partition.
  Scenario scenario;
  Places places;
  Network network;
  Costs costs;
  Program program;
  /// Warnings and information.
  Diagnostics diagnostics;
  /// 0 where nobody asks which scenario it is (`prepare`).
  std::uint64_t scenario_hash = 0;
};

/// Reads, checks and compiles. Every problem that can be found is reported, sorted by place; codes
/// as in base/diagnostics. Cost: O(text + operations).
Result<Loaded> load_scenario(std::string_view text, const std::vector<Setting>& settings = {});

/// The same with other presets than those that are compiled in.
Result<Loaded> load_scenario(std::string_view text, const std::vector<Setting>& settings,
                             const Presets& presets);

/// The same of a scenario that is read, without title and hash.
Result<Loaded> prepare(const ReadScenario& read, const Presets& presets);

}  // namespace sluice

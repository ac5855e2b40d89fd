// One scenario under both physics, and what each option of the bundle makes of the difference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "io/overlay.hpp"

namespace sluice {

struct PhysicsStep {
  /// The option that this step switched, "" for the first; "units" for the rest of the bundle: how
  /// HOPS keys and presets are read.
  std::string option;
  /// What it was and is now.
  std::string change;
  Duration makespan;
  double throughput_per_s = 0;
  double bubble = 0;
  Bytes peak_memory;
};

/// From `physics: hops` to `physics: sluice`, one option after another, in the order of the bundle.
/// Differences between neighbours add up to the whole. Options that the scenario sets itself are
/// left alone. Diagnostics: of the scenario under some of the options.
Result<std::vector<PhysicsStep>> split_physics(std::string_view text,
                                               const std::vector<Setting>& settings);

/// {"steps": [{"option", "change", "makespan_ms", "throughput_per_s", "bubble",
/// "peak_memory_bytes"}]}
std::string physics_json(const std::vector<PhysicsStep>& steps, int indent = 2);

}  // namespace sluice

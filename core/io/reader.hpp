// YAML tree -> Scenario, by the field table; collects everything it finds wrong, with places.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "io/places.hpp"
#include "io/yaml_document.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Beyond this many problems a list of them helps nobody.
inline constexpr std::size_t kMaxDiagnostics = 100;

/// Sorts by place, drops repetitions and keeps the first kMaxDiagnostics; warnings go before an
/// error does.
void settle(Diagnostics& diagnostics);

struct ReadScenario {
  Scenario scenario;
  Places places;
  /// Warnings and information; no errors.
  Diagnostics diagnostics;
};

/// Reads and checks each value by itself (type, syntax, range, choice, unknown and missing keys).
/// What values mean together is checked later. Under `physics: hops` unknown keys are warnings.
/// Cost: O(nodes * keys of a mapping).
Result<ReadScenario> read_scenario(const YamlNode& root);

}  // namespace sluice

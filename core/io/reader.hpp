// YAML tree -> Scenario, by the field table; collects everything it finds wrong, with places.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "io/places.hpp"
#include "io/yaml_document.hpp"
#include "model/scenario.hpp"

namespace sluice {

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

// A scenario back as YAML: every value that the simulation used, and where it came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/network.hpp"
#include "io/places.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// All values in the order of the field table; reading the text gives the same scenario. With
/// `places`, values that the text did not give are marked `# default`, and each device carries the
/// figures it was simulated with.
std::string print_scenario(const Scenario& scenario);
std::string print_resolved(const Scenario& scenario, const Places& places, const Network& network);

/// Where a value came from: "written", "default", or for a device's figures "preset".
struct ValueOrigin {
  std::string path;
  std::string_view origin;
};

/// Of each value that the simulation used, in the order of the field table.
std::vector<ValueOrigin> value_origins(const Scenario& scenario, const Places& places);

}  // namespace sluice

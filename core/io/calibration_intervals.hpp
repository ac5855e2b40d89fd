// The intervals of a calibration's constants, from its preset file.
#pragma once

#include <string>
#include <vector>

#include "model/constant_interval.hpp"

namespace sluice {

/// Those under `intervals` of presets/calibration/NAME.yaml, in the order of the file; none when it
/// has none, or is no file.
std::vector<ConstantInterval> calibration_intervals(const std::string& name);

}  // namespace sluice

// A calibration as the text of a file of presets/calibration.
#pragma once

#include <string>
#include <vector>

#include "model/calibration.hpp"
#include "model/constant_interval.hpp"

namespace sluice {

/// Reading it again gives the same calibration. `comment` goes to the head, one line; of the
/// intervals those whose ends differ are written.
std::string calibration_yaml(const Calibration& calibration, const std::string& comment,
                             const std::vector<ConstantInterval>& intervals = {});

}  // namespace sluice

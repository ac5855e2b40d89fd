// Reads the preset files that are compiled into the library.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/yaml_document.hpp"
#include "model/presets.hpp"

namespace sluice {

/// Devices and interconnects of the embedded preset files, read at the first call and constant from
/// then on: every load wants them, and reading them costs more than a small scenario. The files are
/// part of the build: a mistake in one is a bug.
const Presets& load_presets();

/// One file of presets/calibration; every key that it must have is there.
Calibration read_calibration(const YamlNode& root);

/// The embedded presets as one JSON document, for the page: {"devices": [...], "interconnects":
/// [...], "models": [names]}.
std::string presets_json();

}  // namespace sluice

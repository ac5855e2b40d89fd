// How sure the figures of a run are: what their times and bytes were made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.hpp"
#include "cost/network.hpp"
#include "model/machine.hpp"
#include "model/presets.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// What a figure was made from, the least certain first: a vendor's peaks, constants fitted on runs
/// of the same device, measured points, or numbers that the scenario itself writes.
enum class Basis : std::uint8_t { DataSheet, Calibrated, Measured, Given };
std::string_view basis_text(Basis basis);

struct Certainty {
  /// Of the least certain stage.
  Basis compute = Basis::Given;
  /// Name of the calibration that stages with layers take their times from; "" without any.
  std::string calibration;
  /// Error of the iteration period for runs that the fit had not seen, mean and worst, percent:
  /// measured for this basis; nothing where it was not.
  std::optional<ErrorFigures> period;
  /// Presets of devices that hold layers and that the calibration has no runs of, each once.
  std::vector<std::string> uncalibrated;
  /// Bytes follow from layers, not from numbers that are written.
  bool memory_from_layers = false;

  bool operator==(const Certainty&) const = default;
};

Certainty certainty(const Scenario& scenario, const Network& network, const Presets& presets);

/// preset.uncertain as information at the first device of each uncalibrated preset.
Diagnostics uncertain_devices(const Scenario& scenario, const Certainty& certainty);

/// Of a link: points, a written pair, or a preset.
Basis link_basis(const Link& link);

}  // namespace sluice

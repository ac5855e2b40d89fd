#include "cost/certainty.hpp"

#include <algorithm>

namespace sluice {
std::string_view basis_text(Basis basis) {
  switch (basis) {
    case Basis::DataSheet:
      return "data_sheet";
    case Basis::Calibrated:
      return "calibrated";
    case Basis::Measured:
      return "measured";
    case Basis::Given:
      break;
  }
  return "given";
}

Certainty certainty(const Scenario& scenario, const Network& network, const Presets& presets) {
  Certainty out;
  const Calibration* calibration = presets.calibration(scenario.pipeline.calibration);
  for (const StageSpec& s : scenario.pipeline.stages) {
    if (!s.layers || !scenario.pipeline.layer_costs.empty()) {
      if (s.compute.mode == ComputeMode::Analytical) out.compute = Basis::DataSheet;
      continue;
    }
    out.memory_from_layers = true;
    const Device* device = network.find(s.device);
    if (calibration == nullptr || device == nullptr) continue;
    out.calibration = calibration->name;
    if (calibration->knows(device->preset)) {
      out.compute = std::min(out.compute, Basis::Calibrated);
      continue;
    }
    out.compute = Basis::DataSheet;
    if (std::find(out.uncalibrated.begin(), out.uncalibrated.end(), device->preset) ==
        out.uncalibrated.end())
      out.uncalibrated.push_back(device->preset);
  }
  if (!out.calibration.empty()) {
    out.period =
        out.compute == Basis::Calibrated ? calibration->error : calibration->error_otherwise;
  }
  return out;
}

Diagnostics uncertain_devices(const Scenario& scenario, const Certainty& certainty) {
  Diagnostics out;
  for (const std::string& preset : certainty.uncalibrated) {
    const auto& devices = scenario.hardware.devices;
    const auto at = std::find_if(devices.begin(), devices.end(),
                                 [&](const DeviceSpec& d) { return d.preset == preset; });
    const std::string path = "hardware.devices[" + std::to_string(at - devices.begin()) + "]." +
                             (at->device_class == DeviceClass::Gpu ? "gpu" : "cpu");
    out.push_back(info(Code::PresetUncertain, path,
                       "no run of \"" + preset + "\" is part of the calibration \"" +
                           certainty.calibration + "\": times follow from its data sheet",
                       "compare with a run of yours: sluice import, sluice calibrate"));
  }
  return out;
}

Basis link_basis(const Link& link) {
  if (!link.points.empty()) return Basis::Measured;
  return link.explicit_pair ? Basis::Given : Basis::DataSheet;
}

}  // namespace sluice

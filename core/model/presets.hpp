// Preset devices and interconnects as values; io/ reads them from presets/*.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "model/calibration.hpp"
#include "model/distribution.hpp"
#include "model/machine.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// What the HOPS simulator holds for a device, in its units.
struct HopsDevice {
  double tflops = 0;
  double memory_mb = 0;
  double memory_bandwidth_gbps = 0;
  double launch_overhead_ms = 0;
};

struct DevicePreset {
  std::string name;
  std::string title;
  DeviceClass device_class = DeviceClass::Gpu;
  /// Dense half-precision peak and fp32 peak, TFLOP/s.
  double tflops_half = 0;
  double tflops_fp32 = 0;
  double memory_GiB = 0;
  double memory_bandwidth_GBps = 0;
  /// Of its links within a node, one direction; nothing where none is known.
  std::optional<double> link_GBps;
  /// Board power, W; nothing where the vendor states none.
  std::optional<double> power_W;
  std::string source;
  /// Fields whose figure is uncertain, for a warning; "" when none.
  std::string uncertain;
  std::optional<HopsDevice> hops;
};

struct InterconnectPreset {
  std::string name;
  std::string title;
  double bandwidth_GBps = 0;
  double latency_us = 0;
  Distribution jitter;
  LocalityPenalty penalty;
  std::string source;
  /// Rate in the unit of HOPS (MiB * 8 / ms), where HOPS has the preset.
  std::optional<double> hops_gbps;
};

/// What to say of a `kind` of preset ("device") that stands at `path` and that none of `names` is:
/// reference.preset, with the nearest name or all.
Diagnostic unknown_preset(const std::string& kind, const std::string& name,
                          const std::vector<std::string>& names, const std::string& path);

struct Presets {
  std::vector<DevicePreset> devices;
  std::vector<InterconnectPreset> interconnects;
  std::vector<Calibration> calibrations;

  [[nodiscard]] const DevicePreset* device(const std::string& name) const;
  [[nodiscard]] const InterconnectPreset* interconnect(const std::string& name) const;
  [[nodiscard]] const Calibration* calibration(const std::string& name) const;
};

}  // namespace sluice

#include "model/presets.hpp"

namespace sluice {

Diagnostic unknown_preset(const std::string& kind, const std::string& name,
                          const std::vector<std::string>& names, const std::string& path) {
  const std::string near = nearest(name, names);
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  Diagnostic d = error(Code::ReferencePreset, path, "unknown " + kind + " preset \"" + name + "\"",
                       near.empty() ? "presets: " + all : "did you mean \"" + near + "\"?");
  d.fix = near;
  return d;
}

const DevicePreset* Presets::device(const std::string& name) const {
  for (const DevicePreset& d : devices) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

const InterconnectPreset* Presets::interconnect(const std::string& name) const {
  for (const InterconnectPreset& i : interconnects) {
    if (i.name == name) return &i;
  }
  return nullptr;
}

const Calibration* Presets::calibration(const std::string& name) const {
  for (const Calibration& c : calibrations) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

}  // namespace sluice

#include "model/presets.hpp"

namespace sluice {

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

}  // namespace sluice

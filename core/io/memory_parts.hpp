// The parts of a device's memory by the names that files give them.
#pragma once

#include <array>
#include <string_view>

#include "metrics/memory.hpp"

namespace sluice {

struct PartField {
  std::string_view name;
  Bytes MemoryParts::*bytes;
};

inline constexpr std::array<PartField, 9> kPartFields{{
    {"weights", &MemoryParts::weights},
    {"gradients", &MemoryParts::gradients},
    {"optimizer", &MemoryParts::optimizer},
    {"activations", &MemoryParts::activations},
    {"logits", &MemoryParts::logits},
    {"kept_for_weights", &MemoryParts::kept_for_weights},
    {"working", &MemoryParts::working},
    {"buffers", &MemoryParts::buffers},
    {"reserve", &MemoryParts::reserve},
}};

}  // namespace sluice

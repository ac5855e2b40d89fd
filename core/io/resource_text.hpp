// Devices and links by their names, for reports.
#pragma once

#include <cstdint>
#include <string>

#include "model/machine.hpp"

namespace sluice {

/// "from->to": the ids of the devices that a link of the machine joins.
std::string link_text(const Machine& machine, std::uint32_t link);

/// A device's id, or the text of a link.
std::string resource_text(const Machine& machine, std::uint32_t devices, std::uint32_t resource);

}  // namespace sluice

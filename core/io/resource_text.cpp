#include "io/resource_text.hpp"

namespace sluice {

std::string link_text(const Machine& machine, std::uint32_t link) {
  const Link& l = machine.links[link];
  return machine.device(l.from).id + "->" + machine.device(l.to).id;
}

std::string resource_text(const Machine& machine, std::uint32_t devices, std::uint32_t resource) {
  return resource < devices ? machine.devices[resource].id : link_text(machine, resource - devices);
}

}  // namespace sluice

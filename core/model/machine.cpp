#include "model/machine.hpp"

namespace sluice {

Locality locality(const Device& a, const Device& b) {
  if (a.id == b.id) return Locality::SameDevice;
  if (a.node != b.node) return Locality::CrossNode;
  return a.socket == b.socket ? Locality::SameSocket : Locality::SameNode;
}

}  // namespace sluice

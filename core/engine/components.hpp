// What fails by itself and by which law, found once: the parts that `failure.sources` names, each
// with its own clock. The engine and campaigns over many steps draw the same lives from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "model/machine.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Fails and is repaired as one.
struct FailureComponent {
  /// "device g1", "node n0", "switch s0", "link g0-g1".
  std::string name;
  /// Hash of the name: key of its draws.
  std::uint64_t key = 0;
  /// Weibull: a life is scale (-ln u)^(1/shape). Scale 0: `at_ps` says when.
  double scale_ms = 0;
  double shape = 1;
  /// Mean of a life; 0 when the times are given.
  double mtbf_ms = 0;
  /// Ascending.
  std::vector<std::int64_t> at_ps;
  std::int64_t repair_ps = 0;
  std::vector<std::uint32_t> devices;
  std::vector<std::uint32_t> links;
};

/// The `number`-th life of a component, ms: from its repair (at first from 0) to its next failure.
/// Pure, so that another component more changes nobody's lives.
double life_ms(const FailureComponent& component, std::uint64_t seed, std::uint32_t number);

/// All components, in the order of the sources and of the parts within one. `links` are those that
/// the run uses. Problems: reference.device, reference.node, link.missing, key.conflict (a part in
/// two sources).
std::vector<FailureComponent> components_of(const Scenario& scenario, const Machine& machine,
                                            Diagnostics& problems);

/// Devices, or links, that `parts` means; ids that mean nothing are problems at `path`.
std::vector<std::uint32_t> devices_meant(const Parts& parts, const Machine& machine,
                                         const std::string& path, Diagnostics& problems);
std::vector<std::uint32_t> links_meant(const Parts& parts, const Machine& machine,
                                       const std::string& path, Diagnostics& problems);

}  // namespace sluice

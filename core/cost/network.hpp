// The machine a scenario describes: its devices, and the link between any two of them.
// Links are made on demand: of 512 devices' 261,632 directed pairs a run uses a few hundred.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/machine.hpp"
#include "model/presets.hpp"
#include "model/scenario.hpp"

namespace sluice {

class Network {
 public:
  /// Looks up presets and applies overrides. Collects all problems.
  /// Diagnostics: id.duplicate, id.collision, reference.preset, preset.kind, reference.device,
  /// link.self, key.conflict, limit.time; warnings unit.ambiguous, device.peak.
  static Result<Network> build(const Scenario& scenario, const Presets& presets);

  [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
  [[nodiscard]] const Diagnostics& warnings() const { return warnings_; }
  /// The device of that id; index of its entry in `hardware.devices`.
  [[nodiscard]] const Device* find(const std::string& id) const;
  /// What to say of a device id that stands at `path` and that no device has: reference.device,
  /// with the nearest id.
  [[nodiscard]] Diagnostic unknown_device(const std::string& id, const std::string& path) const;
  [[nodiscard]] DeviceId id_of(const std::string& id) const;
  /// What distance costs; identity when `options.locality_penalty` is off.
  [[nodiscard]] const LocalityPenalty& penalty(Locality locality) const {
    return penalties_[static_cast<std::size_t>(locality)];
  }

  /// The directed link from one device to another (not to itself).
  /// Diagnostics: link.missing when neither an entry nor an interconnect preset covers the pair.
  [[nodiscard]] Result<Link> link(DeviceId from, DeviceId to) const;
  /// Bandwidth and latency of the interconnect preset for devices so near each other, if one is
  /// named.
  struct Reach {
    BytesPerSecond bandwidth;
    Duration latency;
  };
  [[nodiscard]] std::optional<Reach> reach(Locality locality) const;
  /// The same of the entry for every pair, if there is one.
  [[nodiscard]] std::optional<Reach> default_reach() const;
  /// All pairs that the scenario names one by one, in the order of the file.
  [[nodiscard]] const std::vector<std::pair<DeviceId, DeviceId>>& explicit_pairs() const {
    return explicit_order_;
  }

 private:
  struct Figures {
    BytesPerSecond bandwidth;
    Duration latency;
    Distribution jitter;
    std::vector<LinkPoint> points;
  };
  class Builder;

  std::vector<Device> devices_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
  std::vector<LocalityPenalty> penalties_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Figures> explicit_;
  std::vector<std::pair<DeviceId, DeviceId>> explicit_order_;
  std::optional<Figures> default_;
  /// Of SameSocket, SameNode, CrossNode.
  std::vector<std::optional<Figures>> by_locality_;
  Diagnostics warnings_;
};

}  // namespace sluice

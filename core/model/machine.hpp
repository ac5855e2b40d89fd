// The hardware as it is simulated: every preset looked up, every figure in SI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/units.hpp"
#include "model/distribution.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// How near two devices are to each other.
enum class Locality : std::uint8_t { SameDevice, SameSocket, SameNode, CrossNode };

/// What distance costs: factors on compute time, memory bandwidth and transfer time, and a latency
/// on memory.
struct LocalityPenalty {
  double compute_scale = 1;
  double memory_bandwidth_scale = 1;
  double memory_latency_us = 0;
  double transfer_scale = 1;

  bool operator==(const LocalityPenalty&) const = default;
};

struct Device {
  std::string id;
  std::string preset;
  std::string node;
  std::string socket;
  /// Peak for the precision of the run.
  FlopsPerSecond peak;
  BytesPerSecond memory_bandwidth;
  Bytes memory_capacity;
  Duration launch;
  /// Of its links to those that divide its layers with it; nothing when not written.
  std::optional<BytesPerSecond> link_bandwidth;
  Duration link_latency;
  /// W while it computes and while it waits; nothing when unknown.
  std::optional<double> power;
  std::optional<double> idle_power;
  std::optional<double> price_per_hour;
  /// Key of the device's random draws.
  std::uint64_t key = 0;

  bool operator==(const Device&) const = default;
};

/// One directed link between two devices. Transfers on it take latency + bytes/bandwidth + a sample
/// of jitter.
struct Link {
  DeviceId from;
  DeviceId to;
  BytesPerSecond bandwidth;
  Duration latency;
  /// Measured, ascending by size; where there are any, they stand for bandwidth and latency.
  std::vector<LinkPoint> points;
  Distribution jitter;
  /// Factor on a jitter sample (the locality penalty; 1 without).
  double jitter_scale = 1;
  /// Written as an override of its pair, not taken from a preset: decides which links can fail
  /// under the HOPS rules.
  bool explicit_pair = false;
  std::uint64_t key = 0;

  bool operator==(const Link&) const = default;

  /// Time that so many bytes take on the wire, ms: through the measured points and the origin,
  /// beyond them with their last slope; without points bytes over bandwidth.
  [[nodiscard]] double wire_ms(double bytes) const;
  /// Time for which a sender is held that may leave `buffer` bytes behind, ms.
  [[nodiscard]] double held_ms(double bytes, double buffer) const;
};

/// Devices in the order of the file, and those directed links that the run can use.
struct Machine {
  std::vector<Device> devices;
  std::vector<Link> links;
  /// Penalty of each Locality, in the order of its enumerators.
  std::vector<LocalityPenalty> penalties;
  std::optional<double> price_per_kWh;

  bool operator==(const Machine&) const = default;

  [[nodiscard]] const Device& device(DeviceId id) const { return devices[id.index()]; }
  [[nodiscard]] const Link& link(LinkId id) const { return links[id.index()]; }
};

/// Locality of two devices by their ids, nodes and sockets.
Locality locality(const Device& a, const Device& b);

}  // namespace sluice

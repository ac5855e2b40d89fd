// What a run costs: energy, and money by the prices that the scenario gives.
#pragma once

#include <optional>

#include "metrics/summary.hpp"

namespace sluice {

/// Of all devices that hold stages, of all replicas, over the whole trace: the optimizer and the
/// wait for it are part of what tokens cost. A figure is missing where a device's power, every
/// price, or the sequence length is.
struct Economy {
  /// W, mean over the run.
  std::optional<double> power;
  /// J a token.
  std::optional<double> energy_per_token;
  /// By the devices' own prices and, where it has one, that of electricity; a device without a
  /// price is free.
  std::optional<double> price_per_hour;
  std::optional<double> price_per_million_tokens;
};

/// A device draws `power` while it computes and `idle_power` the rest of the trace. Cost: O(devices
/// that hold stages).
Economy economy(const Program& program, const Costs& costs, const Summary& summary);

}  // namespace sluice

#include "metrics/economy.hpp"

#include <cstddef>
#include <cstdint>

namespace sluice {
namespace {

constexpr double kWattsPerKilowatt = 1e3;
constexpr double kMsPerHour = 3.6e6;
constexpr double kMsPerSecond = 1e3;
constexpr double kMillion = 1e6;

// Of one replica.
struct Sums {
  std::optional<double> power = 0.0;
  double price_per_hour = 0;
  bool priced = false;
};

Sums add_devices(const Program& program, const Costs& costs, const Summary& summary) {
  Sums sums;
  for (std::size_t i = 0; i < program.stage_devices.size(); ++i) {
    const std::uint32_t d = program.stage_devices[i];
    const Device& device = program.machine.devices[d];
    const double cards = costs.stages[program.first_stage[i]].devices;
    const double busy = summary.device_utilization[d];
    if (device.power && device.idle_power && sums.power) {
      *sums.power += cards * (busy * *device.power + (1 - busy) * *device.idle_power);
    } else {
      sums.power.reset();
    }
    if (device.price_per_hour) {
      sums.priced = true;
      sums.price_per_hour += cards * *device.price_per_hour;
    }
  }
  return sums;
}

}  // namespace

Economy economy(const Program& program, const Costs& costs, const Summary& summary) {
  Economy out;
  Sums sums = add_devices(program, costs, summary);
  const auto replicas = static_cast<double>(summary.replicas);
  if (sums.power) out.power = *sums.power * replicas;
  const std::optional<double>& per_kWh = program.machine.price_per_kWh;
  const bool electricity = per_kWh && out.power;
  if (sums.priced || electricity) {
    out.price_per_hour = sums.price_per_hour * replicas +
                         (electricity ? *out.power / kWattsPerKilowatt * *per_kWh : 0.0);
  }
  if (!summary.seq_len || summary.completed_microbatches == 0) return out;
  const double tokens = static_cast<double>(summary.completed_microbatches) *
                        summary.micro_batch_size * static_cast<double>(*summary.seq_len) * replicas;
  const double ms = to_ms(summary.trace_duration);
  if (out.power) out.energy_per_token = *out.power * ms / kMsPerSecond / tokens;
  if (out.price_per_hour)
    out.price_per_million_tokens = *out.price_per_hour * (ms / kMsPerHour) / tokens * kMillion;
  return out;
}

}  // namespace sluice

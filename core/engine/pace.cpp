#include "engine/pace.hpp"

#include <algorithm>
#include <cmath>

#include "base/det_math.hpp"
#include "base/rng.hpp"
#include "engine/components.hpp"
#include "engine/program.hpp"

namespace sluice {
namespace {

constexpr double kPsOfMs = static_cast<double>(kPsPerMs);
/// A drift is a staircase of so many equal steps.
constexpr int kStairs = 64;

// Factor of the drift from `at` on, and how long it stays so.
double drift_at(const Drift& drift, double at, double& lasts) {
  const double stair = drift.over_ms * kPsOfMs / kStairs;
  const double step = std::floor(at / stair);
  if (step >= kStairs) return drift.to;
  lasts = std::min(lasts, (step + 1) * stair - at);
  // Halfway up each stair, so that the mean is that of the straight line.
  return 1 + (drift.to - 1) * (step + 0.5) / kStairs;
}

double interference_at(const Interference& i, double at, double& lasts) {
  const double offset = i.offset_ms * kPsOfMs;
  if (at < offset) {
    lasts = std::min(lasts, offset - at);
    return 1;
  }
  const double period = i.every_ms * kPsOfMs;
  const double slow = std::min(i.for_ms, i.every_ms) * kPsOfMs;
  const double within = at - offset - std::floor((at - offset) / period) * period;
  lasts = std::min(lasts, (within < slow ? slow : period) - within);
  return within < slow ? i.factor : 1;
}

// Work that one whole period does, while nothing but the interference changes.
double work_of_period(const Interference& i, double other) {
  const double slow = std::min(i.for_ms, i.every_ms) * kPsOfMs;
  return (slow / i.factor + (i.every_ms * kPsOfMs - slow)) / other;
}

std::int64_t stretched(std::int64_t ps, double factor) {
  return time_from_ms(to_ms(Time{ps}) * factor).value_or(kMaxRunTime).ps;
}

}  // namespace

std::int64_t paced(const Pace& pace, std::int64_t start_ps, std::int64_t length_ps,
                   const DrawKey& draw_key) {
  auto left = static_cast<double>(length_ps);
  if (pace.tail) {
    const PhiloxBlock bits = draw(draw_key);
    if (uniform01(bits[0], bits[1]) < pace.tail->probability)
      left *= det::pow(1 - uniform01(bits[2], bits[3]), -1 / pace.tail->alpha);
  }
  const auto start = static_cast<double>(start_ps);
  const auto most = static_cast<double>(kMaxRunTime.ps);
  double at = start;
  while (left > 0 && at < most) {
    double lasts = most;
    const double drift = pace.drift ? drift_at(*pace.drift, at, lasts) : 1;
    if (pace.interference && lasts == most && at >= pace.interference->offset_ms * kPsOfMs) {
      const double work = work_of_period(*pace.interference, drift);
      const double periods = std::floor(left / work);
      at += periods * pace.interference->every_ms * kPsOfMs;
      left -= periods * work;
    }
    const double factor =
        drift * (pace.interference ? interference_at(*pace.interference, at, lasts) : 1);
    // What is left of a stair or period may be less than what its sum can tell apart.
    lasts = std::max(lasts, 1.0);
    const double needed = left * factor;
    if (needed <= lasts) {
      at += needed;
      break;
    }
    at += lasts;
    left -= lasts / factor;
  }
  return static_cast<std::int64_t>(std::min(at, most) - start + 0.5);
}

Paces paces_of(const Scenario& scenario, const Machine& machine, Diagnostics& problems) {
  Paces out;
  out.devices.resize(machine.devices.size());
  out.links.resize(machine.links.size());
  for (std::size_t i = 0; i < scenario.stragglers.size(); ++i) {
    const Straggler& s = scenario.stragglers[i];
    const std::string path = "stragglers[" + std::to_string(i) + "]";
    const auto put = [&](Pace& pace, std::uint64_t key) {
      const PhiloxBlock bits = draw({.seed = scenario.simulation.seed,
                                     .purpose = Purpose::Pace,
                                     .entity = key,
                                     .microbatch = static_cast<std::uint32_t>(i),
                                     .number = UINT32_MAX});
      pace.factor *= s.factor_low + (s.factor_high - s.factor_low) * uniform01(bits[0], bits[1]);
      const bool twice =
          (s.drift && pace.drift) || (s.interference && pace.interference) || (s.tail && pace.tail);
      if (twice)
        problems.push_back(error(Code::KeyConflict, path,
                                 "a part of it has a drift, interference or tail already",
                                 "one of each kind for a part"));
      if (s.drift) pace.drift = s.drift;
      if (s.interference) pace.interference = s.interference;
      if (s.tail) pace.tail = s.tail;
    };
    for (const std::uint32_t d : devices_meant(s.parts, machine, path, problems))
      put(out.devices[d], machine.devices[d].key);
    for (const std::uint32_t l : links_meant(s.parts, machine, path, problems))
      put(out.links[l], machine.links[l].key);
  }
  return out;
}

void slow_down(Program& program, const Paces& paces) {
  for (std::size_t s = 0; s < program.forward_hop.size(); ++s) {
    if (!program.plan.placement.has(s)) continue;
    const Pace& pace =
        paces.devices[program.device_of_rank[program.plan.placement.rank_of_stage[s]]];
    for (std::size_t k = 0; k < kTimedKinds; ++k) {
      OpTime& time = program.times[s * kTimedKinds + k];
      if (time.sum) continue;
      time.noisy |= pace.varies();
      if (pace.factor == 1) continue;
      const std::int64_t given = time.fixed_ps;
      time.model.offset_ms *= pace.factor;
      time.model.scale *= pace.factor;
      time.fixed_ps = time_from_ms(time.model.typical_ms()).value_or(kMaxRunTime).ps;
      time.slow_ps = time.fixed_ps - given;
    }
    for (Hop* hop : {&program.forward_hop[s], &program.backward_hop[s]}) {
      if (hop->link == kNoLink) continue;
      const Pace& wire = paces.links[hop->link];
      hop->varies = wire.varies();
      if (wire.factor == 1) continue;
      hop->wire_ps = stretched(hop->wire_ps, wire.factor);
      hop->held_ps = stretched(hop->held_ps, wire.factor);
    }
  }
  for (CollectiveHop& hop : program.collective)
    hop.wire_ps = stretched(hop.wire_ps, paces.links[hop.link].factor);
  program.paces = paces;
}

}  // namespace sluice

// Tables of versions by the formulas of the schedules they stand for, and arms to replay them with.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "learn/training.hpp"

namespace sluice_test {

using VersionOf = std::function<std::uint32_t(std::uint32_t microbatch, std::uint32_t stage)>;

/// `per_update` microbatches go into each update.
inline sluice::VersionTable table(std::uint32_t stages, std::uint32_t microbatches,
                                  std::uint32_t per_update, const VersionOf& forward,
                                  const VersionOf& backward) {
  sluice::VersionTable out;
  out.stages = stages;
  out.microbatches = microbatches;
  for (std::uint32_t i = 0; i < microbatches; ++i) {
    for (std::uint32_t s = 0; s < stages; ++s) {
      out.forward.push_back(forward(i, s));
      out.backward.push_back(backward(i, s));
      out.update.push_back(i / per_update);
    }
  }
  return out;
}

/// GPipe, 1F1B, zero bubble: nothing is ever behind.
inline sluice::VersionTable sync(std::uint32_t stages, std::uint32_t microbatches,
                                 std::uint32_t k) {
  const auto now = [k](std::uint32_t i, std::uint32_t) { return i / k; };
  return table(stages, microbatches, k, now, now);
}

/// Forwards run ahead of backwards as far as there are stages behind. Source: paci.md, section 3.
inline sluice::VersionTable paci(std::uint32_t stages, std::uint32_t microbatches,
                                 std::uint32_t k) {
  return table(
      stages, microbatches, k,
      [=](std::uint32_t i, std::uint32_t s) {
        const std::uint32_t ahead = stages - 1 - s;
        return i < ahead ? 0 : (i - ahead) / k;
      },
      [k](std::uint32_t i, std::uint32_t) { return i / k; });
}

inline sluice::VersionTable pipedream(std::uint32_t stages, std::uint32_t microbatches,
                                      bool stash) {
  sluice::VersionTable out = paci(stages, microbatches, 1);
  if (stash) out.backward = out.forward;
  return out;
}

/// Every pass one update late. Source: convergence.md, section 2.
inline sluice::VersionTable two_buffers(std::uint32_t stages, std::uint32_t microbatches,
                                        std::uint32_t k) {
  const auto late = [k](std::uint32_t i, std::uint32_t) { return i < k ? 0 : i / k - 1; };
  return table(stages, microbatches, k, late, late);
}

/// `rounds` of as many microbatches as stages; those of a first round are the first of each
/// pipeline, then the second. Source: amdp.md, section 4.
inline sluice::VersionTable amdp(std::uint32_t stages, std::uint32_t microbatches,
                                 std::uint32_t rounds) {
  const std::uint32_t k = stages * rounds;
  const auto late = [k](std::uint32_t i) { return i < k ? 0 : i / k - 1; };
  const auto in_first_round = [=](std::uint32_t i) { return i % k < stages; };
  const auto second = [=](std::uint32_t i) { return i % stages >= stages / 2; };
  return table(
      stages, microbatches, k,
      [=](std::uint32_t i, std::uint32_t s) {
        const bool after_update = stages == 4 && s == 3 && second(i);
        return in_first_round(i) && !after_update ? late(i) : i / k;
      },
      [=](std::uint32_t i, std::uint32_t s) {
        const bool before_update = s + 1 == stages && !second(i);
        return in_first_round(i) && before_update ? late(i) : i / k;
      });
}

/// The residual network, momentum SGD.
inline sluice::learn::ArmSpec mlp_arm(sluice::VersionTable versions, double rate,
                                      std::uint64_t seed) {
  sluice::learn::ArmSpec arm;
  arm.model = sluice::learn::char_mlp_model(versions.stages);
  arm.optimizer.rate = rate;
  arm.seed = seed;
  arm.table = std::move(versions);
  arm.test_every = arm.table.microbatches;
  return arm;
}

/// A curvature that plain SGD goes down.
inline sluice::learn::ArmSpec quadratic_arm(sluice::VersionTable versions, double curvature,
                                            double rate) {
  sluice::learn::ArmSpec arm;
  arm.model = sluice::learn::quadratic_model(curvature);
  arm.optimizer.kind = sluice::learn::OptimizerKind::Sgd;
  arm.optimizer.rate = rate;
  arm.table = std::move(versions);
  arm.test_every = arm.table.microbatches;
  return arm;
}

inline sluice::learn::Training started(sluice::learn::ArmSpec arm) {
  auto training = sluice::learn::Training::start(std::move(arm));
  REQUIRE(training.ok());
  return std::move(training).value();
}

inline sluice::learn::Training trained(sluice::learn::ArmSpec arm) {
  sluice::learn::Training training = started(std::move(arm));
  training.step(training.total());
  return training;
}

}  // namespace sluice_test

// A random duration as the user wrote it, and how to sample it.
// Who draws, and under which key, is the caller's business.
#pragma once

#include <cstdint>

#include "base/rng.hpp"

namespace sluice {

enum class DistributionKind : std::uint8_t { Constant, Normal, HeavyTailed, Poisson };

/// A distribution over milliseconds. Samples are never negative.
struct Distribution {
  DistributionKind kind = DistributionKind::Constant;
  /// constant: value; normal: mean; heavy_tailed: base (the minimum); poisson: lam (the mean). In
  /// ms.
  double a = 0;
  /// normal: std in ms, >= 0; heavy_tailed: alpha > 0; otherwise unused.
  double b = 0;

  bool operator==(const Distribution&) const = default;
  /// Whether every sample is the same number.
  [[nodiscard]] bool fixed() const;
};

/// One sample in ms, >= 0, a pure function of the key.
/// constant: max(0, value). normal: max(0, N(mean, std)), Box-Muller. heavy_tailed: base
/// (1-u)^(-1/alpha), a Pareto with minimum base. poisson: inversion from the mode outwards,
/// O(sqrt(lam)) steps. Source: the forms of the HOPS scenario file.
double sample(const Distribution& distribution, const DrawKey& key);

/// Expected value of a sample in ms (of the clipped normal too); +infinity for heavy_tailed with
/// alpha <= 1.
double mean(const Distribution& distribution);

/// What a planner may take a sample to be: the mean, or where that is infinite the median.
double typical(const Distribution& distribution);

}  // namespace sluice

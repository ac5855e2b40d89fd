#include "model/distribution.hpp"

#include <cmath>
#include <limits>

#include "base/det_math.hpp"

namespace sluice {
namespace {

constexpr double kTwoPi = 6.283185307179586;

double sample_poisson(double lam, double u) {
  // Start at the mode, where the mass is, and take masses alternately below and above until u is
  // used up.
  const double mode = std::floor(lam);
  double mass_above = det::exp(mode * det::log(lam) - lam - det::log_factorial(mode));
  double mass_below = mass_above;
  double above = mode;
  double below = mode;
  if (u < mass_above) return mode;
  u -= mass_above;
  for (;;) {
    above += 1;
    mass_above *= lam / above;
    if (u < mass_above) return above;
    u -= mass_above;
    if (below > 0) {
      mass_below *= below / lam;
      below -= 1;
      if (u < mass_below) return below;
      u -= mass_below;
    }
    // Rounding may leave a sliver of u when both masses have died out.
    if (mass_above < 1e-300 && (below <= 0 || mass_below < 1e-300)) return above;
  }
}

}  // namespace

bool Distribution::fixed() const {
  switch (kind) {
    case DistributionKind::Constant:
      return true;
    case DistributionKind::Normal:
      return b == 0;
    case DistributionKind::HeavyTailed:
    case DistributionKind::Poisson:
      return a == 0;
  }
  return true;
}

double sample(const Distribution& distribution, const DrawKey& key) {
  if (distribution.fixed()) return std::fmax(0.0, distribution.a);
  const PhiloxBlock bits = draw(key);
  const double u = uniform01(bits[0], bits[1]);
  switch (distribution.kind) {
    case DistributionKind::Constant:
      break;
    case DistributionKind::Normal: {
      const double v = uniform01(bits[2], bits[3]);
      const double z = std::sqrt(-2.0 * det::log(1.0 - u)) * det::cos_2pi(v);
      return std::fmax(0.0, distribution.a + distribution.b * z);
    }
    case DistributionKind::HeavyTailed:
      return distribution.a * det::exp(-det::log(1.0 - u) / distribution.b);
    case DistributionKind::Poisson:
      return sample_poisson(distribution.a, u);
  }
  return std::fmax(0.0, distribution.a);
}

namespace {

// Upper tail of the standard normal, by Simpson's rule on the density over [x, 40]: used for
// display and for the costs that schedulers see, never in the event loop, so plainness beats speed.
double normal_tail(double x) {
  if (x < 0) return 1.0 - normal_tail(-x);
  if (x > 38) return 0;
  constexpr int kSteps = 2000;
  const double end = x + 12;
  const double h = (end - x) / kSteps;
  const auto density = [](double t) { return det::exp(-0.5 * t * t) / std::sqrt(kTwoPi); };
  double total = density(x) + density(end);
  for (int i = 1; i < kSteps; ++i) total += density(x + h * i) * (i % 2 == 1 ? 4.0 : 2.0);
  return total * h / 3.0;
}

}  // namespace

double mean(const Distribution& distribution) {
  if (distribution.fixed()) return std::fmax(0.0, distribution.a);
  switch (distribution.kind) {
    case DistributionKind::Constant:
    case DistributionKind::Poisson:
      return distribution.a;
    case DistributionKind::Normal: {
      // E max(0, N(m, s)) = m P(Z > -m/s) + s phi(m/s).
      const double r = distribution.a / distribution.b;
      const double phi = det::exp(-0.5 * r * r) / std::sqrt(kTwoPi);
      return distribution.a * normal_tail(-r) + distribution.b * phi;
    }
    case DistributionKind::HeavyTailed:
      if (distribution.b <= 1) return std::numeric_limits<double>::infinity();
      return distribution.a * distribution.b / (distribution.b - 1);
  }
  return distribution.a;
}

double typical(const Distribution& distribution) {
  if (distribution.kind == DistributionKind::HeavyTailed && distribution.b <= 1) {
    return distribution.a * det::pow(2.0, 1.0 / distribution.b);
  }
  return mean(distribution);
}

}  // namespace sluice

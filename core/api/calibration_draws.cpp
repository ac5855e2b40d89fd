#include "api/calibration_draws.hpp"

#include <algorithm>
#include <cmath>

#include "base/det_math.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"

namespace sluice {

double constant_deviate(std::uint64_t seed, const std::string& constant, std::uint32_t run) {
  const PhiloxBlock bits = draw({.seed = seed,
                                 .purpose = Purpose::Calibration,
                                 .entity = hash_text(constant),
                                 .microbatch = run,
                                 .number = 0});
  // Box and Muller.
  return std::sqrt(-2 * det::log(1 - uniform01(bits[0], bits[1]))) *
         det::cos_2pi(uniform01(bits[2], bits[3]));
}

double drawn_constant(double fitted, const ConstantInterval& interval, double z) {
  // The normal's 95 % quantile.
  constexpr double kEnd = 1.6448536269514722;
  const double side = z < 0 ? fitted - interval.low : interval.high - fitted;
  return std::max(interval.low / 2, fitted + std::max(0.0, side) * z / kEnd);
}

Calibration drawn_calibration(const Calibration& fitted,
                              const std::vector<ConstantInterval>& intervals, std::uint64_t seed,
                              std::uint32_t run) {
  Calibration out = fitted;
  for (const NamedValue& value : named_values(out)) {
    for (const ConstantInterval& interval : intervals) {
      if (interval.name != value.name || !(interval.low < interval.high)) continue;
      *value.value =
          drawn_constant(*value.value, interval, constant_deviate(seed, value.name, run));
    }
  }
  return out;
}

}  // namespace sluice

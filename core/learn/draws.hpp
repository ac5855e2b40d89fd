// Random numbers of the lab, each a pure function of the seed and of what it is for.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/det_math.hpp"
#include "base/rng.hpp"

namespace sluice::learn {

/// Key of the lab's draw `number` of `entity`, at `index`.
constexpr DrawKey learning_draw(std::uint64_t seed, std::uint64_t entity, std::uint32_t index,
                                std::uint32_t number) {
  return {.seed = seed,
          .purpose = Purpose::Learning,
          .entity = entity,
          .microbatch = index,
          .number = number};
}

/// Uniform in [0, 1).
inline double uniform(const DrawKey& key) {
  const PhiloxBlock bits = draw(key);
  return uniform01(bits[0], bits[1]);
}

/// Standard normal. Source: Box and Muller 1958.
inline double normal(const DrawKey& key) {
  const PhiloxBlock bits = draw(key);
  const double radius = std::sqrt(-2.0 * det::log(1.0 - uniform01(bits[0], bits[1])));
  return radius * det::cos_2pi(uniform01(bits[2], bits[3]));
}

}  // namespace sluice::learn

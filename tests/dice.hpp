// Whole numbers that look random and are the same everywhere, for suites that make up scenarios.
#pragma once

#include <cstdint>

#include "base/hash.hpp"

namespace sluice_test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  /// From `low` to `high`, both included.
  int roll(int low, int high) {
    const auto span = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<int>(sluice::mix64(++seed_) % span);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace sluice_test

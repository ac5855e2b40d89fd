// What no plan of an instance can beat.
#pragma once

#include <cstdint>

#include "search/instance.hpp"

namespace sluice {

/// No plan of the instance's layers is faster, ps of one step.
struct InstanceBounds {
  /// All work spread evenly over ranks by their speed.
  std::int64_t work = 0;
  /// One microbatch's way through all layers.
  std::int64_t chain = 0;
  /// Layers are not divided: of k ranks + 1 layers some rank has k + 1, and no less than the
  /// shortest so many of them, for every k. Of plans that hold each layer once; a schedule with two
  /// copies may be faster. Where layers do not move, the most that one rank has to do. Where a
  /// stage takes less than its layers one by one, of the longest alone.
  std::int64_t layers = 0;
};
InstanceBounds bounds_of(const Instance& instance);

}  // namespace sluice

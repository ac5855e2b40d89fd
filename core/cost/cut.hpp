// The exact cut of a chain of layers into stages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

/// Layers of each stage, so that the longest stage is as short as possible; among equals earlier
/// stages get more. `time(stage, first layer, layers)` is `never` where a stage cannot be so. Empty
/// where no cut can be. Cost: O(stages x layers^2) calls.
template <class Value, class Time>
std::vector<std::int32_t> exact_cut(std::size_t stages, std::size_t layers, Value never,
                                    const Time& time) {
  const std::size_t row = layers + 1;
  std::vector<Value> best((stages + 1) * row, never);
  std::vector<std::int32_t> taken(best.size(), 0);
  best[0] = {};
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t all = 0; all <= layers; ++all) {
      for (std::size_t own = 0; own <= all; ++own) {
        const Value before = best[s * row + all - own];
        Value& known = best[(s + 1) * row + all];
        // No stage makes the longest of those before it shorter.
        if (before >= known) continue;
        const Value most = std::max(before, time(s, all - own, own));
        if (most >= known) continue;
        known = most;
        taken[(s + 1) * row + all] = static_cast<std::int32_t>(own);
      }
    }
  }
  if (best.back() == never) return {};
  std::vector<std::int32_t> out(stages);
  std::size_t left = layers;
  for (std::size_t s = stages; s > 0; --s) {
    out[s - 1] = taken[s * row + left];
    left -= static_cast<std::size_t>(out[s - 1]);
  }
  return out;
}

}  // namespace sluice

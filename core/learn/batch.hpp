// The samples of one microbatch, as its model wants them.
#pragma once

#include <cstdint>
#include <vector>

namespace sluice::learn {

template <class T>
struct Batch {
  std::uint32_t samples = 0;
  /// Character models: what is read, and what should be said.
  std::vector<std::uint8_t> tokens;
  std::vector<std::uint8_t> targets;
  /// Linear models: samples x width each.
  std::vector<T> inputs;
  std::vector<T> wanted;
};

}  // namespace sluice::learn

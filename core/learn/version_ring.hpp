// The last versions of one stage's weights, the newest last. Room for all is set aside at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.hpp"

namespace sluice::learn {

class VersionRing {
 public:
  /// `depth` versions of `size` values, at least 2; version 0 is there and zero.
  VersionRing(std::uint32_t depth, std::size_t size)
      : depth_(depth), size_(size), values_(depth * size) {}

  [[nodiscard]] std::uint32_t newest() const { return newest_; }
  /// Values of `version`, one of the last depth - 1 (or depth, until `next` is written to).
  [[nodiscard]] const float* at(std::uint32_t version) const {
    SLUICE_CHECK(version <= newest_ && newest_ - version < depth_);
    return values_.data() + version % depth_ * size_;
  }
  float* first() { return values_.data(); }
  /// Where the version after the newest is written, in place of the oldest; `push` makes it count.
  float* next() { return values_.data() + (newest_ + 1) % depth_ * size_; }
  void push() { ++newest_; }

 private:
  std::uint32_t depth_;
  std::size_t size_;
  std::uint32_t newest_ = 0;
  std::vector<float> values_;
};

}  // namespace sluice::learn

// Room for what a pass needs while it runs, set aside once: a pass takes from the start again.
#pragma once

#include <cstddef>
#include <vector>

#include "base/check.hpp"

namespace sluice::learn {

template <class T>
class Workspace {
 public:
  explicit Workspace(std::size_t values) : values_(values) {}

  void clear() { used_ = 0; }
  /// Room for `count` values, not cleared; valid until `clear`.
  T* take(std::size_t count) {
    SLUICE_CHECK(count <= values_.size() - used_);
    T* room = values_.data() + used_;
    used_ += count;
    return room;
  }

 private:
  std::vector<T> values_;
  std::size_t used_ = 0;
};

/// Walks along what a forward keeps for its backward, part after part.
template <class T>
class Parts {
 public:
  explicit Parts(T* begin) : next_(begin) {}
  T* take(std::size_t count) {
    T* part = next_;
    next_ += count;
    return part;
  }

 private:
  T* next_;
};

}  // namespace sluice::learn

// Sorting by index: one merge sort for everything that is sorted once a run. std::stable_sort is
// some kilobytes of the module for each type and order it is used with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice {

/// Whether the `a`-th of something comes before its `b`-th: a strict weak order. Refers to a
/// function object, which must outlive it.
class IndexLess {
 public:
  template <class Less>
  IndexLess(const Less& less)
      : object_(&less), call_([](const void* object, std::uint32_t a, std::uint32_t b) {
          return static_cast<bool>((*static_cast<const Less*>(object))(a, b));
        }) {}

  bool operator()(std::uint32_t a, std::uint32_t b) const { return call_(object_, a, b); }

 private:
  const void* object_;
  bool (*call_)(const void*, std::uint32_t, std::uint32_t);
};

/// 0 … count - 1 in that order, equal ones ascending. Cost: O(count log count).
std::vector<std::uint32_t> stable_order(std::size_t count, const IndexLess& less);

/// Sorts by `before`, which compares two items.
template <class T, class Before>
void sort_stably(std::vector<T>& items, const Before& before) {
  const auto by_index = [&](std::uint32_t a, std::uint32_t b) {
    return before(items[a], items[b]);
  };
  const std::vector<std::uint32_t> order = stable_order(items.size(), by_index);
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::uint32_t i : order) sorted.push_back(std::move(items[i]));
  items.swap(sorted);
}

/// The `most` first of 0 … count - 1. Cost: O(count most).
std::vector<std::uint32_t> first_in_order(std::size_t count, std::size_t most,
                                          const IndexLess& less);

}  // namespace sluice

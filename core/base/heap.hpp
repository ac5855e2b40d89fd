// A binary heap in a vector, the first item in front. std::push_heap leaves it to each library
// where equal items end up; with an order that is total, as it must be here, what leaves is the
// same everywhere.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sluice {

/// `before` is a strict total order of the items. Cost: O(log items).
template <class T, class Before>
void heap_push(std::vector<T>& heap, T item, const Before& before) {
  heap.push_back(std::move(item));
  std::size_t at = heap.size() - 1;
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!before(heap[at], heap[parent])) return;
    std::swap(heap[at], heap[parent]);
    at = parent;
  }
}

/// Takes the first item out; there is one.
template <class T, class Before>
T heap_pop(std::vector<T>& heap, const Before& before) {
  T first = std::move(heap.front());
  heap.front() = std::move(heap.back());
  heap.pop_back();
  std::size_t at = 0;
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap.size()) return first;
    if (child + 1 < heap.size() && before(heap[child + 1], heap[child])) ++child;
    if (!before(heap[child], heap[at])) return first;
    std::swap(heap[at], heap[child]);
    at = child;
  }
}

}  // namespace sluice

#include "base/stable_order.hpp"

#include <algorithm>
#include <utility>

namespace sluice {

std::vector<std::uint32_t> stable_order(std::size_t count, const IndexLess& less) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::vector<std::uint32_t> merged(count);
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, count);
      const std::size_t end = std::min(middle + width, count);
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t to = begin; to < end; ++to) {
        const bool second = left == middle || (right < end && less(order[right], order[left]));
        merged[to] = order[second ? right++ : left++];
      }
    }
    order.swap(merged);
  }
  return order;
}

std::vector<std::uint32_t> first_in_order(std::size_t count, std::size_t most,
                                          const IndexLess& less) {
  most = std::min(most, count);
  std::vector<std::uint32_t> first;
  for (std::size_t i = 0; i < count && most > 0; ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    if (first.size() < most) {
      first.push_back(index);
    } else if (less(index, first.back())) {
      first.back() = index;
    } else {
      continue;
    }
    for (std::size_t k = first.size() - 1; k > 0 && less(first[k], first[k - 1]); --k)
      std::swap(first[k], first[k - 1]);
  }
  return first;
}

}  // namespace sluice

#include "base/stable_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/hash.hpp"

using namespace sluice;

TEST_SUITE("base/stable_order") {
  TEST_CASE("smaller first, equal ones in the order they had") {
    const std::vector<int> values{3, 1, 2, 1, 3, 0};
    const auto less = [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; };
    CHECK(stable_order(values.size(), less) == std::vector<std::uint32_t>{5, 1, 3, 2, 0, 4});
    CHECK(first_in_order(values.size(), 3, less) == std::vector<std::uint32_t>{5, 1, 3});
    CHECK(first_in_order(values.size(), 99, less) == std::vector<std::uint32_t>{5, 1, 3, 2, 0, 4});
    CHECK(first_in_order(values.size(), 0, less).empty());
    CHECK(stable_order(0, less).empty());
  }
  TEST_CASE("as the standard's, for any length and many ties") {
    for (std::size_t n = 1; n < 70; ++n) {
      std::vector<std::uint64_t> values;
      for (std::size_t i = 0; i < n; ++i) values.push_back(mix64(n * 1000 + i) % (1 + n / 2));
      const auto less = [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; };
      std::vector<std::uint32_t> expected(n);
      std::iota(expected.begin(), expected.end(), 0U);
      std::stable_sort(expected.begin(), expected.end(), less);
      CHECK(stable_order(n, less) == expected);
      expected.resize(std::min<std::size_t>(n, 7));
      CHECK(first_in_order(n, 7, less) == expected);
    }
  }
}

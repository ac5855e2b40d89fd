#include "base/units.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/column.hpp"

using namespace sluice;

TEST_SUITE("base/units") {
  TEST_CASE("milliseconds become picoseconds, rounded half up") {
    CHECK(time_from_ms(1.0)->ps == 1'000'000'000);
    CHECK(time_from_ms(0.0000000005)->ps == 1);
    CHECK(time_from_ms(0.00000000049)->ps == 0);
    CHECK(time_from_ms(3.017)->ps == 3'017'000'000);
  }
  TEST_CASE("what does not fit or is no number is refused") {
    CHECK_FALSE(time_from_ms(101.0 * 24 * 3600 * 1000).has_value());
    CHECK_FALSE(time_from_ms(std::numeric_limits<double>::infinity()).has_value());
    CHECK_FALSE(time_from_ms(std::numeric_limits<double>::quiet_NaN()).has_value());
    CHECK(time_from_ms(100.0 * 24 * 3600 * 1000).has_value());
  }
  TEST_CASE("a column grows, copies and keeps what was written through its raw pointer") {
    Column<std::uint32_t> c;
    for (std::uint32_t i = 0; i < 1000; ++i) c.push_back(i);
    CHECK(c.size() == 1000);
    CHECK(c[999] == 999);
    const Column<std::uint32_t> copy = c;
    CHECK(copy == c);
    c.raw()[0] = 7;
    CHECK_FALSE(copy == c);
    Column<std::uint32_t> moved = std::move(c);
    CHECK(moved.size() == 1000);
  }
}

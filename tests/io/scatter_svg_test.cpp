// Where a point of a scatter sheet lies.
#include "io/scatter_svg.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace sluice;

namespace {

/// Middle of the square with this colour, read from the sheet.
struct Place {
  double x = 0;
  double y = 0;
};

Place place_of(const std::string& svg, const std::string& colour) {
  // The legend has one such square; the point comes before it.
  const std::size_t at = svg.find("fill:" + colour);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = svg.rfind("<rect x=\"", at);
  const auto number = [&](const char* key) {
    const std::size_t from = svg.find(key, begin) + std::string(key).size();
    return std::strtod(svg.c_str() + from, nullptr);
  };
  return {number("x=\"") + 3, number(" y=\"") + 3};
}

}  // namespace

TEST_SUITE("io/scatter_svg") {
  TEST_CASE("a right prediction lies on the diagonal, one that is too high above it") {
    const std::string svg =
        scatter_svg("t", "ms", {"right", "high"}, {{10, 10, 0}, {100, 200, 1}}, 0.05);
    // The plot begins at (64, 64) and is 460 wide and high.
    const Place right = place_of(svg, "#3d98a1");
    CHECK(right.x - 64 == doctest::Approx(64 + 460 - right.y).epsilon(0.01));
    const Place high = place_of(svg, "#c8791d");
    CHECK(high.x - 64 < 64 + 460 - high.y);
  }
  TEST_CASE("no points, no failure") {
    CHECK(scatter_svg("t", "ms", {}, {}, 0.1).ends_with("</svg>\n"));
  }
}

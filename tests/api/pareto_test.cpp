// Pareto fronts: small ones by hand, large ones against the definition, and the rows of a sweep.
#include "api/pareto.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/rng.hpp"

using namespace sluice;

namespace {

using Points = std::vector<std::vector<double>>;
using Indices = std::vector<std::uint32_t>;

/// Point by point, as the definition says it.
Indices by_definition(const Points& points) {
  Indices out;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    bool beaten = false;
    for (const auto& other : points) {
      bool no_worse = true;
      bool better = false;
      for (std::size_t k = 0; k < other.size(); ++k) {
        no_worse = no_worse && other[k] <= points[i][k];
        better = better || other[k] < points[i][k];
      }
      beaten = beaten || (no_worse && better);
    }
    if (!beaten) out.push_back(i);
  }
  return out;
}

/// Small whole numbers, so that there are many ties.
Points drawn(std::uint32_t count, std::uint32_t numbers, std::uint32_t seed) {
  Points out(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t k = 0; k < numbers; ++k) {
      const PhiloxBlock bits = draw({.seed = seed, .microbatch = i, .number = k});
      out[i].push_back(static_cast<double>(bits[0] % 12));
    }
  }
  return out;
}

constexpr const char* kSweep =
    "# sluice sweep 0123456789abcdef\n"
    "index,pipeline.schedule,seed,makespan_ms,throughput_per_s,peak_memory_bytes,fits,problem\n"
    "0,a,0,10,5,300,1,\n"
    "1,b,0,12,9,200,1,\n"
    "2,\"c,d\",0,12,4,250,1,\n"
    "3,e,0,,,,,\"cannot, at all [x]\"\n"
    "4,f,0,1,99,100,0,\n"
    "5,g,0,10,5,300,1,\n"
    "6,h,0,9,1,400,1,\n";

}  // namespace

TEST_SUITE("api/pareto") {
  TEST_CASE("what nothing beats stays, equal points together") {
    CHECK(pareto_front({}).empty());
    CHECK(pareto_front({{3, 1}}) == Indices{0});
    CHECK(pareto_front({{1, 4}, {2, 2}, {4, 1}, {3, 3}, {2, 2}, {2, 3}}) == Indices{0, 1, 2, 4});
    // As good in one and better in the other beats.
    CHECK(pareto_front({{1, 2}, {1, 1}, {2, 1}}) == Indices{1});
    CHECK(pareto_front({{2}, {1}, {1}}) == Indices{1, 2});
    CHECK(pareto_front({{1, 1, 9}, {1, 2, 8}, {2, 2, 9}, {1, 1, 9}}) == Indices{0, 1, 3});
  }

  TEST_CASE("fronts of many points are those of the definition") {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      for (std::uint32_t numbers = 1; numbers <= 4; ++numbers) {
        CAPTURE(seed);
        CAPTURE(numbers);
        const Points points = drawn(1 + seed * 5, numbers, seed);
        CHECK(pareto_front(points) == by_definition(points));
      }
    }
  }

  TEST_CASE("the rows of a sweep that no other beats, best first, those that do not fit left out") {
    const Result<ParetoRows> two = pareto_rows(kSweep, "makespan,peak_memory");
    REQUIRE(two.ok());
    CHECK(two.value().csv ==
          "# sluice sweep 0123456789abcdef\n"
          "index,pipeline.schedule,seed,makespan_ms,throughput_per_s,peak_memory_bytes,fits,"
          "problem\n"
          "6,h,0,9,1,400,1,\n"
          "0,a,0,10,5,300,1,\n"
          "5,g,0,10,5,300,1,\n"
          "1,b,0,12,9,200,1,\n");
    CHECK(two.value().front == 4);
    CHECK(two.value().compared == 5);
    CHECK(two.value().unfit == 1);
    // Of throughput more is better.
    const Result<ParetoRows> one = pareto_rows(kSweep, "throughput_per_s");
    REQUIRE(one.ok());
    CHECK(one.value().front == 1);
    CHECK(one.value().csv.find("\n1,b,") != std::string::npos);
  }

  TEST_CASE("names that are no column, several, or not numbers are refused") {
    const auto code = [](const char* names) {
      return pareto_rows(kSweep, names).diagnostics().front().code;
    };
    CHECK(code("makespan,nonsense") == Code::CsvColumn);
    CHECK(code("p") == Code::CsvColumn);
    CHECK(code("makespan,") == Code::CsvColumn);
    CHECK(code("pipeline.schedule") == Code::CsvValue);
  }
}

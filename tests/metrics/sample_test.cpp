// What samples say: intervals by tables and by how often they hold what they should.
#include "metrics/sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "metrics/summary.hpp"
#include "model/distribution.hpp"

using namespace sluice;

namespace {

double uniform(std::uint32_t experiment, std::uint32_t i) {
  const PhiloxBlock bits = draw({.seed = 11, .microbatch = experiment, .number = i});
  return uniform01(bits[0], bits[1]);
}

/// Mean 100, standard deviation 10: never clipped.
double normal(std::uint32_t experiment, std::uint32_t i) {
  return sample({DistributionKind::Normal, 100, 10},
                {.seed = 12, .microbatch = experiment, .number = i});
}

template <class Draw>
std::vector<double> sorted_sample(Draw draw_one, std::uint32_t experiment, std::uint32_t count) {
  std::vector<double> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(draw_one(experiment, i));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<double> one_to(int count) {
  std::vector<double> out;
  for (int i = 1; i <= count; ++i) out.push_back(i);
  return out;
}

bool holds(const std::optional<Interval>& i, double value) {
  return i && i->low <= value && value <= i->high;
}

/// Whether `hits` of `count` is within four standard deviations of `share`.
bool likely(int hits, int count, double share) {
  const double expected = share * count;
  return std::fabs(hits - expected) <= 4 * std::sqrt(expected * (1 - share));
}

}  // namespace

TEST_SUITE("metrics/sample") {
  TEST_CASE("moments") {
    CHECK(moments({}).mean == 0);
    CHECK(moments({5}).mean == 5);
    CHECK(moments({5}).sd == 0);
    CHECK(moments(std::vector<double>(7, 0.1)).mean == 0.1);
    CHECK(moments(std::vector<double>(7, 0.1)).sd == 0);
    // Squares 9, 1, 1, 9 over 3.
    CHECK(moments({2, 4, 6, 8}).mean == 5);
    CHECK(moments({2, 4, 6, 8}).sd == doctest::Approx(std::sqrt(20.0 / 3)));
  }

  TEST_CASE("Student's t as in the tables") {
    CHECK(student_t(1) == doctest::Approx(12.7062).epsilon(1e-5));
    CHECK(student_t(2) == doctest::Approx(4.3027).epsilon(1e-5));
    CHECK(std::fabs(student_t(3) - 3.1824) < 4e-3);
    CHECK(std::fabs(student_t(5) - 2.5706) < 4e-4);
    CHECK(std::fabs(student_t(10) - 2.2281) < 1e-4);
    CHECK(std::fabs(student_t(30) - 2.0423) < 1e-4);
    CHECK(std::fabs(student_t(1'000'000) - 1.9600) < 1e-4);
  }

  TEST_CASE("intervals of quantiles lie between the values that the binomial tables name") {
    // P(B <= 7) is 0.0216 and P(B <= 8) is 0.0539 for 25 halves; 0.0107 and 0.0547 for 1 and 2 of
    // 10.
    CHECK(quantile_interval(one_to(25), 0.5) == Interval{8, 18});
    CHECK(quantile_interval(one_to(10), 0.5) == Interval{2, 9});
    CHECK(quantile_interval(one_to(6), 0.5) == Interval{1, 6});
    // Five of five on one side: 1/32 is too often.
    CHECK(!quantile_interval(one_to(5), 0.5));
    CHECK(!quantile_interval({}, 0.5));
    // 100 draws, each below with 0.05: P(B = 0) 0.0059, P(B <= 1) 0.0371; P(B >= 10) 0.0282, P(B >=
    // 11) 0.0115.
    CHECK(quantile_interval(one_to(100), 0.05) == Interval{1, 11});
    CHECK(quantile_interval(one_to(100), 0.95) == Interval{90, 100});
    // 0.95^50 is 0.077: the lowest of fifty is not surely below.
    CHECK(!quantile_interval(one_to(50), 0.05));
    // Normal approximation for many: 50,000 -+ 1.96 sqrt(25,000) = 310 apart.
    const auto many = quantile_interval(one_to(100'000), 0.5);
    REQUIRE(many);
    CHECK(std::fabs(many->low - 49'690) <= 2);
    CHECK(std::fabs(many->high - 50'311) <= 2);
  }

  TEST_CASE("intervals hold the true value as often as they say") {
    constexpr int kExperiments = 1000;
    int means = 0;
    int medians = 0;
    int ends = 0;
    for (std::uint32_t e = 0; e < kExperiments; ++e) {
      const std::vector<double> values = sorted_sample(normal, e, 25);
      if (holds(mean_interval(moments(values), values.size()), 100)) ++means;
      if (holds(quantile_interval(values, 0.5), 100)) ++medians;
      if (holds(quantile_interval(sorted_sample(uniform, e, 100), 0.05), 0.05)) ++ends;
    }
    CHECK(likely(means, kExperiments, 0.95));
    // What the tables above leave outside: 2 x 0.0216, and 0.0059 + 0.0115.
    CHECK(likely(medians, kExperiments, 1 - 2 * 0.02164));
    CHECK(likely(ends, kExperiments, 1 - 0.00592 - 0.01147));
  }

  TEST_CASE("runs for a precision follow from spread and precision") {
    // The median of a normal sample spreads 1.2533 times as far as its mean: (1.96 * 1.2533 * 10 /
    // (0.01 * 100))^2 = 603 runs. Widths between two of the values are themselves drawn.
    const std::vector<double> values = sorted_sample(normal, 1, 20'000);
    const auto runs = runs_needed(values, 0.01);
    REQUIRE(runs);
    CHECK(static_cast<double>(*runs) == doctest::Approx(603).epsilon(0.2));
    // Half the width takes four times the runs.
    const auto finer = runs_needed(values, 0.005);
    REQUIRE(finer);
    CHECK(static_cast<double>(*finer) ==
          doctest::Approx(4 * static_cast<double>(*runs)).epsilon(0.01));
    CHECK(runs_needed(std::vector<double>(20, 3.0), 0.01) == std::optional<std::uint64_t>(1));
    CHECK(!runs_needed(one_to(5), 0.01));
    CHECK(!runs_needed({-3, -2, -1, 0, 1, 2, 3}, 0.01));
  }

  TEST_CASE("and with so many runs the median is that near, 95 times in 100") {
    int near = 0;
    constexpr int kExperiments = 400;
    for (std::uint32_t e = 0; e < kExperiments; ++e) {
      const double median = percentile(sorted_sample(normal, e + 10'000, 603), 0.5);
      if (std::fabs(median - 100) <= 1) ++near;
    }
    CHECK(likely(near, kExperiments, 0.95));
  }
}

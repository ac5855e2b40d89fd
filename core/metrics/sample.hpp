// What a sample of runs says, and how surely: quantiles and means with their intervals, and how
// many runs a wished precision takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {

/// From `low` to `high`, both included.
struct Interval {
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};

/// Mean and standard deviation (over n - 1; 0 for one value).
struct Moments {
  double mean = 0;
  double sd = 0;
};
Moments moments(const std::vector<double>& values);

/// 97.5 % quantile of Student's t: for 1 and 2 degrees of freedom as tabled, for 3 short by 4e-3,
/// from 5 on by less than 3e-4. Source: Abramowitz and Stegun 26.7.5 (the expansion in 1/n).
double student_t(std::size_t degrees_of_freedom);

/// 95 % interval of the mean; nothing for less than two values. Exact for normal values.
std::optional<Interval> mean_interval(const Moments& m, std::size_t count);

/// Interval that holds the `q`-quantile of whatever the values are drawn from with at least 95 %
/// probability: between two of the sorted values, by the binomial distribution of how many lie
/// below. Nothing when there are too few values. Cost: O(count). Source: Conover 1999, section 3.2.
std::optional<Interval> quantile_interval(const std::vector<double>& sorted, double q);

/// Runs until the median's 95 % interval reaches no further than `precision` times the median to
/// each side: with half its present width h after n runs, n (h / (precision |median|))^2, since
/// such intervals shrink as 1 / sqrt(n). 1 when all values are the same; nothing when the interval
/// is unknown or the median is 0.
std::optional<std::uint64_t> runs_needed(const std::vector<double>& sorted, double precision);

}  // namespace sluice

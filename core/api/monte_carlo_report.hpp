// What the runs of a Monte Carlo say, in numbers, JSON and CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/monte_carlo.hpp"
#include "metrics/sample.hpp"

namespace sluice {

/// One metric over the runs of a point.
struct MetricBand {
  double mean = 0;
  double sd = 0;
  double median = 0;
  /// 5 and 95 % of the runs lie below.
  double p5 = 0;
  double p95 = 0;
  /// 95 % intervals: of the median, and of the ends of the band.
  std::optional<Interval> median_interval;
  std::optional<Interval> p5_interval;
  std::optional<Interval> p95_interval;
  /// See metrics/sample.
  std::optional<std::uint64_t> runs_needed;
};

/// What the metric is at a point less what it is at the first point, run by run.
struct MetricDifference {
  double mean = 0;
  double sd = 0;
  /// 95 %, of the mean.
  std::optional<Interval> mean_interval;
  double median = 0;
  double p5 = 0;
  double p95 = 0;
  /// Shares of the runs in which the point is better, and in which both are equal.
  double better = 0;
  double equal = 0;
  /// Variance that the difference would have with draws of their own, over what it has: how many
  /// times as many runs the same interval would take. Nothing when the difference is constant.
  std::optional<double> gain;
};

struct PointReport {
  std::uint64_t point = 0;
  std::size_t completed = 0;
  std::size_t failed = 0;
  /// Of the first run that failed.
  std::string problem;
  /// One a metric, as kRunMetrics; empty when no run completed.
  std::vector<MetricBand> bands;
  /// Runs that completed here and at the first point, and one difference a metric. Empty at the
  /// first point.
  std::size_t pairs = 0;
  std::vector<MetricDifference> differences;
};

MetricBand band_of(std::vector<double> values, double precision);
/// `a[i]` and `b[i]` are of one run; `b` is the point, `a` what it is held against.
MetricDifference difference_of(const std::vector<double>& a, const std::vector<double>& b,
                               bool more_is_better);

/// One entry a point, of the runs so far.
std::vector<PointReport> report_of(const MonteCarlo& job, double precision);

std::string monte_carlo_json(const MonteCarlo& job, double precision, int indent = 2);
/// `# sluice montecarlo <scenario hash>`, column names, one row a trial.
std::string monte_carlo_csv(const MonteCarlo& job);

}  // namespace sluice

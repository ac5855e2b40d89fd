#include "metrics/sample.hpp"

#include <array>
#include <cmath>

#include "metrics/summary.hpp"

namespace sluice {
namespace {

constexpr double kOutside = 0.025;

// For n draws that each are below with probability q: least k with P(fewer than k, or k) above
// `share`. Weights are relative to the likeliest number, from which they fall to both sides.
std::size_t binomial_quantile(std::size_t n, double q, double share) {
  const auto mode = static_cast<std::size_t>(std::floor(static_cast<double>(n + 1) * q));
  std::vector<double> weight(n + 1, 0);
  weight[mode] = 1;
  const double odds = q / (1 - q);
  for (std::size_t k = mode; k > 0; --k) {
    weight[k - 1] = weight[k] * static_cast<double>(k) / (static_cast<double>(n - k + 1) * odds);
  }
  for (std::size_t k = mode; k < n; ++k)
    weight[k + 1] = weight[k] * odds * static_cast<double>(n - k) / static_cast<double>(k + 1);
  double all = 0;
  for (const double w : weight) all += w;
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    sum += weight[k];
    if (sum > share * all) return k;
  }
  return n;
}

}  // namespace

Moments moments(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  // From the first one, so that equal values have exactly their mean and no spread.
  double sum = 0;
  for (const double v : values) sum += v - values.front();
  Moments out{values.front() + sum / n, 0};
  if (values.size() < 2) return out;
  double squares = 0;
  for (const double v : values) squares += (v - out.mean) * (v - out.mean);
  out.sd = std::sqrt(squares / (n - 1));
  return out;
}

double student_t(std::size_t degrees_of_freedom) {
  constexpr std::array<double, 3> kFew{0, 12.706204736432095, 4.302652729696142};
  if (degrees_of_freedom < kFew.size()) return kFew[degrees_of_freedom];
  constexpr double z = 1.959963984540054;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  const double z9 = z7 * z * z;
  const auto v = static_cast<double>(degrees_of_freedom);
  const double g1 = (z3 + z) / 4;
  const double g2 = (5 * z5 + 16 * z3 + 3 * z) / 96;
  const double g3 = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  const double g4 = (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

std::optional<Interval> mean_interval(const Moments& m, std::size_t count) {
  if (count < 2) return std::nullopt;
  const double half = student_t(count - 1) * m.sd / std::sqrt(static_cast<double>(count));
  return Interval{m.mean - half, m.mean + half};
}

std::optional<Interval> quantile_interval(const std::vector<double>& sorted, double q) {
  const std::size_t n = sorted.size();
  if (n == 0) return std::nullopt;
  // The quantile lies above the l-th value (from 1) when at least l are below it.
  const std::size_t low = binomial_quantile(n, q, kOutside);
  const std::size_t high = n - binomial_quantile(n, 1 - q, kOutside) + 1;
  if (low < 1 || high > n) return std::nullopt;
  return Interval{sorted[low - 1], sorted[high - 1]};
}

std::optional<std::uint64_t> runs_needed(const std::vector<double>& sorted, double precision) {
  const auto interval = quantile_interval(sorted, 0.5);
  if (!interval) return std::nullopt;
  if (sorted.front() == sorted.back()) return 1;
  const double median = percentile(sorted, 0.5);
  if (median == 0) return std::nullopt;
  const double half = (interval->high - interval->low) / 2;
  const double ratio = half / (precision * std::fabs(median));
  const double runs = std::ceil(static_cast<double>(sorted.size()) * ratio * ratio);
  constexpr double kMost = 1e15;
  if (!(runs <= kMost)) return std::nullopt;
  return runs < 1 ? 1 : static_cast<std::uint64_t>(runs);
}

}  // namespace sluice

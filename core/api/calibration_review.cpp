#include "api/calibration_review.hpp"

#include <algorithm>
#include <cmath>

#include "api/calibrate.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"

namespace sluice {
namespace {

constexpr double kTolerancePct = 2;
constexpr double kTolerancePp = 2;
constexpr double kLow = 0.05;
constexpr double kHigh = 0.95;

// Runs of as many families as there are, drawn with replacement.
std::vector<MeasuredRun> resampled(const std::vector<MeasuredRun>& runs,
                                   const std::vector<std::string>& families, int refit) {
  std::vector<MeasuredRun> out;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const PhiloxBlock bits = draw({.seed = 0,
                                   .purpose = Purpose::Calibration,
                                   .entity = hash_text("bootstrap"),
                                   .microbatch = static_cast<std::uint32_t>(refit),
                                   .number = static_cast<std::uint32_t>(i)});
    const auto chosen = static_cast<std::size_t>(uniform01(bits[0], bits[1]) *
                                                 static_cast<double>(families.size()));
    for (const MeasuredRun& run : runs) {
      if (family_of(run.facts) == families[chosen]) out.push_back(run);
    }
  }
  return out;
}

double quantile(std::vector<double> values, double share) {
  std::stable_sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

std::vector<ConstantInterval> bootstrap_intervals(const std::vector<MeasuredRun>& runs,
                                                  const Calibration& start, const Presets& presets,
                                                  int sweeps, int refits) {
  std::vector<std::string> families;
  for (const MeasuredRun& run : runs) {
    const std::string family = family_of(run.facts);
    if (std::find(families.begin(), families.end(), family) == families.end())
      families.push_back(family);
  }
  std::vector<std::vector<double>> values;
  std::vector<ConstantInterval> out;
  for (int refit = 0; refit < refits; ++refit) {
    Calibration fitted = fit_calibration(resampled(runs, families, refit), start, presets, sweeps);
    const std::vector<NamedValue> named = named_values(fitted);
    values.resize(named.size());
    out.resize(named.size());
    for (std::size_t i = 0; i < named.size(); ++i) {
      out[i].name = named[i].name;
      values[i].push_back(*named[i].value);
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].low = quantile(values[i], kLow);
    out[i].high = quantile(values[i], kHigh);
  }
  return out;
}

std::vector<WorsenedRun> worsened_runs(const Validation& before, const Validation& after) {
  std::vector<WorsenedRun> out;
  for (std::size_t i = 0; i < before.runs.size() && i < after.runs.size(); ++i) {
    const ComparedRun& a = before.runs[i];
    const ComparedRun& b = after.runs[i];
    const bool slower =
        std::fabs(b.throughput_error_pct) - std::fabs(a.throughput_error_pct) > kTolerancePct;
    const bool emptier = std::fabs(b.bubble_error_pp) - std::fabs(a.bubble_error_pp) > kTolerancePp;
    if (!slower && !emptier) continue;
    out.push_back({a.name, a.throughput_error_pct, b.throughput_error_pct, a.bubble_error_pp,
                   b.bubble_error_pp});
  }
  return out;
}

}  // namespace sluice

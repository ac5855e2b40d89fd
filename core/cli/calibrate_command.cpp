// sluice calibrate: fits the constants of the calibration on real runs and shows how well they
// predict runs that were held out.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "api/calibrate.hpp"
#include "api/calibration_review.hpp"
#include "api/validate.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/calibration_yaml.hpp"
#include "io/presets.hpp"
#include "io/runs_csv.hpp"

namespace sluice::cli {
namespace {

constexpr int kSweeps = 40;
constexpr int kMostRefits = 1000;

void print_errors(const char* what, const Validation& v) {
  std::printf(
      "%-22s %3zu runs: period %.2f %%, at most %.2f %%; throughput %.2f %%; stage times "
      "%.2f %%\n",
      what, v.runs.size(), v.period_mape_pct, v.period_max_ape_pct, v.throughput_mape_pct,
      v.stage_time_mape_pct);
}

// Says which runs a fit makes worse than the tolerance allows.
bool refused(const std::vector<WorsenedRun>& worse) {
  for (const WorsenedRun& run : worse) {
    std::printf("%s%-44.44s throughput %+.1f to %+.1f %%, bubble %+.1f to %+.1f pp\n",
                &run == worse.data()
                    ? "\nRefused: these runs get worse than the preset has them by "
                      "more than 2 % of throughput or 2 pp of bubble\n"
                    : "",
                run.name.c_str(), run.throughput_pct_before, run.throughput_pct_after,
                run.bubble_pp_before, run.bubble_pp_after);
  }
  return !worse.empty();
}

}  // namespace

void print_constants(Calibration fitted, Calibration before,
                     const std::vector<ConstantInterval>& intervals) {
  std::printf("\n%-36s %12s %12s", "constant", "fitted", "preset");
  if (!intervals.empty()) std::printf("  %s", "5 to 95 % of refits");
  std::printf("\n");
  const std::vector<NamedValue> now = named_values(fitted);
  const std::vector<NamedValue> then = named_values(before);
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::printf("%-36s %12.4g %12.4g", now[i].name.c_str(), *now[i].value, *then[i].value);
    if (i < intervals.size()) {
      if (intervals[i].low < intervals[i].high) {
        std::printf("  %.4g to %.4g", intervals[i].low, intervals[i].high);
      } else {
        std::printf("  not fitted");
      }
    }
    std::printf("\n");
  }
}

int calibrate_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice calibrate --runs measured.csv --links link_bench.csv [--split NAME] "
      "[--cross-validate] [--intervals N] [--output F.yaml]\n       sluice calibrate --published "
      "DIR\n";
  Arguments args = parse(words, {{"--runs", true},
                                 {"--links", true},
                                 {"--split", true},
                                 {"--cross-validate"},
                                 {"--intervals", true},
                                 {"--output", true},
                                 {"--published", true}});
  if (const auto folder = args.value("--published");
      folder && args.problem.empty() && args.files.empty())
    return calibrate_published_command(*folder);
  const auto runs_file = args.value("--runs");
  const auto links_file = args.value("--links");
  const auto refits = static_cast<int>(args.whole("--intervals", 1, kMostRefits).value_or(0));
  if (args.problem.empty() && (!args.files.empty() || !runs_file || !links_file))
    args.problem = "calibrate takes --runs and --links";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const auto runs_text = read_file(*runs_file);
  const auto links_text = read_file(*links_file);
  if (!runs_text || !links_text) return kUsage;
  Result<std::vector<MeasuredRun>> read = read_runs(*runs_text, *links_text);
  if (!read) {
    print_diagnostics(*runs_file, read.diagnostics());
    return kWrongScenario;
  }
  std::vector<MeasuredRun> fitted_on;
  std::vector<MeasuredRun> others;
  const std::string split = args.value("--split").value_or("");
  for (const MeasuredRun& run : read.value())
    (split.empty() || run.facts.split == split ? fitted_on : others).push_back(run);
  if (fitted_on.empty()) {
    std::cerr << "sluice: no run of the split \"" << split << "\"\n";
    return kWrongScenario;
  }
  const Presets& presets = load_presets();
  Presets own = presets;
  const Calibration& preset = *presets.calibration(kLocalCalibration);
  own.calibrations = {fit_calibration(fitted_on, round_calibration(preset), presets, kSweeps)};
  const auto show = [&](const char* what, const std::vector<MeasuredRun>& runs) {
    const Result<Validation> v = validate_runs({runs, ""}, own);
    if (!runs.empty() && v) print_errors(what, v.value());
  };
  show("fitted on", fitted_on);
  show("not seen", others);
  if (args.has("--cross-validate")) {
    const Result<CrossValidation> cv = cross_validate(fitted_on, presets, kSweeps);
    if (cv) print_errors("family held out", cv.value().held_out);
  }
  const Calibration start = round_calibration(preset);
  std::vector<ConstantInterval> intervals;
  if (refits > 0) intervals = bootstrap_intervals(fitted_on, start, presets, kSweeps, refits);
  print_constants(own.calibrations.front(), preset, intervals);
  const Result<Validation> before = validate_runs({read.value(), ""}, presets);
  const Result<Validation> after = validate_runs({read.value(), ""}, own);
  if (before && after && refused(worsened_runs(before.value(), after.value()))) return kInfeasible;
  if (const auto file = args.value("--output"); file) {
    Calibration result = own.calibrations.front();
    result.provenance = "fitted on " + std::to_string(fitted_on.size()) + " runs of " + *runs_file;
    if (!write_file(*file, calibration_yaml(result, "Written by `sluice calibrate`.", intervals)))
      return kUsage;
  }
  return kDone;
}

}  // namespace sluice::cli

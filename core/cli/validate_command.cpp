// sluice validate: predictions against real runs.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "api/ablation.hpp"
#include "api/validate.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/presets.hpp"
#include "io/report_json.hpp"
#include "io/runs_csv.hpp"
#include "io/scatter_svg.hpp"

namespace sluice::cli {
namespace {

void print_report(const Validation& v) {
  std::printf("%-44s %9s %9s %7s %7s %7s %6s\n", "run", "measured", "predicted", "period", "thr",
              "bubble", "stage");
  for (const ComparedRun& r : v.runs) {
    std::printf("%-44.44s %6.1f ms %6.1f ms %+5.1f %% %+5.1f %% %+4.1f pp %4.1f %%\n",
                r.name.c_str(), r.measured.period_median_ms, r.predicted.period_median_ms,
                r.period_error_pct, r.throughput_error_pct, r.bubble_error_pp,
                r.stage_time_ape_pct);
  }
  std::printf(
      "\n%zu runs: period off by %.2f %% on average, %.2f %% at most; throughput %.2f %%, bias "
      "%+.2f %%;\nbubble %.2f pp; utilization %.2f pp, rank correlation %.3f; stage times %.2f "
      "%%\n",
      v.runs.size(), v.period_mape_pct, v.period_max_ape_pct, v.throughput_mape_pct,
      v.throughput_bias_pct, v.bubble_mae_pp, v.utilization_mae_pp, v.utilization_rho_mean,
      v.stage_time_mape_pct);
}

void print_terms(const char* head, const std::vector<AblatedTerm>& terms) {
  std::printf("%-24s %8s %8s %10s %8s %8s  %s\n", head, "period", "at most", "throughput", "bubble",
              "stage", "");
  for (const AblatedTerm& t : terms) {
    const Validation& v = t.without;
    std::printf("%-24s %6.2f %% %6.2f %% %8.2f %% %5.2f pp %6.2f %%  %s\n", t.name.c_str(),
                v.period_mape_pct, v.period_max_ape_pct, v.throughput_mape_pct, v.bubble_mae_pp,
                v.stage_time_mape_pct, t.doc.c_str());
  }
}

std::string plot_of(const Validation& v) {
  std::vector<std::string> splits;
  std::vector<ScatterPoint> points;
  for (const ComparedRun& run : v.runs) {
    auto group = std::find(splits.begin(), splits.end(), run.split);
    if (group == splits.end()) group = splits.insert(splits.end(), run.split);
    points.push_back({.measured = run.measured.period_median_ms,
                      .predicted = run.predicted.period_median_ms,
                      .group = static_cast<std::size_t>(group - splits.begin())});
  }
  return scatter_svg("Iteration period, predicted against measured", "median, ms", splits, points,
                     0.05);
}

}  // namespace

int validate_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice validate --runs measured.csv --links link_bench.csv [--split NAME] "
      "[--environment NAME] [--plot F.svg] [--json | --ablation]\n       sluice validate "
      "--published DIR "
      "[--json]\n";
  Arguments args = parse(words, {{"--runs", true},
                                 {"--links", true},
                                 {"--split", true},
                                 {"--environment", true},
                                 {"--ablation"},
                                 {"--plot", true},
                                 {"--published", true},
                                 {"--json"}});
  if (const auto folder = args.value("--published");
      folder && args.problem.empty() && args.files.empty())
    return validate_published_command(*folder, args.value("--plot").value_or(""),
                                      args.has("--json"));
  const auto runs_file = args.value("--runs");
  const auto links_file = args.value("--links");
  if (args.problem.empty() && (!args.files.empty() || !runs_file || !links_file))
    args.problem = "validate takes --runs and --links";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const auto runs_text = read_file(*runs_file);
  const auto links_text = read_file(*links_file);
  if (!runs_text || !links_text) return kUsage;
  const auto refuse = [&](const Diagnostics& problems) {
    print_diagnostics(*runs_file, problems);
    if (args.has("--json")) std::cout << refusal_json(problems) << "\n";
    return kWrongScenario;
  };
  Result<std::vector<MeasuredRun>> runs = read_runs(*runs_text, *links_text);
  if (!runs) return refuse(runs.diagnostics());
  ValidationRequest request{std::move(runs).value(), args.value("--environment").value_or("")};
  if (const auto split = args.value("--split")) {
    const auto other = [&](const MeasuredRun& r) { return r.facts.split != *split; };
    request.runs.erase(std::remove_if(request.runs.begin(), request.runs.end(), other),
                       request.runs.end());
  }
  if (args.has("--ablation")) {
    const auto terms = ablate(request.runs, load_presets());
    if (!terms) return refuse(terms.diagnostics());
    print_terms("without", terms.value());
    const auto steps = build_up(request.runs, load_presets());
    if (!steps) return refuse(steps.diagnostics());
    std::printf("\n");
    print_terms("built up: and with", steps.value());
    return kDone;
  }
  const Result<Validation> done = validate_runs(request, load_presets());
  if (!done) return refuse(done.diagnostics());
  if (const auto plot = args.value("--plot"); plot && !write_file(*plot, plot_of(done.value())))
    return kUsage;
  if (args.has("--json")) {
    std::cout << validation_json(done.value()) << "\n";
  } else {
    print_report(done.value());
  }
  return kDone;
}

}  // namespace sluice::cli

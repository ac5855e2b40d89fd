// The forms of validate and calibrate that read published runs instead of traces of one's own.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "api/calibrate_published.hpp"
#include "api/validate_published.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/presets.hpp"
#include "io/published_csv.hpp"
#include "io/report_json.hpp"
#include "io/scatter_svg.hpp"

namespace sluice::cli {
namespace {

constexpr int kSweeps = 30;

void print_report(const PublishedValidation& v) {
  std::printf("%-8s %6s %5s %-20s %9s %9s %7s %9s %7s\n", "model", "stages", "mb", "schedule",
              "measured", "predicted", "", "to 1F1B", "memory");
  for (const ComparedPublished& r : v.rows) {
    const PublishedFacts& f = r.run.facts;
    std::printf("%-8s %6d %5d %-20s %9.2f %9.2f %+5.1f %%", f.model.c_str(),
                static_cast<int>(f.stages), static_cast<int>(f.microbatches),
                (f.schedule + (f.step_barrier ? ", barrier" : "")).c_str(),
                r.run.figures.samples_per_gpu_per_s, r.predicted.samples_per_gpu_per_s,
                r.throughput_error_pct);
    const auto share = [](const std::optional<double>& pct) {
      if (pct) {
        std::printf("  %+5.1f %%", *pct);
      } else {
        std::printf("  %7s", "");
      }
    };
    share(r.ratio_error_pct);
    share(r.memory_error_pct);
    std::printf("\n");
  }
  std::printf(
      "\n%zu runs, samples per GPU and second: off by %.2f %% on average; the ratio to 1F1B by "
      "%.2f "
      "%%; memory by %.2f %%\n",
      v.rows.size(), v.throughput_mape_pct, v.ratio_to_1f1b_mape_pct, v.memory_mape_pct);
}

// The runs of a folder with models.csv and measured.csv; otherwise the exit code, after saying why.
int read_folder(const std::string& folder, bool json, std::vector<PublishedRun>& runs) {
  const auto models = read_file(folder + "/models.csv");
  const auto measured = read_file(folder + "/measured.csv");
  if (!models || !measured) return kUsage;
  Result<std::vector<PublishedRun>> read = read_published(*models, *measured);
  if (!read) {
    print_diagnostics(folder, read.diagnostics());
    if (json) std::cout << refusal_json(read.diagnostics()) << "\n";
    return kWrongScenario;
  }
  runs = std::move(read).value();
  return kDone;
}

int refuse(const std::string& folder, const Diagnostics& problems, bool json) {
  print_diagnostics(folder, problems);
  if (json) std::cout << refusal_json(problems) << "\n";
  return kWrongScenario;
}

std::string plot_of(const PublishedValidation& v) {
  std::vector<std::string> schedules;
  std::vector<ScatterPoint> points;
  for (const ComparedPublished& row : v.rows) {
    const std::string& name = row.run.facts.schedule;
    auto group = std::find(schedules.begin(), schedules.end(), name);
    if (group == schedules.end()) group = schedules.insert(schedules.end(), name);
    points.push_back({.measured = row.run.figures.samples_per_gpu_per_s,
                      .predicted = row.predicted.samples_per_gpu_per_s,
                      .group = static_cast<std::size_t>(group - schedules.begin())});
  }
  return scatter_svg("Throughput, predicted against measured", "samples per GPU and second",
                     schedules, points, 0.05);
}

}  // namespace

int validate_published_command(const std::string& folder, const std::string& plot, bool json) {
  std::vector<PublishedRun> runs;
  if (const int code = read_folder(folder, json, runs); code != kDone) return code;
  const Result<PublishedValidation> done = validate_published(runs, load_presets());
  if (!done) return refuse(folder, done.diagnostics(), json);
  if (!plot.empty() && !write_file(plot, plot_of(done.value()))) return kUsage;
  if (json) {
    std::cout << published_json(done.value()) << "\n";
  } else {
    print_report(done.value());
  }
  return kDone;
}

int calibrate_published_command(const std::string& folder) {
  std::vector<PublishedRun> runs;
  if (const int code = read_folder(folder, false, runs); code != kDone) return code;
  const Presets& presets = load_presets();
  const Result<PublishedValidation> held_out = cross_validate_published(runs, presets, kSweeps);
  if (!held_out) return refuse(folder, held_out.diagnostics(), false);
  std::printf("Each model with constants fitted on the others:\n\n");
  print_report(held_out.value());
  const Calibration& preset = *presets.calibration(kFusedCalibration);
  print_constants(fit_published(runs, preset, presets, kSweeps), preset, {});
  return kDone;
}

}  // namespace sluice::cli

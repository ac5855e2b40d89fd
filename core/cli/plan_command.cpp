// sluice plan: pipelines for a cluster of unlike devices.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "api/axis.hpp"
#include "api/planning.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/number.hpp"
#include "io/report_json.hpp"
#include "io/svg_canvas.hpp"

namespace sluice::cli {
namespace {

constexpr const char* kUsageText =
    "usage: sluice plan FILE [--set path=value]... [--keep N] [--without cache,skip,order,fill]\n"
    "       [--no-baselines] [--plan OUT.yaml] [--json] [--no-timing]\n"
    "       sluice plan FILE... --csv [--over path=a,b,c|lo:hi:step]...\n"
    "       sluice plan FILE --sample N [--seed N]\n";

std::string gib_text(Bytes bytes) {
  return short_text(static_cast<double>(bytes.value) / kGiB, 3);
}

// The same stages, and the same share of the batch.
bool alike(const PlayedPipeline& a, const PlayedPipeline& b) {
  return a.planned.microbatches == b.planned.microbatches &&
         a.planned.pipeline.micro_batch == b.planned.pipeline.micro_batch &&
         a.planned.pipeline.stages == b.planned.pipeline.stages;
}

void print_pipeline(const PlayedPipeline& p, std::size_t times, const HppCosts& costs) {
  std::printf("\n  ");
  if (times > 1) std::printf("%zu times: ", times);
  std::printf("batch %lld in %lld microbatches of %lld, %s\n",
              static_cast<long long>(p.planned.microbatches * p.planned.pipeline.micro_batch),
              static_cast<long long>(p.planned.microbatches),
              static_cast<long long>(p.planned.pipeline.micro_batch), time_text(p.ms).c_str());
  std::printf("    %5s  %-16s %9s %7s %12s %15s  %s\n", "stage", "devices", "TP x DP", "layers",
              "time", "memory, GiB", "made again");
  for (std::size_t s = 0; s < p.stages.size(); ++s) {
    const PlannedStage& stage = p.stages[s];
    const hpp::StageShape& shape = stage.stage.shape;
    const std::string devices =
        std::to_string(shape.devices()) + " x " + costs.device(shape.type).preset;
    std::printf("    %5zu  %-16s %9s %7d %12s %7s of %-4s  %s\n", s, devices.c_str(),
                (std::to_string(shape.tensor) + " x " + std::to_string(shape.data)).c_str(),
                stage.stage.layers, time_text(stage.ms).c_str(), gib_text(stage.peak).c_str(),
                gib_text(stage.room).c_str(),
                recompute_label(stage.recompute, stage.stage.layers).c_str());
  }
}

void print_plans(const Planning& job) {
  const PlayedPlan& best = job.plans().front();
  std::printf("%s a step in %zu pipeline%s", time_text(best.ms).c_str(), best.pipelines.size(),
              best.pipelines.size() == 1 ? "" : "s");
  if (best.behind_ms > 0)
    std::printf(", %s of it sums and updates behind them", time_text(best.behind_ms).c_str());
  std::printf("; the closed form says %s\n", time_text(best.analytic_ms).c_str());
  for (std::size_t i = 0; i < best.pipelines.size();) {
    std::size_t end = i + 1;
    while (end < best.pipelines.size() && alike(best.pipelines[i], best.pipelines[end])) ++end;
    print_pipeline(best.pipelines[i], end - i, job.costs());
    i = end;
  }
  if (job.plans().size() > 1) {
    std::printf("\nNext best:\n");
    for (std::size_t i = 1; i < job.plans().size(); ++i) {
      const PlayedPlan& plan = job.plans()[i];
      std::printf("  %12s  %zu pipeline%s\n", time_text(plan.ms).c_str(), plan.pipelines.size(),
                  plan.pipelines.size() == 1 ? "" : "s");
    }
  }
  if (job.baselines().empty()) return;
  std::printf("\nWhat others would do, on the same costs:\n");
  std::printf("  %-24s %12s %9s %9s\n", "", "time", "slower", "max/min");
  for (const PlanBaseline& b : job.baselines()) {
    if (!b.ms) {
      std::printf("  %-24s %12s\n", b.name, "nothing fits");
      continue;
    }
    std::printf("  %-24s %12s %8.2fx %9.2f\n", b.name, time_text(*b.ms).c_str(), *b.ms / best.ms,
                b.max_min_latency);
  }
  const double ideal = job.costs().ideal_ms();
  std::printf("  %-24s %12s %8.2fx %9.2f\n", "ideal", time_text(ideal).c_str(), ideal / best.ms,
              1.0);
}

// Of "cache,skip"; false when a word is none of them.
bool leave_out(const std::string& text, PlanningRequest& request) {
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    at = comma + 1;
    if (word == "cache") {
      request.cache = false;
    } else if (word == "skip") {
      request.skip = false;
    } else if (word == "order") {
      request.order = false;
    } else if (word == "fill") {
      request.fast_fill = false;
    } else {
      return false;
    }
  }
  return true;
}

void finish(Planning& job) {
  Progress progress("planning");
  constexpr std::uint64_t kAtOnce = 8;
  while (!job.step(kAtOnce)) progress.show(std::min(job.done(), job.total()), job.total());
}

std::optional<double> seconds_since(const Arguments& args,
                                    std::chrono::steady_clock::time_point began) {
  if (args.has("--no-timing")) return std::nullopt;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Plays every point of the grid for every file, one CSV row each.
int print_table(const Arguments& args, const std::vector<Axis>& axes,
                const PlanningRequest& request) {
  std::string header = "file,";
  for (const Axis& axis : axes) header += axis.path + ",";
  std::cout << header << plan_csv_header() << "\n";
  std::uint64_t points = 1;
  for (const Axis& axis : axes) points *= axis.values.size();
  int code = kDone;
  for (const std::string& file : args.files) {
    const auto text = read_file(file);
    if (!text) return kUsage;
    for (std::uint64_t point = 0; point < points; ++point) {
      std::vector<Setting> settings = args.settings;
      std::string row = file + ",";
      std::uint64_t rest = point;
      std::uint64_t each = points;
      for (const Axis& axis : axes) {
        each /= axis.values.size();
        const std::string& value = axis.values[rest / each];
        rest %= each;
        settings.push_back({axis.path, value});
        row += value + ",";
      }
      const auto began = std::chrono::steady_clock::now();
      Result<Planning> made = Planning::make(*text, settings, request);
      if (!made) {
        print_diagnostics(file, made.diagnostics());
        code = kWrongScenario;
        continue;
      }
      finish(made.value());
      std::cout << row << plan_csv_row(made.value(), seconds_since(args, began)) << std::endl;
    }
  }
  return code;
}

}  // namespace

int plan_command(const Words& words) {
  Arguments args = parse(words, {{"--set", true},
                                 {"--keep", true},
                                 {"--without", true},
                                 {"--no-baselines"},
                                 {"--plan", true},
                                 {"--csv"},
                                 {"--sample", true},
                                 {"--seed", true},
                                 {"--over", true},
                                 {"--json"},
                                 {"--no-timing"}});
  PlanningRequest request;
  constexpr std::int64_t kMostPlans = 100;
  request.keep = static_cast<std::size_t>(
      args.whole("--keep", 1, kMostPlans).value_or(static_cast<std::int64_t>(request.keep)));
  request.baselines = !args.has("--no-baselines");
  if (const auto without = args.value("--without"); without && !leave_out(*without, request))
    args.problem = "--without takes cache, skip, order and fill, not \"" + *without + "\"";
  std::vector<Axis> axes;
  for (const std::string& over : args.values("--over")) {
    const auto axis = parse_axis(over);
    if (axis) axes.push_back(*axis);
    if (!axis) args.problem = "--over takes path=a,b,c or path=lo:hi:step, not \"" + over + "\"";
  }
  constexpr std::int64_t kMostSamples = 1'000'000;
  const auto sample = args.whole("--sample", 1, kMostSamples);
  const auto seed = args.whole("--seed", 0, 1'000'000'000).value_or(0);
  const bool table = args.has("--csv");
  if (args.problem.empty() && !table && (args.files.size() != 1 || !axes.empty()))
    args.problem = "plan takes one file; with --csv several, and --over";
  if (args.problem.empty() && args.files.empty()) args.problem = "plan takes a file";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  if (table) return print_table(args, axes, request);
  const std::string& file = args.files.front();
  const auto text = read_file(file);
  if (!text) return kUsage;
  if (sample) {
    const Result<std::string> rows =
        sampled_plans_csv(*text, args.settings, static_cast<std::uint64_t>(seed),
                          static_cast<std::uint64_t>(*sample));
    if (rows) std::cout << rows.value();
    if (!rows) print_diagnostics(file, rows.diagnostics());
    return rows ? kDone : kWrongScenario;
  }
  const auto began = std::chrono::steady_clock::now();
  Result<Planning> made = Planning::make(*text, args.settings, request);
  if (!made) {
    print_diagnostics(file, made.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(made.diagnostics()) << "\n";
    return kWrongScenario;
  }
  Planning& job = made.value();
  finish(job);
  const std::optional<double> seconds = seconds_since(args, began);
  if (const auto plan = args.value("--plan"); plan && !job.plans().empty()) {
    if (!write_file(*plan, job.plan_yaml())) return kUsage;
  }
  if (args.has("--json")) {
    std::cout << job.json(2, seconds) << "\n";
  } else if (!job.plans().empty()) {
    print_plans(job);
  }
  if (job.plans().empty()) {
    std::cerr << "sluice: " << job.why_nothing() << "\n";
    return kInfeasible;
  }
  return kDone;
}

}  // namespace sluice::cli

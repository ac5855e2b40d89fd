// sluice montecarlo: many runs with their own jitter and constants, and what they say together.
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/monte_carlo_report.hpp"
#include "api/run_metrics.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/threads.hpp"
#include "io/number.hpp"
#include "io/report_json.hpp"

namespace sluice::cli {
namespace {

constexpr const char* kUsageText =
    "usage: sluice montecarlo FILE [--runs N] [--over path=a,b ...] [--set path=value]...\n"
    "       [--precision 1%] [--threads N] [--json] [--csv F]\n";

// "1%" or "0.01"; nothing for anything else.
std::optional<double> parse_precision(std::string text) {
  constexpr double kPercent = 100;
  const bool percent = text.ends_with("%");
  if (percent) text.pop_back();
  const ParsedNumber n = parse_number(text);
  const double value = percent ? n.value / kPercent : n.value;
  if (n.status != NumberStatus::Ok || !(value > 0) || value > 1) return std::nullopt;
  return value;
}

void run_all(MonteCarlo& job, int threads) {
  const MonteCarloTrials& trials = job.trials();
  // Each thread fills places of its own.
  std::vector<MonteCarloTrial> results(trials.total());
  const auto make = [&]() -> Block {
    const auto worker = std::make_shared<MonteCarloWorker>(trials);
    return [worker, &results](std::uint64_t first, std::uint64_t end) {
      for (std::uint64_t i = first; i < end; ++i) results[i] = worker->run(i);
      return Played{};
    };
  };
  Progress progress("running");
  in_blocks(0, trials.total(), threads, make, [&](const Played&, std::uint64_t done) {
    while (job.done() < done) job.take(std::move(results[job.done()]));
    progress.show(done, trials.total());
    return true;
  });
}

std::string interval_text(const std::optional<Interval>& i) {
  return i ? short_text(i->low) + " to " + short_text(i->high) : "-";
}

void print_bands(const PointReport& r, const std::string& precision) {
  std::printf("  %-28s %12s %12s %12s   %-24s %s\n", "", "5 %", "median", "95 %",
              "median, 95 % sure", ("runs for " + precision).c_str());
  for (std::size_t m = 0; m < r.bands.size(); ++m) {
    const MetricBand& b = r.bands[m];
    std::printf("  %-28s %12s %12s %12s   %-24s %s\n", std::string(kRunMetrics[m].name).c_str(),
                short_text(b.p5).c_str(), short_text(b.median).c_str(), short_text(b.p95).c_str(),
                interval_text(b.median_interval).c_str(),
                b.runs_needed ? std::to_string(*b.runs_needed).c_str() : "-");
  }
}

void print_differences(const PointReport& r, const std::string& first) {
  if (r.differences.empty()) return;
  std::printf("\n  less %s, run by run (%zu pairs)\n", first.c_str(), r.pairs);
  std::printf("  %-28s %12s %12s %12s   %-24s %-8s %s\n", "", "5 %", "median", "95 %",
              "mean, 95 % sure", "better", "unpaired");
  for (std::size_t m = 0; m < r.differences.size(); ++m) {
    const MetricDifference& d = r.differences[m];
    std::printf("  %-28s %12s %12s %12s   %-24s %-8s %s\n",
                std::string(kRunMetrics[m].name).c_str(), short_text(d.p5).c_str(),
                short_text(d.median).c_str(), short_text(d.p95).c_str(),
                interval_text(d.mean_interval).c_str(), percent_text(d.better).c_str(),
                d.gain ? ("x " + short_text(*d.gain, 3)).c_str() : "-");
  }
}

void print_report(const MonteCarlo& job, const std::vector<PointReport>& reports,
                  double precision) {
  const MonteCarloTrials& trials = job.trials();
  std::printf("%llu runs, seeds %llu to %llu\n", static_cast<unsigned long long>(trials.runs()),
              static_cast<unsigned long long>(trials.first_seed()),
              static_cast<unsigned long long>(trials.seed_of_run(trials.runs() - 1)));
  const DrawnConstants& constants = trials.constants();
  if (!constants.intervals.empty()) {
    std::printf("%zu constants of %s drawn from their intervals\n", constants.intervals.size(),
                constants.fitted->name.c_str());
  } else if (constants.fitted != nullptr) {
    std::printf("%s has no intervals: its constants stay as they are\n",
                constants.fitted->name.c_str());
  }
  bool constant = true;
  for (const PointReport& r : reports) {
    std::printf("\n%s", trials.name_of(r.point).c_str());
    if (r.failed > 0) std::printf("\n  %zu runs are not possible: %s", r.failed, r.problem.c_str());
    std::printf("\n");
    if (r.completed == 0) continue;
    constant = constant && r.bands.front().sd == 0;
    print_bands(r, short_text(precision * 100) + " %");
    print_differences(r, trials.name_of(0));
  }
  if (constant) std::printf("\nNothing is drawn in this scenario: every run is the same.\n");
}

}  // namespace

int montecarlo_command(const Words& words) {
  Arguments args = parse(words, {{"--set", true},
                                 {"--over", true},
                                 {"--runs", true},
                                 {"--precision", true},
                                 {"--threads", true},
                                 {"--json"},
                                 {"--csv", true}});
  MonteCarloRequest request;
  constexpr int kMostThreads = 1024;
  const int threads = static_cast<int>(args.whole("--threads", 1, kMostThreads).value_or(cores()));
  request.runs =
      args.whole("--runs", 1, static_cast<std::int64_t>(kMaxMonteCarloRuns)).value_or(request.runs);
  const std::string wished = args.value("--precision").value_or("1%");
  const auto precision = parse_precision(wished);
  if (!precision) args.problem = "--precision takes a share such as 1%, not \"" + wished + "\"";
  for (const std::string& text : args.values("--over")) {
    const auto axis = parse_axis(text);
    if (axis) request.axes.push_back(*axis);
    if (!axis) args.problem = "--over takes path=a,b,c or path=lo:hi:step, not \"" + text + "\"";
  }
  if (args.problem.empty() && args.files.size() != 1) args.problem = "montecarlo takes one file";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const std::string& file = args.files.front();
  auto text = read_file(file);
  if (!text) return kUsage;
  request.text = *std::move(text);
  request.settings = args.settings;
  Result<MonteCarlo> made = MonteCarlo::make(std::move(request));
  if (!made) {
    print_diagnostics(file, made.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(made.diagnostics()) << "\n";
    return kWrongScenario;
  }
  MonteCarlo& job = made.value();
  run_all(job, threads);
  if (const auto csv = args.value("--csv"); csv && !write_file(*csv, monte_carlo_csv(job)))
    return kUsage;
  const std::vector<PointReport> reports = report_of(job, *precision);
  if (args.has("--json")) {
    std::cout << monte_carlo_json(job, *precision) << "\n";
  } else {
    print_report(job, reports, *precision);
  }
  for (const PointReport& r : reports) {
    if (r.completed > 0) return kDone;
  }
  return kWrongScenario;
}

}  // namespace sluice::cli

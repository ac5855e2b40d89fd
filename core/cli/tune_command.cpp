// sluice tune: the best partition, placement and order that a search finds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "api/other_schedule.hpp"
#include "api/tune.hpp"
#include "base/stable_order.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/number.hpp"
#include "io/order_formats.hpp"
#include "io/report_json.hpp"
#include "io/svg_canvas.hpp"
#include "metrics/bound.hpp"
#include "search/channels.hpp"

namespace sluice::cli {
namespace {

constexpr const char* kUsageText =
    "usage: sluice tune FILE [--set path=value]... [--evaluations N] [--seed N]\n"
    "       [--only partition,placement,schedule] [--plan OUT.yaml]\n"
    "       [--pytorch OUT.csv] [--json] [--no-timing]\n";
constexpr std::size_t kShown = 10;

std::string memory_text(Bytes bytes) {
  return short_text(static_cast<double>(bytes.value) / kGiB, 3) + " GiB";
}

// Of "partition,schedule"; nothing when a word is no axis.
std::optional<Axes> parse_axes(const std::string& text) {
  std::vector<std::string> names;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return axes_of(names);
}

void print_candidates(const Tuning& job) {
  std::vector<TunedCandidate> rows = job.candidates();
  if (!rows.empty() && rows.front().name == kAsWritten && !rows.front().reason.empty())
    std::cerr << "sluice: as written it cannot run: " << rows.front().reason << "\n";
  std::erase_if(rows, [](const TunedCandidate& c) { return !c.reason.empty(); });
  sort_stably(rows, [](const TunedCandidate& a, const TunedCandidate& b) {
    return a.fits != b.fits ? a.fits : a.makespan < b.makespan;
  });
  std::printf("%-24s %12s %9s %12s\n", "plan", "time", "to bound", "memory");
  for (std::size_t i = 0; i < std::min(kShown, rows.size()); ++i) {
    const TunedCandidate& c = rows[i];
    const auto gap = gap_pct(c.makespan, job.lower_bound());
    std::printf("%-24s %12s %9s %12s%s\n", c.name.c_str(), time_text(to_ms(c.makespan)).c_str(),
                gap ? percent_text(*gap / 100).c_str() : "-", memory_text(c.peak_memory).c_str(),
                c.fits ? "" : "  does not fit");
  }
  if (rows.size() > kShown)
    std::printf("... and %zu more: --json has them all\n", rows.size() - kShown);
}

void print_why(const Tuning& job) {
  const std::string binds = job.binding();
  const bool drawn = job.best() && !job.best()->run->summary().lower_bound;
  std::printf("\n%s plan takes less than %s: ", drawn ? "By typical times no" : "No",
              time_text(to_ms(job.lower_bound())).c_str());
  if (binds == "chain") {
    std::printf("one microbatch takes so long through all layers.\n");
  } else {
    std::printf("that is all work, spread evenly.\n");
  }
  if (job.whole_layers_bound() > job.lower_bound()) {
    std::printf("%s on one rank none takes less than %s.\n",
                job.instance().movable ? "Layers are not divided: with each" : "With each stage",
                time_text(to_ms(job.whole_layers_bound())).c_str());
  }
  if (job.ablation().empty()) return;
  std::printf("One axis alone, the others plain (uniform layers, one stage a rank, 1F1B):\n");
  for (const AxisResult& a : job.ablation()) {
    std::printf("  %-10s %s\n", a.name,
                a.makespan ? time_text(to_ms(*a.makespan)).c_str() : "nothing fits");
  }
}

void print_how(const Tuning& job) {
  if (!job.best()) return;
  const Run& run = *job.best()->run;
  const std::optional<Order>& order = run.program().plan.order;
  if (order) {
    std::printf("To run it: asynchronous sends, room for %d messages on each channel.\n",
                buffers_needed(*order));
  }
  if (const auto layout = megatron_layout(run))
    std::printf("Megatron's layout: %s\n", layout->c_str());
}

}  // namespace

int tune_command(const Words& words) {
  Arguments args = parse(words, {{"--set", true},
                                 {"--evaluations", true},
                                 {"--seed", true},
                                 {"--only", true},
                                 {"--plan", true},
                                 {"--pytorch", true},
                                 {"--json"},
                                 {"--no-timing"}});
  TuneRequest request;
  constexpr std::int64_t kMostEvaluations = 100'000'000;
  request.evaluations =
      static_cast<std::uint64_t>(args.whole("--evaluations", 1, kMostEvaluations)
                                     .value_or(static_cast<std::int64_t>(request.evaluations)));
  constexpr std::int64_t kMostSeed = 1'000'000'000;
  request.seed = static_cast<std::uint64_t>(args.whole("--seed", 0, kMostSeed).value_or(0));
  if (const auto only = args.value("--only")) {
    const std::optional<Axes> axes = parse_axes(*only);
    if (axes) request.axes = *axes;
    if (!axes)
      args.problem = "--only takes partition, placement and schedule, not \"" + *only + "\"";
    request.ablation = false;
  }
  if (args.problem.empty() && args.files.size() != 1) args.problem = "tune takes one file";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const std::string& file = args.files.front();
  const auto text = read_file(file);
  if (!text) return kUsage;
  const auto began = std::chrono::steady_clock::now();
  Result<Tuning> made = Tuning::make(*text, args.settings, std::move(request));
  if (!made) {
    print_diagnostics(file, made.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(made.diagnostics()) << "\n";
    return kWrongScenario;
  }
  Tuning& job = made.value();
  {
    Progress progress("tuning");
    constexpr std::uint64_t kAtOnce = 32;
    while (!job.step(kAtOnce)) progress.show(std::min(job.done(), job.total()), job.total());
  }
  std::optional<double> seconds;
  if (!args.has("--no-timing")) {
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  if (const auto plan = args.value("--plan"); plan && job.best()) {
    if (!write_file(*plan, job.plan_yaml())) return kUsage;
  }
  if (args.has("--json")) {
    std::cout << job.json(2, seconds) << "\n";
  } else {
    print_candidates(job);
    print_why(job);
    print_how(job);
  }
  if (const auto csv = args.value("--pytorch"); csv && job.best()) {
    const std::optional<Order>& order = job.best()->run->program().plan.order;
    const Result<std::string> csv_text =
        order ? pytorch_csv(*order)
              : Result<std::string>(error(Code::OrderFormat, "", "a policy has no order"));
    if (!csv_text) {
      print_diagnostics(file, csv_text.diagnostics());
      return kWrongScenario;
    }
    if (!write_file(*csv, csv_text.value())) return kUsage;
  }
  if (!job.best()) {
    std::cerr << "sluice: no plan fits into memory\n";
    return kInfeasible;
  }
  return kDone;
}

}  // namespace sluice::cli

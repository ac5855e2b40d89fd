// sluice run: simulate one scenario, print or write what came of it.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <utility>

#include "api/run.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/number.hpp"
#include "io/report_json.hpp"
#include "io/svg_canvas.hpp"
#include "metrics/bound.hpp"
#include "metrics/economy.hpp"
#include "metrics/versions.hpp"

namespace sluice::cli {
namespace {

constexpr const char* kUsageText =
    "usage: sluice run FILE [--set path=value]... [--seed N] [--summary F.json] [--trace F.csv] "
    "[--chrome F.json]\n"
    "                  [--gaps F.csv] [--memory F.csv] [--svg F.svg] [--paper] [--dashboard "
    "F.svg]\n"
    "                  [--resolved] [--json]\n";

void print_stages(const Run& run) {
  constexpr std::size_t kMost = 16;
  const Summary& s = run.summary();
  std::printf(
      "\n  rank   device            busy                                   in flight   peak "
      "memory\n");
  for (std::size_t i = 0; i < s.rank_utilization.size(); ++i) {
    if (i == kMost) {
      std::printf("  ... %zu more\n", s.rank_utilization.size() - kMost);
      break;
    }
    const std::uint32_t d = run.program().device_of_rank[i];
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(std::lround(s.rank_utilization[i] * kWidth));
    const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                            std::string(static_cast<std::size_t>(kWidth - filled), '.');
    std::printf("  %5zu  %-16.16s  %5.1f %% %s  %5.0f   %8s GiB\n", i,
                run.program().machine.devices[d].id.c_str(), 100 * s.rank_utilization[i],
                bar.c_str(), s.in_flight_until_weight[i],
                short_text(static_cast<double>(s.peak_memory[d].value) / kGiB, 3).c_str());
  }
}

void print_economy(const Economy& e) {
  if (e.power) {
    print_line(
        "energy",
        short_text(*e.power) + " W" +
            (e.energy_per_token ? ", " + short_text(*e.energy_per_token) + " J a token" : ""));
  }
  if (e.price_per_hour) {
    print_line("price",
               short_text(*e.price_per_hour) + " an hour" +
                   (e.price_per_million_tokens
                        ? ", " + short_text(*e.price_per_million_tokens) + " a million tokens"
                        : ""));
  }
}

void print_certainty(const Certainty& c) {
  std::string text = "times are as written";
  if (c.compute == Basis::DataSheet) text = "times follow from data sheets";
  if (c.compute == Basis::Calibrated) text = "times follow from runs of these devices";
  if (c.period) {
    text += "; iterations of others were off by " + percent_text(c.period->mean_pct / 100) +
            " on average, " + percent_text(c.period->worst_pct / 100) + " at worst";
  }
  print_line("certainty", text);
}

void print_for_people(const std::string& file, const Run& run) {
  const Summary& s = run.summary();
  const Program& p = run.program();
  const std::string title = run.loaded().title.empty() ? file : run.loaded().title;
  const std::string schedule =
      p.plan.resolved == p.plan.name ? p.plan.name : p.plan.name + " (" + p.plan.resolved + ")";
  std::printf("%s\n", title.c_str());
  int stages = 0;
  for (int pipe = 0; pipe < p.plan.placement.pipes; ++pipe) stages += p.plan.placement.length(pipe);
  const std::string pipelines =
      p.plan.pipelines.empty() ? ""
                               : " in " + std::to_string(p.plan.pipelines.size()) + " pipelines";
  std::printf("  %d stages%s, %d microbatches%s, %s, physics %s, seed %s\n\n", stages,
              pipelines.c_str(), p.plan.microbatches,
              p.simulation.batches > 1
                  ? (" x " + std::to_string(p.simulation.batches) + " batches").c_str()
                  : "",
              schedule.c_str(), p.simulation.physics == Physics::Hops ? "hops" : "sluice",
              std::to_string(p.simulation.seed).c_str());
  print_line("time", time_text(to_ms(s.makespan)));
  print_line("throughput", short_text(s.throughput_per_ms * 1000) + " microbatches/s");
  print_line("bubble", percent_text(s.bubble.idle_over_makespan) + " of makespan, " +
                           percent_text(s.bubble.idle_over_work) + " of work, span " +
                           percent_text(s.bubble.span));
  if (const auto gap = gap_pct(s.makespan, s.lower_bound)) {
    // What rounds to nothing is not worth a digit.
    constexpr double kReached = 0.05;
    print_line("bound",
               time_text(to_ms(*s.lower_bound)) + " for any order on these ranks, " +
                   (*gap < kReached ? "reached" : "missed by " + percent_text(*gap / 100)));
  }
  if (s.mfu) print_line("mfu", percent_text(*s.mfu));
  print_economy(economy(p, run.loaded().costs, s));
  print_certainty(run.loaded().costs.certainty);
  print_line("latency",
             "p50 " + time_text(s.latency_p50_ms) + ", p99 " + time_text(s.latency_p99_ms));
  const LinkUse* busiest = nullptr;
  for (const LinkUse& l : s.links) {
    if (busiest == nullptr || l.utilization > busiest->utilization) busiest = &l;
  }
  if (busiest != nullptr) {
    const Link& l = p.machine.links[busiest->link];
    print_line("links", "busiest " + p.machine.device(l.from).id + "->" +
                            p.machine.device(l.to).id + ", " + percent_text(busiest->utilization) +
                            " busy");
  }
  if (p.plan.order && !p.plan.order->updates.empty()) {
    const Staleness stale = staleness_of(versions_of(p.plan, p.plan.batches_in_order), p.plan);
    print_line("staleness", "drift " + short_text(stale.drift_mean, 2) + " updates, at most " +
                                std::to_string(stale.drift_max) + "; gradients at most " +
                                std::to_string(stale.delay_max) + " late; an update every " +
                                std::to_string(p.plan.order->microbatches_per_update) +
                                " microbatches");
  }
  if (s.failures > 0) {
    print_line("outages",
               std::to_string(s.failures) + ", " + time_text(to_ms(s.downtime)) + " down" +
                   (s.lost_work ? ", " + time_text(to_ms(*s.lost_work)) + " of work lost" : ""));
  }
  if (s.goodput) {
    print_line("goodput", percent_text(*s.goodput) + ", " + std::to_string(s.rollbacks) +
                              " times back, " + time_text(to_ms(s.lost_time)) + " lost, " +
                              time_text(to_ms(s.recovering)) + " until work went on, " +
                              std::to_string(s.checkpoints) + " checkpoints in " +
                              time_text(to_ms(s.saving)));
  }
  if (!s.fits) print_line("memory", "does not fit");
  print_stages(run);
}

bool svg_path(std::string& path, Diagnostics& notes, const char* key) {
  if (path.empty()) return false;
  const std::size_t dot = path.find_last_of('.');
  const std::size_t slash = path.find_last_of('/');
  const bool extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  if (extension && path.substr(dot) == ".svg") return true;
  const std::string svg = (extension ? path.substr(0, dot) : path) + ".svg";
  notes.push_back(
      info(Code::OutputExtension, std::string("output.") + key, "written as SVG: " + svg));
  path = svg;
  return true;
}

// The files that the scenario or the flags name; flags win over `output:`.
bool write_outputs(const std::string& file, const Run& run, const Arguments& args) {
  OutputSection out = run.loaded().scenario.output;
  Diagnostics notes;
  bool ok = true;
  const auto take = [&](const char* flag, std::string& path) {
    if (const auto given = args.value(flag)) path = *given;
  };
  take("--summary", out.summary_json);
  take("--trace", out.trace_csv);
  take("--svg", out.timeline);
  take("--dashboard", out.dashboard);
  if (!out.summary_json.empty()) ok = write_file(out.summary_json, run.summary_json() + "\n") && ok;
  if (!out.trace_csv.empty()) ok = write_file(out.trace_csv, run.trace_csv()) && ok;
  if (const auto gaps = args.value("--gaps")) ok = write_file(*gaps, run.gaps_csv()) && ok;
  if (const auto memory = args.value("--memory")) ok = write_file(*memory, run.memory_csv()) && ok;
  if (const auto chrome = args.value("--chrome"))
    ok = write_file(*chrome, run.chrome_trace()) && ok;
  if (svg_path(out.timeline, notes, "timeline"))
    ok = write_file(out.timeline, run.timeline_svg(args.has("--paper") ? "paper.u" : "")) && ok;
  if (svg_path(out.dashboard, notes, "dashboard"))
    ok = write_file(out.dashboard, run.dashboard_svg()) && ok;
  run.loaded().places.locate(notes);
  print_diagnostics(file, notes);
  return ok;
}

int refuse(const std::string& file, const Diagnostics& problems, bool json) {
  print_diagnostics(file, problems);
  if (json) std::cout << refusal_json(problems) << "\n";
  for (const Diagnostic& d : problems) {
    if (d.code == Code::OrderDeadlock) return kInfeasible;
  }
  return kWrongScenario;
}

}  // namespace

int run_command(const Words& words) {
  Arguments args = parse(words, {{"--set", true},
                                 {"--seed", true},
                                 {"--summary", true},
                                 {"--trace", true},
                                 {"--gaps", true},
                                 {"--chrome", true},
                                 {"--memory", true},
                                 {"--svg", true},
                                 {"--paper"},
                                 {"--dashboard", true},
                                 {"--resolved"},
                                 {"--json"},
                                 {"--no-timing"}});
  const auto seed = args.whole("--seed", 0, 9007199254740992LL);
  if (args.problem.empty() && args.files.size() != 1) args.problem = "run takes one file";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  if (seed) args.settings.push_back({"simulation.seed", std::to_string(*seed)});
  const std::string& file = args.files.front();
  const bool json = args.has("--json");
  const auto text = read_file(file);
  if (!text) return kUsage;
  Result<Loaded> loaded = load_scenario(*text, args.settings);
  if (!loaded) return refuse(file, loaded.diagnostics(), json);

  Simulation simulation(std::move(loaded).value());
  {
    Progress progress("simulating");
    constexpr std::uint64_t kEventsBetweenLooks = 1 << 20;
    while (!simulation.step(kEventsBetweenLooks))
      progress.show(simulation.done(), simulation.total());
  }
  Result<std::shared_ptr<const Run>> result = simulation.finish();
  if (!result) return refuse(file, result.diagnostics(), json);
  const Run& run = *result.value();
  print_diagnostics(file, run.diagnostics());
  if (json) {
    std::cout << run.summary_json() << "\n";
  } else if (args.has("--resolved")) {
    std::cout << run.resolved_yaml();
  } else {
    print_for_people(file, run);
  }
  std::cout.flush();
  if (!write_outputs(file, run, args)) return kUsage;
  return run.feasible() ? kDone : kInfeasible;
}

}  // namespace sluice::cli

// sluice learn: how the schedules of a scenario learn, on one small model and the same samples.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "api/learning.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/number.hpp"
#include "io/report_json.hpp"
#include "io/svg_canvas.hpp"

namespace sluice::cli {
namespace {

constexpr const char* kUsageText =
    "usage: sluice learn FILE [--set path=value]... [--against SCHEDULE]...\n"
    "       [--model linear|mlp|transformer] [--optimizer sgd|momentum|adamw|nadam|muon]\n"
    "       [--rate R[,R...]] [--seeds N] [--microbatches N] [--test-every N] [--target LOSS]\n"
    "       [--clip NORM] [--warm-up MICROBATCHES] [--scale-by-delay] [--csv F] [--json]\n"
    "SCHEDULE: a name, or as in a scenario: '{name: paci, accumulation: 4}'.\n";

int usage(const std::string& problem) {
  std::cerr << "sluice: " << problem << "\n" << kUsageText;
  return kUsage;
}

std::optional<double> positive(const std::string& text) {
  const ParsedNumber parsed = parse_number(text);
  if (parsed.status != NumberStatus::Ok || !(parsed.value > 0)) return std::nullopt;
  return parsed.value;
}

/// What is wrong with the words, or "".
std::string read_request(Arguments& args, LearnRequest& request) {
  const auto whole = [&](const char* flag, std::int64_t most, auto& value) {
    if (const auto given = args.whole(flag, 1, most))
      value = static_cast<std::remove_reference_t<decltype(value)>>(*given);
  };
  request.schedules = args.values("--against");
  whole("--seeds", 100, request.seeds);
  whole("--microbatches", 1'000'000, request.microbatches);
  whole("--test-every", 1'000'000, request.test_every);
  if (!args.problem.empty()) return args.problem;
  const auto model = learn_model(args.value("--model").value_or("mlp"));
  if (!model) return "--model is linear, mlp or transformer";
  request.model = *model;
  const auto optimizer = learn_optimizer(args.value("--optimizer").value_or("momentum"));
  if (!optimizer) return "--optimizer is sgd, momentum, adamw, nadam or muon";
  request.optimizer = *optimizer;
  whole("--warm-up", 1'000'000, request.optimizer.warm_up);
  request.optimizer.scale_by_delay = args.has("--scale-by-delay");
  if (const auto rates = args.value("--rate")) {
    for (std::size_t at = 0; at <= rates->size();) {
      const std::size_t comma = std::min(rates->find(',', at), rates->size());
      const auto rate = positive(rates->substr(at, comma - at));
      if (!rate) return "--rate takes numbers above 0 with commas between";
      request.rates.push_back(*rate);
      at = comma + 1;
    }
  }
  if (const auto text = args.value("--clip")) {
    const auto norm = positive(*text);
    if (!norm) return "--clip takes a norm above 0";
    request.optimizer.clip = *norm;
  }
  if (const auto text = args.value("--target")) {
    request.target = positive(*text);
    if (!request.target) return "--target takes a loss above 0";
  }
  return args.problem;
}

std::string loss_text(const LearnedCase& one) {
  const std::optional<double> mean = one.mean();
  if (one.diverged() > 0) {
    return std::to_string(one.diverged()) + " of " + std::to_string(one.seeds.size()) + " diverged";
  }
  if (!mean) return "-";
  const std::optional<double> sd = one.sd();
  return short_text(*mean) + (sd ? " +- " + short_text(*sd, 2) : "");
}

void print_arms(const Learning& job) {
  std::printf("%-28s %11s %9s %7s %7s %6s %7s %10s\n", "schedule", "time / mb", "busy", "drift",
              "delay", "copies", "updates", "memory");
  for (const LearnArm& arm : job.arms()) {
    if (!arm.refused.empty()) {
      std::printf("%-28s cannot run here: %s\n", arm.schedule.c_str(), arm.refused.c_str());
      continue;
    }
    const std::string drift = std::to_string(arm.staleness.drift_max) + " (" +
                              short_text(arm.staleness.drift_mean, 2) + ")";
    const std::string every = "1 / " + std::to_string(arm.microbatches_per_update);
    std::printf("%-28s %11s %9s %7s %7u %6d %7s %6s GiB\n", arm.schedule.c_str(),
                time_text(arm.ms_per_microbatch()).c_str(), percent_text(arm.utilization).c_str(),
                drift.c_str(), arm.staleness.delay_max, arm.weight_copies, every.c_str(),
                short_text(static_cast<double>(arm.peak_memory.value) / kGiB, 3).c_str());
  }
}

void print_cases(const Learning& job) {
  const std::optional<double> target = job.target();
  std::printf("\n%-28s %9s %20s %15s %12s\n", "schedule", "rate", "test loss", "mb to target",
              "time to it");
  for (const LearnedCase& one : job.cases()) {
    const auto reached = target ? job.reached(one, *target) : std::nullopt;
    std::printf("%-28s %9s %20s %15s %12s\n", job.arms()[one.arm].schedule.c_str(),
                short_text(one.rate).c_str(), loss_text(one).c_str(),
                reached ? short_text(reached->microbatches).c_str() : "never",
                reached ? time_text(reached->ms).c_str() : "-");
  }
  if (target) std::printf("\nTarget: a test loss of %s.", short_text(*target).c_str());
  std::printf(
      " Losses are of a toy model: they show how a schedule's stale weights act, not what a large "
      "model's would be.\n");
}

}  // namespace

int learn_command(const Words& words) {
  Arguments args = parse(words, {{"--set", true},
                                 {"--against", true},
                                 {"--model", true},
                                 {"--optimizer", true},
                                 {"--rate", true},
                                 {"--seeds", true},
                                 {"--microbatches", true},
                                 {"--test-every", true},
                                 {"--target", true},
                                 {"--clip", true},
                                 {"--warm-up", true},
                                 {"--scale-by-delay"},
                                 {"--csv", true},
                                 {"--json"}});
  LearnRequest request;
  const std::string problem = args.problem.empty() ? read_request(args, request) : args.problem;
  if (!problem.empty()) return usage(problem);
  if (args.files.size() != 1) return usage("learn takes one scenario");
  const std::string& file = args.files.front();
  const auto text = read_file(file);
  if (!text) return kUsage;
  Result<Learning> made = Learning::make(*text, args.settings, std::move(request));
  if (!made) {
    print_diagnostics(file, made.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(made.diagnostics()) << "\n";
    return kWrongScenario;
  }
  Learning& job = made.value();
  {
    Progress progress("learning");
    constexpr std::uint64_t kAtOnce = 64;
    while (!job.step(kAtOnce)) progress.show(job.done(), job.total());
  }
  if (const auto csv = args.value("--csv"); csv && !write_file(*csv, job.csv())) return kUsage;
  if (args.has("--json")) {
    std::cout << job.json(2) << "\n";
    return kDone;
  }
  print_arms(job);
  print_cases(job);
  return kDone;
}

}  // namespace sluice::cli

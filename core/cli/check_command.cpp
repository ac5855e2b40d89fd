// sluice check, schedules, order, schema, presets: the commands that look things up.
#include <cstdio>
#include <iostream>

#include "api/load.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/presets.hpp"
#include "io/report_json.hpp"
#include "io/schedule_json.hpp"
#include "io/schema.hpp"

namespace sluice::cli {
namespace {

int usage(const std::string& problem, const char* text) {
  std::cerr << "sluice: " << problem << "\n" << text;
  return kUsage;
}

}  // namespace

int check_command(const Words& words) {
  constexpr const char* kUsageText = "usage: sluice check FILE... [--set path=value]... [--json]\n";
  const Arguments args = parse(words, {{"--set", true}, {"--json"}});
  if (!args.problem.empty()) return usage(args.problem, kUsageText);
  if (args.files.empty()) return usage("check takes at least one file", kUsageText);
  bool all_right = true;
  std::vector<FileReport> reports;
  for (const std::string& file : args.files) {
    const auto text = read_file(file);
    if (!text) return kUsage;
    const Result<Loaded> loaded = load_scenario(*text, args.settings);
    const Diagnostics& found = loaded ? loaded.value().diagnostics : loaded.diagnostics();
    print_diagnostics(file, found);
    all_right = all_right && loaded.ok();
    reports.push_back({file, loaded.ok(), found});
    if (!args.has("--json") && loaded) std::cout << file << ": ok\n";
  }
  if (args.has("--json")) std::cout << check_report_json(reports) << "\n";
  return all_right ? kDone : kWrongScenario;
}

int schedules_command(const Words& words) {
  const Arguments args = parse(words, {{"--json"}});
  if (!args.problem.empty() || !args.files.empty()) {
    return usage(args.problem.empty() ? "schedules takes no file" : args.problem,
                 "usage: sluice schedules [--json]\n");
  }
  if (args.has("--json")) {
    std::cout << schedules_json() << "\n";
    return kDone;
  }
  for (const ScheduleInfo& s : all_schedules()) {
    std::string names(s.name);
    for (const std::string_view alias : s.aliases) names += ", " + std::string(alias);
    std::printf("%-34s %s\n", names.c_str(), std::string(s.doc).c_str());
  }
  return kDone;
}

int order_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice order NAME --ranks P --microbatches M [--json]\n";
  Arguments args = parse(words, {{"--ranks", true}, {"--microbatches", true}, {"--json"}});
  const auto ranks = args.whole("--ranks", 1, kMaxStages);
  const auto microbatches = args.whole("--microbatches", 1, kMaxMicrobatches);
  if (!args.problem.empty()) return usage(args.problem, kUsageText);
  if (args.files.size() != 1 || !ranks || !microbatches) {
    return usage("order takes a schedule, --ranks and --microbatches", kUsageText);
  }
  const Result<Plan> plan =
      order_of({args.files.front(), static_cast<int>(*ranks), static_cast<int>(*microbatches)});
  if (!plan) {
    print_diagnostics(args.files.front(), plan.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(plan.diagnostics()) << "\n";
    return kWrongScenario;
  }
  if (args.has("--json")) {
    std::cout << order_json(plan.value()) << "\n";
    return kDone;
  }
  for (int r = 0; r < plan.value().ranks; ++r)
    std::cout << rank_text(*plan.value().order, r) << "\n";
  return kDone;
}

int schema_command(const Words& words) {
  if (!words.empty()) return usage("schema takes nothing", "usage: sluice schema\n");
  std::cout << scenario_schema() << "\n";
  return kDone;
}

int presets_command(const Words& words) {
  if (!words.empty()) return usage("presets takes nothing", "usage: sluice presets\n");
  std::cout << presets_json() << "\n";
  return kDone;
}

}  // namespace sluice::cli

// sluice check, schedules, order, schema, presets: the commands that look things up.
#include <cstdio>
#include <iostream>
#include <memory>

#include "api/run.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/order_formats.hpp"
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

FileReport check_text(const std::string& file, const std::string& text,
                      const std::vector<Setting>& settings) {
  const Result<Loaded> loaded = load_scenario(text, settings);
  if (!loaded) return {file, false, loaded.diagnostics()};
  return {file, true, loaded.value().diagnostics};
}

// Plays it, too: what a scenario expects of its summary must come, or it is wrong.
FileReport check_by_running(const std::string& file, const std::string& text,
                            const std::vector<Setting>& settings) {
  const Result<std::shared_ptr<const Run>> run = simulate(text, settings);
  if (!run) return {file, false, run.diagnostics()};
  FileReport report{file, run.value()->feasible(), run.value()->diagnostics()};
  for (Diagnostic& d : run.value()->unmet_expectations()) {
    d.severity = Severity::Error;
    report.diagnostics.push_back(d);
    report.ok = false;
  }
  return report;
}

}  // namespace

int check_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice check FILE... [--run] [--set path=value]... [--json]\n";
  const Arguments args = parse(words, {{"--set", true}, {"--run"}, {"--json"}});
  if (!args.problem.empty()) return usage(args.problem, kUsageText);
  if (args.files.empty()) return usage("check takes at least one file", kUsageText);
  bool all_right = true;
  std::vector<FileReport> reports;
  for (const std::string& file : args.files) {
    const auto text = read_file(file);
    if (!text) return kUsage;
    const FileReport report = args.has("--run") ? check_by_running(file, *text, args.settings)
                                                : check_text(file, *text, args.settings);
    print_diagnostics(file, report.diagnostics);
    all_right = all_right && report.ok;
    if (!args.has("--json") && report.ok) std::cout << file << ": ok\n";
    reports.push_back(report);
  }
  if (args.has("--json")) std::cout << check_report_json(reports) << "\n";
  return all_right ? kDone : kWrongScenario;
}

namespace {

// The tables' texts are literals, which end with a zero.
const char* text_of(std::string_view literal) {
  return literal.data();
}

}  // namespace

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
  std::string_view family;
  for (const ScheduleInfo& s : all_schedules()) {
    if (s.family != family) std::printf("%s%s\n", family.empty() ? "" : "\n", text_of(s.family));
    family = s.family;
    std::printf("  %-23s %s\n", text_of(s.name), text_of(s.doc));
    const auto detail = [](const char* what, const std::string& text) {
      if (!text.empty()) std::printf("  %-23s   %s%s\n", "", what, text.c_str());
    };
    std::string also;
    for (const std::string_view alias : s.aliases)
      also += (also.empty() ? "" : ", ") + std::string(alias);
    std::string takes;
    for (const ParameterInfo& p : s.parameters)
      takes +=
          (takes.empty() ? "" : ", ") + std::string(p.name) + " (" + std::string(p.otherwise) + ")";
    detail("also ", also);
    detail("takes ", takes);
    for (const Constraint& c : s.constraints) detail("", std::string(c.text));
  }
  return kDone;
}

int order_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice order NAME --ranks P --microbatches M [--chunks V] [--set parameter=value]... "
      "[--json | --pytorch]\n";
  Arguments args = parse(words, {{"--ranks", true},
                                 {"--microbatches", true},
                                 {"--chunks", true},
                                 {"--set", true},
                                 {"--json"},
                                 {"--pytorch"}});
  const auto ranks = args.whole("--ranks", 1, kMaxStages);
  const auto microbatches = args.whole("--microbatches", 1, kMaxMicrobatches);
  const auto chunks = args.whole("--chunks", 1, kMaxStages);
  if (!args.problem.empty()) return usage(args.problem, kUsageText);
  if (args.files.size() != 1 || !ranks || !microbatches) {
    return usage("order takes a schedule, --ranks and --microbatches", kUsageText);
  }
  OrderRequest request{
      args.files.front(), static_cast<int>(*ranks), static_cast<int>(*microbatches), {}};
  if (chunks) request.parameters.push_back({"chunks", {static_cast<double>(*chunks)}});
  for (const Setting& setting : args.settings) {
    const std::optional<std::vector<double>> values = parameter_values(setting.path, setting.value);
    if (!values) {
      return usage("--set " + setting.path + "=" + setting.value +
                       ": a parameter is a number, true, false, or numbers with commas between",
                   kUsageText);
    }
    request.parameters.emplace_back(setting.path, *values);
  }
  const Result<Plan> plan = order_of(request);
  if (!plan) {
    print_diagnostics(args.files.front(), plan.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(plan.diagnostics()) << "\n";
    return kWrongScenario;
  }
  if (args.has("--json")) {
    std::cout << order_json(plan.value()) << "\n";
    return kDone;
  }
  if (args.has("--pytorch")) {
    const Result<std::string> csv = pytorch_csv(*plan.value().order);
    if (!csv) {
      print_diagnostics(args.files.front(), csv.diagnostics());
      return kWrongScenario;
    }
    std::cout << csv.value();
    return kDone;
  }
  for (int r = 0; r < plan.value().ranks(); ++r)
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

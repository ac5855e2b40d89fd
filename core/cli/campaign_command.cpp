// sluice campaign: months and years of training with their failures.
#include <iostream>
#include <string>

#include "api/campaign.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/number.hpp"
#include "io/report_json.hpp"
#include "io/svg_canvas.hpp"

namespace sluice::cli {
namespace {

std::string hours_text(LongTime t) {
  return short_text(to_hours(t), 4) + " h";
}

std::string seconds_text(double s) {
  return short_text(s, 4) + " s";
}

void print_report(const CampaignReport& report) {
  const CampaignResult& r = report.result;
  print_line("time", hours_text(r.time));
  print_line("steps", std::to_string(r.steps) + " of " + time_text(report.step_ms) + ", " +
                          short_text(report.steps_per_day, 6) + " a day");
  print_line("goodput", percent_text(r.goodput()));
  print_line("failures",
             std::to_string(r.failures) + ", " + std::to_string(r.rollbacks) + " times back" +
                 (report.job_mtbf_s ? ", one that stops the job every " +
                                          short_text(*report.job_mtbf_s / 3600, 4) + " h"
                                    : ""));
  print_line("lost", hours_text(r.lost) + " of work, " + hours_text(r.recovering) +
                         " until work went on, " + hours_text(r.stalled) + " of waiting");
  print_line("checkpoints", std::to_string(r.checkpoints) + ", " + hours_text(r.saving));
  if (report.daly_s) {
    print_line("save every", seconds_text(*report.young_s) + " by Young, " +
                                 seconds_text(*report.daly_s) + " by Daly");
  }
}

}  // namespace

int campaign_command(const Words& words) {
  constexpr const char* kUsageText = "usage: sluice campaign FILE [--set path=value]... [--json]\n";
  Arguments args = parse(words, {{"--set", true}, {"--json"}});
  if (args.problem.empty() && args.files.size() != 1) args.problem = "campaign takes one file";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const std::string& file = args.files.front();
  const auto text = read_file(file);
  if (!text) return kUsage;
  const auto refuse = [&](const Diagnostics& problems) {
    print_diagnostics(file, problems);
    if (args.has("--json")) std::cout << refusal_json(problems) << "\n";
    return kWrongScenario;
  };
  const auto loaded = load_scenario(*text, args.settings);
  if (!loaded) return refuse(loaded.diagnostics());
  print_diagnostics(file, loaded.value().diagnostics);
  const auto report = run_campaign(loaded.value());
  if (!report) return refuse(report.diagnostics());
  if (args.has("--json")) {
    std::cout << campaign_json(report.value()) << "\n";
  } else {
    print_report(report.value());
  }
  return kDone;
}

}  // namespace sluice::cli

// sluice compare: every schedule that can run a scenario, fastest first.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>

#include "api/compare.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/number.hpp"
#include "io/report_json.hpp"
#include "io/svg_canvas.hpp"
#include "metrics/bound.hpp"

namespace sluice::cli {
namespace {

void print_row(const ComparedSchedule& row, int rank) {
  const std::optional<double> gap = gap_pct(row.makespan, row.lower_bound);
  const std::string above = gap ? percent_text(*gap / 100) : "-";
  const std::string memory =
      short_text(static_cast<double>(row.peak_memory.value) / kGiB, 3) + " GiB";
  std::printf("%3d %s %-24s %10s %8s %9s %10.3g %10s %6d%s\n", rank, row.current ? "*" : " ",
              row.name.c_str(), time_text(to_ms(row.makespan)).c_str(),
              percent_text(row.bubble.idle_over_makespan).c_str(), above.c_str(),
              row.peak_in_flight, memory.c_str(), row.weight_copies,
              row.fits ? "" : "  does not fit");
}

}  // namespace

int compare_command(const Words& words) {
  constexpr const char* kUsageText = "usage: sluice compare FILE [--set path=value]... [--json]\n";
  Arguments args = parse(words, {{"--set", true}, {"--json"}});
  if (args.problem.empty() && args.files.size() != 1) args.problem = "compare takes one file";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const std::string& file = args.files.front();
  const auto text = read_file(file);
  if (!text) return kUsage;
  Result<Comparison> made = Comparison::make(*text, args.settings);
  if (!made) {
    print_diagnostics(file, made.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(made.diagnostics()) << "\n";
    return kWrongScenario;
  }
  Comparison& job = made.value();
  {
    Progress progress("comparing");
    while (!job.step(1)) progress.show(job.done(), job.total());
  }
  if (args.has("--json")) {
    std::cout << job.json(2) << "\n";
    return kDone;
  }
  std::printf("%5s %-24s %10s %8s %9s %10s %10s %6s\n", "", "schedule", "time", "bubble",
              "to bound", "in flight", "memory", "copies");
  int rank = 0;
  bool refused = false;
  for (const ComparedSchedule& row : job.ranked()) {
    if (row.reason.empty()) {
      print_row(row, ++rank);
      continue;
    }
    if (!refused) std::printf("\nCannot run here:\n");
    refused = true;
    std::printf("    %s\n", row.reason.c_str());
  }
  std::printf(
      "\n* as the scenario has it. to bound: above what no order on the same placement can beat.\n"
      "in flight: most activations that a rank holds, in whole stages. copies: of the weights.\n");
  return kDone;
}

}  // namespace sluice::cli

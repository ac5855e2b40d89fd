// sluice sweep: one run a point of a grid, one CSV row a run.
#include <chrono>
#include <iostream>

#include "api/sweep.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace sluice::cli {

int sweep_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice sweep FILE --over path=a,b,c|lo:hi:step ... [--seeds N] [--set path=value]... "
      "[--csv F]\n";
  Arguments args =
      parse(words, {{"--set", true}, {"--over", true}, {"--seeds", true}, {"--csv", true}});
  const auto seeds = args.whole("--seeds", 1, 1'000'000);
  if (args.problem.empty() && args.files.size() != 1) args.problem = "sweep takes one file";
  SweepRequest request;
  for (const std::string& text : args.values("--over")) {
    const auto axis = parse_axis(text);
    if (!axis) {
      args.problem = "--over takes path=a,b,c or path=lo:hi:step, not \"" + text + "\"";
      break;
    }
    request.axes.push_back(*axis);
  }
  if (args.problem.empty() && request.axes.empty() && !seeds)
    args.problem = "sweep needs --over or --seeds";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const std::string& file = args.files.front();
  const auto text = read_file(file);
  if (!text) return kUsage;
  request.text = *text;
  request.settings = args.settings;
  request.seeds = seeds.value_or(1);
  Result<Sweep> sweep = Sweep::make(std::move(request));
  if (!sweep) {
    print_diagnostics(file, sweep.diagnostics());
    return kWrongScenario;
  }
  Sweep& job = sweep.value();
  {
    Progress progress("sweeping");
    while (!job.step(1)) progress.show(job.done(), job.total());
  }
  if (const auto csv = args.value("--csv")) {
    if (!write_file(*csv, job.csv())) return kUsage;
    std::cout << job.total() << " runs written to " << *csv << "\n";
  } else {
    std::cout << job.csv();
  }
  return job.failed() == job.total() ? kWrongScenario : kDone;
}

}  // namespace sluice::cli

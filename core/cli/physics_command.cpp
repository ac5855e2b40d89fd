// sluice physics: one scenario under HOPS's physics and ours, the difference split by option.
#include <cstdio>
#include <iostream>

#include "api/physics_split.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/number.hpp"
#include "io/report_json.hpp"
#include "io/svg_canvas.hpp"

namespace sluice::cli {
namespace {

void print_steps(const std::vector<PhysicsStep>& steps) {
  std::printf("%-18s %10s %9s %12s %8s %10s  %s\n", "", "time", "", "microbatches", "bubble",
              "memory", "");
  const double first = to_ms(steps.front().makespan);
  double before = first;
  for (const PhysicsStep& s : steps) {
    const double ms = to_ms(s.makespan);
    std::printf("%-18s %10s %+8.1f%% %9.3g /s %8s %10s  %s\n",
                s.option.empty() ? "hops" : s.option.c_str(), time_text(ms).c_str(),
                first == 0 ? 0.0 : 100 * (ms - before) / first, s.throughput_per_s,
                percent_text(s.bubble).c_str(),
                (short_text(static_cast<double>(s.peak_memory.value) / kGiB, 3) + " GiB").c_str(),
                s.change.c_str());
    before = ms;
  }
  std::printf(
      "\nEach row switches one option more to ours; the last is `physics: sluice`. Changes of "
      "the time are\npercent of the first row and add up to %+.1f %%.\n",
      first == 0 ? 0.0 : 100 * (before - first) / first);
}

}  // namespace

int physics_command(const Words& words) {
  constexpr const char* kUsageText = "usage: sluice physics FILE [--set path=value]... [--json]\n";
  Arguments args = parse(words, {{"--set", true}, {"--json"}});
  if (args.problem.empty() && args.files.size() != 1) args.problem = "physics takes one file";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const std::string& file = args.files.front();
  const auto text = read_file(file);
  if (!text) return kUsage;
  const Result<std::vector<PhysicsStep>> steps = split_physics(*text, args.settings);
  if (!steps) {
    print_diagnostics(file, steps.diagnostics());
    if (args.has("--json")) std::cout << refusal_json(steps.diagnostics()) << "\n";
    return kWrongScenario;
  }
  if (args.has("--json")) {
    std::cout << physics_json(steps.value()) << "\n";
  } else {
    print_steps(steps.value());
  }
  return kDone;
}

}  // namespace sluice::cli

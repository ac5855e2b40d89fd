// The command `sluice`: picks the command and turns broken invariants into exit code 4.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "io/summary_json.hpp"

namespace {

using sluice::cli::Words;

struct Command {
  const char* name;
  const char* doc;
  int (*run)(const Words&);
};

constexpr Command kCommands[] = {
    {"run", "simulate a scenario", sluice::cli::run_command},
    {"check", "say what is wrong with scenarios", sluice::cli::check_command},
    {"campaign", "months of training with failures and checkpoints", sluice::cli::campaign_command},
    {"compare", "rank every schedule that can run a scenario", sluice::cli::compare_command},
    {"tune", "find the best partition, placement and order for a scenario",
     sluice::cli::tune_command},
    {"learn", "how schedules with stale weights learn, on a small model",
     sluice::cli::learn_command},
    {"plan", "find pipelines for a cluster of unlike devices", sluice::cli::plan_command},
    {"sweep", "simulate a scenario over ranges of values", sluice::cli::sweep_command},
    {"merge", "put the parts of a sweep together", sluice::cli::merge_command},
    {"montecarlo", "say how sure the figures are: many runs, each with draws of its own",
     sluice::cli::montecarlo_command},
    {"schedules", "list the schedules", sluice::cli::schedules_command},
    {"order", "print the order of a schedule, rank by rank", sluice::cli::order_command},
    {"import", "read a recorded run, an order (PyTorch CSV, text) or a Megatron layout",
     sluice::cli::import_command},
    {"validate", "hold predictions against real runs", sluice::cli::validate_command},
    {"calibrate", "fit the constants of the cost model on real runs",
     sluice::cli::calibrate_command},
    {"physics", "compare HOPS's physics with ours, option by option", sluice::cli::physics_command},
    {"presets", "print the device and link presets as JSON", sluice::cli::presets_command},
    {"schema", "print the JSON Schema of a scenario", sluice::cli::schema_command},
};

int help(std::ostream& out) {
  out << "sluice " << sluice::engine_version() << ": simulates pipeline-parallel training\n\n";
  for (const Command& c : kCommands) {
    std::string name(c.name);
    name.resize(12, ' ');
    out << "  sluice " << name << c.doc << "\n";
  }
  out << "\nExit: 0 done, 1 the scenario is wrong, 2 usage, 3 no feasible plan or a deadlock, 4 "
         "internal error.\n";
  return &out == &std::cout ? sluice::cli::kDone : sluice::cli::kUsage;
}

int dispatch(const Words& words) {
  if (words.empty()) return help(std::cerr);
  const std::string& name = words.front();
  if (name == "help" || name == "--help" || name == "-h") return help(std::cout);
  if (name == "--version" || name == "version") {
    std::cout << "sluice " << sluice::engine_version() << "\n";
    return sluice::cli::kDone;
  }
  std::vector<std::string> names;
  for (const Command& c : kCommands) {
    if (name == c.name) return c.run(Words(words.begin() + 1, words.end()));
    names.emplace_back(c.name);
  }
  const std::string near = sluice::nearest(name, names);
  std::cerr << "sluice: unknown command \"" << name << "\""
            << (near.empty() ? "" : "; did you mean " + near + "?") << "\n";
  return sluice::cli::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    const int code = dispatch(Words(argv + 1, argv + argc));
    if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::cerr << "sluice: cannot write to standard output\n";
    return sluice::cli::kUsage;
  } catch (const std::exception& e) {
    std::cerr << "sluice: internal error: " << e.what() << "\n";
    return sluice::cli::kInternal;
  }
}

// sluice merge: the parts of a sweep, put together.
#include <iostream>

#include "api/sweep_files.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace sluice::cli {

int merge_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice merge PART.csv... [--csv F] [--pareto COLUMN,COLUMN...]\n";
  Arguments args = parse(words, {{"--csv", true}, {"--pareto", true}});
  const auto columns = args.value("--pareto");
  if (args.problem.empty() && args.files.empty()) args.problem = "merge takes the parts of a sweep";
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  std::vector<SweepPart> parts;
  for (const std::string& file : args.files) {
    auto text = read_large_file(file);
    if (!text) return kUsage;
    parts.push_back({file, *std::move(text)});
  }
  const Result<std::string> merged = merge_parts(parts);
  if (!merged) {
    for (const Diagnostic& d : merged.diagnostics()) {
      std::cerr << "sluice: " << d.message << "\n";
      if (!d.hint.empty()) std::cerr << "    " << d.hint << "\n";
    }
    return kUsage;
  }
  const auto csv = args.value("--csv");
  if (csv && !write_file(*csv, merged.value())) return kUsage;
  if (columns) return print_front(csv.value_or("the sweep"), merged.value(), *columns);
  if (csv) {
    std::cout << parts.size() << " parts written to " << *csv << "\n";
  } else {
    std::cout << merged.value();
  }
  return kDone;
}

}  // namespace sluice::cli

// sluice import: an order from a file, as the YAML of a scenario; a Megatron layout, stage by
// stage; or a recorded run (import_trace_command).
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/import_trace_command.hpp"
#include "io/megatron_layout.hpp"
#include "io/number.hpp"
#include "io/order_formats.hpp"

namespace sluice::cli {
namespace {

int import_layout(const std::string& text) {
  const auto stages = parse_layout(text);
  if (!stages) {
    print_diagnostics("layout", stages.diagnostics());
    return kWrongScenario;
  }
  int layers = 0;
  for (std::size_t s = 0; s < stages.value().size(); ++s) {
    const StageLayout& stage = stages.value()[s];
    layers += stage.layers;
    std::string holds = std::to_string(stage.layers) + " layers";
    if (stage.embedding) holds.insert(0, "embedding, ");
    if (stage.prediction_layers > 0)
      holds += ", " + std::to_string(stage.prediction_layers) + " prediction";
    if (stage.loss) holds += ", loss";
    std::printf("stage %3zu  %s\n", s, holds.c_str());
  }
  std::printf("%d layers on %zu stages: %s\n", layers, stages.value().size(),
              layout_text(stages.value()).c_str());
  return kDone;
}

}  // namespace

int import_command(const Words& words) {
  constexpr const char* kUsageText =
      "usage: sluice import FILE                  an order: PyTorch's CSV, or F0@0 B0@0 ..., one "
      "line a rank\n"
      "       sluice import --layout 'Et*2|t*3L'  a Megatron layout\n"
      "       sluice import FOLDER|FILE...        a recorded run, one file a rank: Megatron JSONL "
      "or PyTorch's Chrome trace\n"
      "           [--scenario OUT.yaml]           where the scenario of the replay goes (standard "
      "output)\n"
      "           [--links FOLDER|FILE]...        link_bench JSONL: measured points of the links\n"
      "           [--message-MiB X]               size of one activation as it is sent\n"
      "           [--json]                        measured, simulated and error_pct as JSON\n"
      "What a file is, its content says: a trace begins with { or [.\n";
  Arguments args = parse(words, {{"--layout", true},
                                 {"--scenario", true},
                                 {"--links", true},
                                 {"--message-MiB", true},
                                 {"--json"}});
  const auto layout = args.value("--layout");
  std::optional<double> message_MiB;
  if (const auto written = args.value("--message-MiB")) {
    const ParsedNumber parsed = parse_number(*written);
    message_MiB = parsed.value;
    if (parsed.status != NumberStatus::Ok || parsed.value < 0)
      args.problem = "--message-MiB takes a number of MiB, not \"" + *written + "\"";
  }
  if (args.problem.empty() && args.files.empty() == !layout)
    args.problem = "import takes files, or --layout";
  if (args.problem.empty() && layout && args.flags.size() > 1)
    args.problem = "--layout goes without other flags";
  const auto fail = [&] {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  };
  if (!args.problem.empty()) return fail();
  if (layout) return import_layout(*layout);
  const std::string& file = args.files.front();
  if (args.files.size() > 1 || names_trace(file)) return import_trace_command(args, message_MiB);
  if (!args.flags.empty()) {
    args.problem = args.flags.front().first + " goes with a recorded run, and " + file + " is none";
    return fail();
  }
  const auto text = read_file(file);
  if (!text) return kUsage;
  const Result<ImportedOrder> imported = import_order(*text);
  if (!imported) {
    print_diagnostics(file, imported.diagnostics());
    for (const Diagnostic& d : imported.diagnostics()) {
      if (d.code == Code::OrderDeadlock) return kInfeasible;
    }
    return kWrongScenario;
  }
  std::cout << "# " << imported.value().order.ranks() << " ranks, " << imported.value().microbatches
            << " microbatches; goes under pipeline:\n"
            << order_yaml(imported.value());
  return kDone;
}

}  // namespace sluice::cli

// Recorded runs in: figures, a scenario that plays the run again, and how near that comes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/clocks.hpp"
#include "measure/observed_order.hpp"
#include "measure/trace_figures.hpp"
#include "model/presets.hpp"

namespace sluice {

struct NamedText {
  std::string name;
  std::string text;
};

struct ImportRequest {
  /// One file a rank.
  std::vector<NamedText> traces;
  /// Link benchmarks; may be empty.
  std::vector<NamedText> links;
  /// See ReplaySource.
  std::optional<double> message_MiB;
};

struct ImportedTrace {
  /// "megatron" or "torch".
  std::string format;
  /// By rank.
  std::vector<std::int32_t> ranks;
  std::vector<std::string> devices;
  /// By stage: entry of `ranks`.
  std::vector<std::size_t> place_of_stage;
  ClockAlignment clocks;
  ObservedOrder order;
  TraceFigures measured;
  /// Of the scenario's run, by the same definitions.
  TraceFigures simulated;
  /// What the mean step of the trace takes beyond its median, ms; 0 when there is no such excess:
  /// the scenario plays the typical step. And the scenario's figures with that added to each step.
  double slow_steps_ms = 0;
  TraceFigures with_slow_steps;
  /// See typical_step; of the trace and of the scenario's run.
  std::vector<OpEvent> measured_step;
  std::vector<OpEvent> simulated_step;
  std::string scenario;
  /// What to know when reading the figures, in whole sentences.
  std::vector<std::string> notes;
};

/// Reads, aligns clocks, leaves warm-up out, measures, writes the scenario and plays it.
/// Diagnostics, all of all files, with the file as path and the line: those of the readers
/// (io/megatron_trace, io/torch_trace, io/link_bench), of join_ranks and steady_part.
Result<ImportedTrace> import_trace(const ImportRequest& request, const Presets& presets);

/// The document of `sluice import --json`: {"measured", "simulated", "error_pct", ...}.
std::string import_json(const ImportedTrace& imported, int indent = 2);

/// The same for people.
std::string import_text(const ImportedTrace& imported);

}  // namespace sluice

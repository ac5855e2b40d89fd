// The summary as JSON: the fields of HOPS under their names, and ours beside them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "engine/program.hpp"
#include "io/idle_json.hpp"
#include "io/print_scenario.hpp"
#include "metrics/summary.hpp"

namespace sluice {

inline constexpr int kSchemaVersion = 1;
std::string_view engine_version();

struct SummaryContext {
  const Program& program;
  const Summary& summary;
  const Diagnostics& diagnostics;
  const Costs& costs;
  IdleReport idle;
  const Scenario& scenario;
  const Places& places;
  std::uint64_t scenario_hash = 0;
  std::uint64_t trace_hash = 0;
};

/// One JSON document; size O(ranks + links). New keys name their unit; bytes are integers.
std::string summary_json(const SummaryContext& context, int indent = 2);

/// A warning for each of the scenario's expectations that the summary does not meet: expect.failed,
/// expect.path, with its place in the text. The summary's diagnostics end with them.
Diagnostics unmet_expectations(const SummaryContext& context);

/// Ranks, resources and kinds of a run, for who draws it (`Plan` of the module's declarations).
std::string plan_json(const Program& program);

}  // namespace sluice

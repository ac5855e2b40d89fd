// Another schedule in the place of the scenario's own: what comparing and tuning play.
#pragma once

#include <string>
#include <utility>

#include "base/diagnostics.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Runs whatever the ranks and microbatches are.
inline constexpr const char* kAlwaysPossible = "gpipe";
/// Name, beside schedules, of what the scenario itself says.
inline constexpr const char* kAsWritten = "as written";

/// key.conflict where there are several pipelines: another schedule is tried for one.
inline Diagnostics check_one_pipeline(const Scenario& scenario) {
  if (scenario.pipelines.empty()) return {};
  return {error(Code::KeyConflict, "pipelines",
                "other schedules are tried for one pipeline, and these are several",
                "take one of them by itself, as `pipeline`")};
}

/// Puts a known schedule, without parameters, in the place of the scenario's own. Layers that are
/// written stage by stage are spread over as many stages as it has.
inline void put_schedule(Scenario& scenario, std::string name) {
  scenario.pipeline.schedule = {};
  scenario.pipeline.schedule.name = std::move(name);
  for (StageSpec& s : scenario.pipeline.stages) s.chunk_layers.clear();
}

}  // namespace sluice

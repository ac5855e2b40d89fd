// Another schedule in the place of the scenario's own: what comparing and tuning play.
#pragma once

#include <string>
#include <utility>

#include "model/scenario.hpp"

namespace sluice {

/// Runs whatever the ranks and microbatches are.
inline constexpr const char* kAlwaysPossible = "gpipe";
/// Name, beside schedules, of what the scenario itself says.
inline constexpr const char* kAsWritten = "as written";

/// Puts a known schedule, without parameters, in the place of the scenario's own. Layers that are
/// written stage by stage are spread over as many stages as it has.
inline void put_schedule(Scenario& scenario, std::string name) {
  scenario.pipeline.schedule = {};
  scenario.pipeline.schedule.name = std::move(name);
  for (StageSpec& s : scenario.pipeline.stages) s.chunk_layers.clear();
}

}  // namespace sluice

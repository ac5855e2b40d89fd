// `schedule: adaptive`: resolved by a search before a scenario is compiled. Programs that have no
// search (the page's first module) link a `resolve_adaptive` that says so.
#pragma once

#include <string>

#include "base/result.hpp"
#include "io/reader.hpp"
#include "model/presets.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Whether the scenario leaves its schedule to a search.
bool is_adaptive(const ScheduleChoice& choice);

/// What `adaptive` stands for in this scenario: the fastest, by the engine, of every known schedule
/// and of the orders that a search of at most 2,000 evaluations finds for the stages as they are,
/// among those that fit into memory; where none does, the one that needs least. Evaluations are
/// counted, not timed, so that every machine finds the same; runs of many operations get fewer.
struct AdaptiveChoice {
  ScheduleChoice schedule;
  /// The known schedule's name, or "search".
  std::string label;
};
Result<AdaptiveChoice> resolve_adaptive(const ReadScenario& read, const Presets& presets);

}  // namespace sluice

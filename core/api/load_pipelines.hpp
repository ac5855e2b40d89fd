// Several independent pipelines, each prepared by itself, as one run.
#pragma once

#include "api/load.hpp"

namespace sluice {

/// Of a scenario that has `pipelines`. Diagnostics: those of each pipeline, at `pipelines[i]`;
/// key.conflict (microbatches are written, devices shared, other models or precisions),
/// value.range (a batch that microbatches do not divide), schedule.constraint (what several
/// pipelines cannot have: policies, slices, two directions, no step barrier, failures).
Result<Loaded> prepare_pipelines(const ReadScenario& read, const Presets& presets);

}  // namespace sluice

// A loaded scenario as what a search works on (search/instance).
#pragma once

#include "api/load.hpp"
#include "base/result.hpp"
#include "model/presets.hpp"
#include "search/instance.hpp"

namespace sluice {

/// `cut`: layers may move over stages and stages over ranks, where every stage names its layers;
/// else each rank keeps its work, over the placements that share it evenly among so many stages.
/// Diagnostics: those of the costs of a stage. Cost: O(kinds of ranks x layers^2) stage costs, or
/// O(kinds x layers) where all layers are alike.
Result<Instance> make_instance(const Loaded& loaded, const Presets& presets, bool cut);

/// Whether every stage names its layers, so that they can move.
bool layers_move(const Scenario& scenario);

}  // namespace sluice

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

/// No plan of the instance's layers is faster, ps of one step.
struct InstanceBounds {
  /// All work spread evenly over ranks by their speed.
  std::int64_t work = 0;
  /// One microbatch's way through all layers.
  std::int64_t chain = 0;
  /// Layers are not divided: of k ranks + 1 layers some rank has k + 1, and no less than the
  /// shortest so many of them, for every k. Of plans that hold each layer once; a schedule with two
  /// copies may be faster. Where layers do not move, the most that one rank has to do. Where a
  /// stage takes less than its layers one by one, of the longest alone.
  std::int64_t layers = 0;
};
InstanceBounds bounds_of(const Instance& instance);

}  // namespace sluice

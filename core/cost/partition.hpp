// Spreads a model's layers over the stages of a pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "cost/network.hpp"
#include "model/presets.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Layers of each stage under `pipeline.partition`; they always add up to the model's. Balanced
/// makes the largest forward and backward of a stage, with embedding and output layer where they
/// stand, as small as possible, over all cuts in which each stage fits into its part of the
/// device's memory with the microbatches that 1F1B has in flight there; over all cuts where none
/// fits. Among equals earlier stages get more. Uniform where the costs cannot be made: what is
/// missing is said where they are made for the run. `entry_of_stage`: for each stage in the model's
/// order, the entry of `pipeline.stages` that holds it. A list may also have one number an entry;
/// then so has the result. Diagnostics, at `pipeline.partition`: key.missing
/// (`model.layers`), value.range (a list that does not fit). Cost: O(stages x layers^2), and the
/// costs of O(layers) stages, or O(layers^2) where layers differ, for each kind of entry.
Result<std::vector<std::int64_t>> partition_layers(const Scenario& scenario, const Network& network,
                                                   const Presets& presets,
                                                   const std::vector<std::size_t>& entry_of_stage);

}  // namespace sluice

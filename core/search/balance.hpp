// The exact cut of layers into stages for ranks that differ.
#pragma once

#include <cstdint>
#include <vector>

#include "search/instance.hpp"

namespace sluice {

/// Cuts that make the longest forward and backward of a stage as short as possible, over all cuts
/// in which each stage fits into its rank's share of memory with the microbatches that 1F1B has in
/// flight there, min(stages - s, microbatches); over all cuts where none fits. Among equals,
/// earlier stages get more. Every stage holds a layer, but a first or last one that has work
/// without any. Precondition: layers move, and are at least as many as stages. Cost: O(stages x
/// layers^2).
std::vector<std::int32_t> balanced_cuts(const Instance& instance,
                                        const std::vector<std::uint16_t>& rank_of_stage);

/// Cuts that make the work of ranks that hold several stages as even as single moves of a boundary,
/// and of all boundaries between two stages, can: the sum of squares of their work is a local
/// minimum. From stages of even work. Precondition as above. Cost: O(rounds x stages^2).
std::vector<std::int32_t> even_cuts(const Instance& instance,
                                    const std::vector<std::uint16_t>& rank_of_stage);

/// Fewest layers that a stage of so many may hold.
int fewest_layers(const Instance& instance, std::size_t stage, std::size_t stages);

}  // namespace sluice

// One pipeline over given nodes: which stages, how many layers on each, what is made again.
#pragma once

#include <cstdint>
#include <vector>

#include "search/hpp/stage_times.hpp"

namespace sluice::hpp {

/// Nodes of each type.
using NodeCounts = std::vector<int>;

struct PipelineStage {
  StageShape shape;
  int layers = 0;
  /// A forward and a backward of one microbatch, and the message to the next stage.
  double ms = 0;
  double hop_ms = 0;

  bool operator==(const PipelineStage&) const = default;
};

/// A pipeline and what the closed form says of it: M microbatches take fill + (M - 1) * bottleneck.
struct Pipeline {
  std::int64_t micro_batch = 1;
  std::vector<PipelineStage> stages;
  /// Of the slowest stage, a forward and a backward of a microbatch; of one microbatch through all
  /// stages and back; ms.
  double bottleneck_ms = 0;
  double fill_ms = 0;

  [[nodiscard]] double time_ms(std::int64_t microbatches) const {
    return microbatches == 0 ? 0 : fill_ms + static_cast<double>(microbatches - 1) * bottleneck_ms;
  }
  /// Samples a millisecond, without fill.
  [[nodiscard]] double rate() const { return static_cast<double>(micro_batch) / bottleneck_ms; }
  /// Microbatches that are through by then.
  [[nodiscard]] std::int64_t microbatches_by(double ms) const;
};

/// How layers are put on stages.
enum class Fill : std::uint8_t {
  /// So that the slowest stage is as fast as it can be, and then all together.
  Balanced,
  /// The same by the plain dynamic program over all cuts: for comparison.
  Exhaustive,
  /// Equally many, the remainder over the first.
  Uniform,
  /// As many as a stage has of all memory.
  ByMemory
};

/// Layers of each stage; empty where they do not fit. Curves: one a stage. Balanced is exact: the
/// next layer goes where it makes the least maximum, as curves do not fall; a second pass keeps
/// that maximum and gives the rest to who needs least more time for it. Cost: O(layers log stages),
/// Exhaustive O(stages layers^2).
std::vector<int> fill_layers(const std::vector<const StageCurve*>& curves,
                             const std::vector<double>& rooms, int layers, Fill fill);

struct TemplateOptions {
  Fill fill = Fill::Balanced;
  /// One number of devices, and of groups, for all stages of all types.
  bool uniform_stages = false;
};

/// All pipelines over these nodes that no other is ahead of at every moment, by descending rate:
/// each order of the types, each size of a stage that divides a type's devices (within a node, or
/// whole nodes), each tensor size, each microbatch; for few microbatches also cuts whose slowest
/// stage is slower and whose sum is less. Cost: their number times fill_layers. `planned` counts
/// them.
std::vector<Pipeline> plan_template(const Problem& problem, StageTimes& times,
                                    const NodeCounts& nodes, const TemplateOptions& options,
                                    std::uint64_t& planned);

}  // namespace sluice::hpp

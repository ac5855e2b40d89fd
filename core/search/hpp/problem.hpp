// What the planner of heterogeneous pipelines knows of a cluster and a model: numbers that api made
// of them. HPP: independent pipelines of different shape, each with its own share of the batch.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::hpp {

/// Equal nodes of equal devices.
struct NodeType {
  int nodes = 0;
  /// In one node.
  int devices = 0;
};

/// A way to spend time for memory in one layer: what is made again, as an entry of a list that api
/// keeps. Time of a forward and a backward of a microbatch, ms; bytes, on one device.
struct LayerLevel {
  /// Of the stage's first layer, with what its edges take; of each further one.
  double first_ms = 0;
  double layer_ms = 0;
  /// Of each layer, while a microbatch is in flight.
  double kept = 0;
  /// On top while a layer's backward runs.
  double working = 0;
};

/// A stage but for how many layers it has and how many microbatches are in flight.
struct StageFigures {
  /// Ascending time, descending bytes; the first makes nothing again. Of two neighbours each
  /// operator that the first makes again is one that the second makes again too.
  std::vector<LayerLevel> levels;
  /// Index of the level that is for all layers or none, as it cannot be mixed; -1 without one.
  int whole = -1;
  /// Weights, gradients, state and buffers: of no layer, and more for each.
  double resident = 0;
  double resident_layer = 0;
  /// While an update runs, of no layer and more for each.
  double updating = 0;
  double updating_layer = 0;
  /// Logits of each microbatch in flight; while the output layer runs.
  double logits = 0;
  double head_gradient = 0;
  double forward_working = 0;
  /// What the device has for all that.
  double room = 0;
};

/// So many devices of one type hold a stage: `data` groups of `tensor`.
struct StageShape {
  int type = 0;
  int tensor = 1;
  int data = 1;

  bool operator==(const StageShape&) const = default;
  [[nodiscard]] int devices() const { return tensor * data; }
};

struct Problem {
  std::vector<NodeType> types;
  int layers = 0;
  std::int64_t global_batch = 0;
  /// Ascending: samples of a microbatch; devices that may divide a layer.
  std::vector<std::int64_t> micro_batches;
  std::vector<int> tensor_sizes;
  int most_pipelines = 8;
  /// Operators may be made again.
  bool recompute = true;
  /// Memory counts.
  bool bounded = true;

  /// `samples`: of one group, in one microbatch.
  std::function<StageFigures(const StageShape&, std::int64_t samples, bool first, bool last)>
      figures;
  /// Time of a message of so many samples from one stage to the next, ms.
  std::function<double(const StageShape& from, const StageShape& to, bool same_node,
                       std::int64_t samples)>
      hop_ms;
};

}  // namespace sluice::hpp

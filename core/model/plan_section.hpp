// `plan:`: what `sluice plan` is asked for. A plan names no stages: finding them is the question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// Whose gradients are summed with whose, where pipelines of different shapes train one model.
enum class GradientSync : std::uint8_t {
  /// Nothing is: for comparison with plans that leave it out.
  None,
  /// Equal parts of all that the same devices share, in one buffer.
  Block,
  /// Each tensor by itself.
  Tensor,
  /// All devices that hold parts of one layer, directly or through others, sum all their layers.
  Device,
  /// Devices of the same stage number and place in it, padded to the largest of them.
  Aligned
};

/// `plan.cluster[]`: equal nodes of equal devices. What is not written is the preset's.
struct NodeGroup {
  std::string gpu;
  std::int64_t nodes = 1;
  /// In one node.
  std::int64_t devices = 8;
  std::optional<double> tflops;
  std::optional<double> memory_GiB;
  std::optional<double> memory_bandwidth_GBps;
  /// Between devices of a node, one direction.
  std::optional<double> link_GBps;
  double link_latency_us = 0;

  bool operator==(const NodeGroup&) const = default;
};

struct PlanSection {
  std::vector<NodeGroup> cluster;
  /// Samples of a step, over all pipelines.
  std::int64_t global_batch = 0;
  /// Samples of a microbatch, and devices that divide a layer, that may be chosen.
  std::vector<std::int64_t> micro_batch_sizes{1, 2, 4, 8, 16, 32};
  std::vector<std::int64_t> tensor_parallel{1, 2, 4, 8};
  /// Of one device, between nodes, one direction.
  double cross_node_GBps = 25;
  double cross_node_latency_us = 10;
  GradientSync gradient_sync = GradientSync::Block;
  bool recompute = true;
  std::int64_t most_pipelines = 8;
  /// Divisions of the nodes are skipped unless they may be so many times faster than the best.
  double tolerance = 1;

  bool operator==(const PlanSection&) const = default;
};

}  // namespace sluice

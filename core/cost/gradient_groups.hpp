// Who sums which gradients with whom, where pipelines of different shapes hold the same model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cost/network.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Which devices hold which part of which layer.
struct GradientLayout {
  struct Stage {
    /// Of `parameters`.
    int from = 0;
    int layers = 0;
    /// Devices that divide every layer, and so many such groups.
    int tensor = 1;
    int data = 1;
    /// One more layer that it holds, -1 for none: a tied embedding's second copy.
    int also = -1;
    /// tensor * data of them, group by group.
    std::vector<std::uint32_t> devices;
  };
  std::vector<std::vector<Stage>> pipelines;
  /// Parameters of each layer; what stands before the first and behind the last counts as layers.
  std::vector<double> parameters;
};

/// A stage as far as its gradients go.
struct HeldLayers {
  int layers = 0;
  int tensor = 1;
  int data = 1;
};

/// The stages of several pipelines over one model, their devices numbered on and on. `model` is
/// complete.
GradientLayout gradient_layout(const ModelShape& model,
                               const std::vector<std::vector<HeldLayers>>& pipelines);

/// Devices that sum one buffer up.
struct GradientGroup {
  /// Ascending.
  std::vector<std::uint32_t> members;
  /// In the buffer, padding included.
  double parameters = 0;
  /// Collectives that it is summed in.
  int collectives = 1;
  /// The one of the gradients in it that a backward makes last: lowest layer.
  int first_layer = 0;
};

/// The groups in the one order in which all devices start them: by the time their last gradient is
/// made, deepest layers first, then by members. Those of one member are left out. `tensors` in a
/// layer, for Tensor. Blocks: a layer is cut at every k / t of its owners, so that a block has the
/// same address and size wherever it is held; blocks of the same members are one buffer. Cost:
/// O(layers x cuts x owners). Source: specification of the ETH planner, section 3.3.
std::vector<GradientGroup> gradient_groups(const GradientLayout& layout, GradientSync sync,
                                           int tensors);

/// Tensors in a layer, for GradientSync::Tensor: matrices, their biases, norms.
int tensors_of(const ModelShape& model);

/// Gradients that ranks sum, ms, once all of them are through with a step; a rank stands for all
/// devices of a stage, which work side by side.
struct GradientSum {
  /// Ascending, counted over all pipelines.
  std::vector<std::uint32_t> ranks;
  double ms = 0;

  bool operator==(const GradientSum&) const = default;
};

/// The groups of a layout rank by rank, in their one order: those over the same ranks are one sum.
/// Left out where `reach` of the ranks is nothing.
std::vector<GradientSum> gradient_sums(
    const GradientLayout& layout, GradientSync sync, int tensors, double bytes_per_parameter,
    const std::function<std::optional<Network::Reach>(const std::vector<std::uint32_t>&)>& reach);

/// Time that the device which has most to sum needs for all its groups one after the other, ms.
/// `all_reduce(group, bytes)`: of one collective.
double gradient_sync_ms(
    const std::vector<GradientGroup>& groups, double bytes_per_parameter,
    const std::function<double(const GradientGroup& group, double bytes)>& all_reduce);

}  // namespace sluice

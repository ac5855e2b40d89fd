// How long each operation of a stage takes and how many bytes it moves and holds.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "cost/network.hpp"
#include "model/distribution.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// A duration as offset + scale * sample, never below 0; fixed when the distribution is.
struct DurationModel {
  double offset_ms = 0;
  double scale = 0;
  Distribution noise;

  bool operator==(const DurationModel&) const = default;
  [[nodiscard]] bool fixed() const { return scale == 0 || noise.fixed(); }
  /// Expected duration (the median part where the mean is infinite), ms.
  [[nodiscard]] double typical_ms() const;
};

struct StageCosts {
  DurationModel forward;
  DurationModel backward;
  DurationModel input_grad;
  DurationModel weight_grad;
  /// Arithmetic of one forward microbatch, output layer included; 0 when times are given.
  double forward_flops = 0;
  /// What the stage holds from the start.
  Bytes resident;
  /// What one microbatch in flight holds.
  Bytes activation;

  bool operator==(const StageCosts&) const = default;
};

struct Costs {
  /// One entry a stage, in pipeline order.
  std::vector<StageCosts> stages;
  /// Payload of one activation or gradient over a stage boundary.
  Bytes boundary;
  /// Gradient of one stage, as it is reduced.
  Bytes gradient;
  DurationModel update;
  std::optional<DurationModel> barrier;

  bool operator==(const Costs&) const = default;
};

/// Costs of every stage under `options.cost_model`.
/// `roofline`: forward = launch + max(work / (peak * efficiency), bytes / (bandwidth * efficiency))
/// + head + jitter; the backward is backward_factor times the work, and I and W divide it, so that
/// I + W = B. `hops_roofline`: the equations of HOPS, where I and W each pay launch, floor and
/// head. Explicit times are taken as written. Memory is that of HOPS: weights times 1.5 in half
/// precision. Diagnostics: reference.device at `pipeline.stages[i].device`, key.missing at
/// `pipeline.activation_mb`, reference.node, limit.time. Source: specification of HOPS, compute
/// model; roofline: Williams et al. 2009.
Result<Costs> build_costs(const Scenario& scenario, const Network& network);

}  // namespace sluice

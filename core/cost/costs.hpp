// How long each operation of a stage takes and how many bytes it moves and holds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "cost/certainty.hpp"
#include "cost/gradient_groups.hpp"
#include "cost/memory.hpp"
#include "cost/network.hpp"
#include "cost/transformer.hpp"
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
  /// A forward and a backward of this rank at the same time; without it they take their sum.
  std::optional<DurationModel> overlapped;
  /// Paid when the rank turns to this stage from another.
  Duration gather;
  /// More for the forward of a step's first microbatch.
  Duration first_extra;
  /// Where times follow from layers: what each term takes of a forward and of a whole backward.
  std::optional<StageTerms> forward_terms;
  std::optional<StageTerms> backward_terms;
  /// Arithmetic of one forward microbatch, output layer included; 0 when times are given.
  double forward_flops = 0;
  /// Identical devices that hold it together.
  int devices = 1;
  /// What the stage holds from the start.
  Bytes resident;
  /// What one microbatch in flight holds, and what of that a weight gradient still needs.
  Bytes activation;
  Bytes kept_for_weights;
  /// Where bytes follow from layers.
  std::optional<StageMemory> memory;

  bool operator==(const StageCosts&) const = default;
};

/// Where a stage stands and what it is made of.
struct StagePlace {
  /// Entry of `pipeline.stages` whose work it does.
  std::size_t entry = 0;
  DeviceId device;
  /// Stages that the entry's work is divided over evenly, and which of them this is.
  int parts = 1;
  int part = 0;
  /// Holds the embedding; the output layer.
  bool first = false;
  bool last = false;
  /// Layers of the model in the place of the entry's: for who asks what another cut would cost.
  struct Cut {
    std::int64_t from = 0;
    std::int64_t layers = 0;
  };
  std::optional<Cut> cut = std::nullopt;
};

/// Host time and buffers of a blocking point-to-point call.
struct CallCosts {
  Duration before;
  Duration after;
  /// Between two operations of a rank with no call between them.
  Duration none;
  Bytes buffer;

  bool operator==(const CallCosts&) const = default;
};

/// The sum of the two copies of a tied embedding's gradient, between the first and the last stage,
/// after both have done a step.
struct TiedReduction {
  Bytes bytes;
  /// Bytes a second.
  double rate = 0;

  bool operator==(const TiedReduction&) const = default;
};

/// The gradients of a rank summed over the replicas of the pipeline, ms of the slowest rank; with a
/// distributed optimizer the weights gathered again are in it.
struct ReplicaReduction {
  std::int64_t replicas = 1;
  double ms = 0;

  bool operator==(const ReplicaReduction&) const = default;
};

struct Costs {
  /// One entry a stage, in the order they were placed in.
  std::vector<StageCosts> stages;
  /// Payload of one activation or gradient over a stage boundary.
  Bytes boundary;
  /// Where pipelines have microbatches of different size: of each.
  std::vector<Bytes> boundary_of_pipe;
  /// Gradient of one stage, as it is reduced.
  Bytes gradient;
  /// One entry a device (of the machine) where updates follow from layers or stages write their
  /// own, else empty.
  std::vector<DurationModel> device_updates;
  DurationModel update;
  std::optional<DurationModel> barrier;
  CallCosts calls;
  std::optional<TiedReduction> tied;
  /// Of several pipelines, in the order in which every rank takes part in its own.
  std::vector<GradientSum> sums;
  /// Already in the updates.
  ReplicaReduction replicas;
  /// Where stages name their layers.
  std::optional<ModelSize> model;
  Certainty certainty;
  /// Share of every device's memory that is not for the run.
  double memory_reserve = 0;

  bool operator==(const Costs&) const = default;
};

/// Costs of every place under `options.cost_model`.
/// `roofline`: forward = launch + max(work / (peak * efficiency), bytes / (bandwidth * efficiency))
/// + head + jitter; the backward is backward_factor times the work, and I and W divide it, so that
/// I + W = B. `hops_roofline`: the equations of HOPS, where I and W each pay launch, floor and
/// head. Stages with `layers` take their times from the model's shape, the device and the
/// calibration (cost/transformer), whatever the option. Explicit times are taken as written.
/// Memory is that of HOPS: weights times 1.5 in half
/// precision. Diagnostics: reference.device at `pipeline.stages[i].device`, key.missing at
/// `pipeline.activation_mb`, those of the model's shape (cost/layers), reference.node, limit.time;
/// of `tensor_parallel`, `data_parallel` and `expert_parallel` key.conflict, value.range and
/// link.missing. Source:
/// specification of HOPS, compute model; roofline: Williams et al. 2009.
Result<Costs> build_costs(const Scenario& scenario, const Network& network, const Presets& presets,
                          const std::vector<StagePlace>& places);

/// The same with every entry of `pipeline.stages` a stage of its own, on its own device; entries of
/// unknown devices are left out.
Result<Costs> build_costs(const Scenario& scenario, const Network& network, const Presets& presets);

/// Whether the same layers cost the same on two entries of `pipeline.stages`.
bool same_costs(const Scenario& scenario, const Network& network, std::size_t entry,
                std::size_t other);

/// The group that an entry's `tensor_parallel` makes, joined by its device's own link, or else by
/// the interconnect of one socket.
TensorGroup tensor_group(const StageSpec& stage, const Network& network);

/// The replicas among which `expert_parallel` divides the experts that a device holds, joined as
/// replicas are (replica_reach).
ExpertGroup expert_group(const PipelineSection& pipeline, const Network& network,
                         const Calibration& calibration, const Device& device);

}  // namespace sluice

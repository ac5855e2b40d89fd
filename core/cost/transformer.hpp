// Times of transformer stages from their shape: per layer what is computed and moved, fed through a
// queue of host and device, as launches come one after the other.
#pragma once

#include <cstdint>

#include "base/units.hpp"
#include "cost/layers.hpp"
#include "model/calibration.hpp"
#include "model/machine.hpp"
#include "model/scenario.hpp"

namespace sluice {

enum class OpPart : std::uint8_t { Forward, Backward, InputGrad, WeightGrad };

/// Identical devices that hold a stage together, each an equal part of every matrix.
struct TensorGroup {
  int size = 1;
  /// Norms, masks and what enters and leaves a block are divided too, along the sequence.
  bool sequence = false;
  /// Of the link between two of them.
  BytesPerSecond bandwidth;
  Duration latency;

  bool operator==(const TensorGroup&) const = default;
};

/// Replicas of a stage that divide the experts of its layers: tokens go to the device that holds
/// their expert, and back.
struct ExpertGroup {
  int size = 1;
  /// Of what joins two of them.
  BytesPerSecond bandwidth;
  Duration latency;

  bool operator==(const ExpertGroup&) const = default;
};

/// Time of a ring all-reduce, ms: 2 (n - 1) / n of the bytes over the link, 2 (n - 1) messages.
double all_reduce_ms(double bytes, int devices, BytesPerSecond bandwidth, Duration latency);

/// Time of an all-to-all, ms: each device sends (n - 1) / n of its bytes, one message to each
/// other.
double all_to_all_ms(double bytes, int devices, BytesPerSecond bandwidth, Duration latency);

/// One stage of a model on one device, or on a group of which each takes the same time.
struct TransformerStage {
  int layers = 0;
  /// Holds the embedding; the output layer and the loss.
  bool first = false;
  bool last = false;
  /// Index of its first layer in the model.
  std::int64_t from = 0;
  TensorGroup tensor = {};
  ExpertGroup experts = {};

  bool operator==(const TransformerStage&) const = default;
};

/// What each term takes on the device, ms, summed over the stage. Dispatch is host time.
struct StageTerms {
  double matmul_ms = 0;
  double elementwise_ms = 0;
  double scores_ms = 0;
  double weight_gradient_ms = 0;
  double head_ms = 0;
  double embedding_ms = 0;
  double recompute_ms = 0;
  /// Sums over the tensor-parallel group, those of a recomputation included.
  double tensor_parallel_ms = 0;
  /// Tokens to experts and back, those of a recomputation included.
  double expert_parallel_ms = 0;
  double dispatch_ms = 0;

  bool operator==(const StageTerms&) const = default;
};

struct PartTime {
  double ms = 0;
  StageTerms terms;
};

/// Parameters of the stage's layers, on all devices of its group, embeddings and output layer.
double stage_parameters(const ModelShape& model, const TransformerStage& stage);

/// Of these, what one device holds; and of that, experts that replicas divide.
double device_parameters(const ModelShape& model, const TransformerStage& stage);
double routed_parameters(const ModelShape& model, const TransformerStage& stage);

/// Arithmetic of one forward microbatch on all devices of its group, FLOPs: twice the weights and
/// tokens, the attention products, the output layer.
double stage_flops(const ModelShape& model, const TransformerStage& stage, double samples);

/// Time of one forward, one whole backward, or its input- or weight-gradient part, of `samples`
/// samples. A group divides arithmetic, weights and what its devices do not hold whole, and sums
/// 2 S b h bytes up behind each block of a layer in the forward, and again in the input gradient
/// (sequence parallelism: as many bytes in two parts). Replicas that divide experts send each token
/// to its active ones and back in the forward, its gradients in the input gradient; the most loaded
/// device has experts.imbalance times its share of them. What is recomputed is added to the part
/// that gives the input gradient; a weight gradient by itself makes a recomputed layer, or its
/// norms, again once more. Source: specification of accuracy, section 2; groups: Korthikanti et al.
/// 2022, arXiv 2205.05198; experts: Lepikhin et al. 2020, arXiv 2006.16668, section 3.
PartTime stage_time(OpPart part, const ModelShape& model, const TransformerStage& stage,
                    const Device& device, const Calibration& calibration, double samples,
                    const Recompute& recompute = Recompute::None);

}  // namespace sluice

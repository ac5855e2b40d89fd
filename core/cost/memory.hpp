// Bytes that a transformer stage holds: what stays for the whole run, what a microbatch in flight
// adds, and what comes on top while an operation runs.
#pragma once

#include <cstdint>

#include "base/units.hpp"
#include "cost/transformer.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Beside what is kept, while one operation of a stage runs, at its fullest moment.
struct StageWorking {
  Bytes forward;
  Bytes backward;
  Bytes input_grad;
  Bytes weight_grad;
  Bytes update;

  bool operator==(const StageWorking&) const = default;
};

struct StageMemory {
  /// For the whole run.
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes buffers;
  /// From a microbatch's forward to its backward, and of that, what the output layer keeps.
  Bytes activation;
  Bytes logits;
  /// From the input gradient of a split backward to its weight gradient.
  Bytes kept_for_weights;
  StageWorking working;

  bool operator==(const StageMemory&) const = default;
  [[nodiscard]] Bytes resident() const { return weights + gradients + optimizer + buffers; }
};

/// Mixed precision holds 2 bytes of weight and 12 of optimizer state a parameter (fp32 master and
/// two moments), and a gradient of 4 bytes under bf16, whose sums need fp32 (18 in all), of 2 under
/// fp16 (16), which the update copies to fp32; fp32 4, 8 and 4. Activations of a layer: what its
/// operators keep (cost/layers), of a GPT S b h (34 + 5 a S / h) bytes, without the scores' term
/// for fused attention or selective recomputation, 2 S b h when all is recomputed; fp32 twice that.
/// The last stage adds its norm and logits, 4 S b (h + V). `boundary` sizes one send and one
/// receive buffer. Each device of a tensor-parallel group holds its part: a layer of a GPT then S b
/// h (10 + 24 / t + 5 a S / (h t)), with sequence parallelism all of it over t. `shards` replicas
/// that divide the optimizer's state hold 12 / shards. A weight gradient needs the inputs and
/// output gradients of the matrices, 32 S b h of a GPT's layer; of a recomputed layer its input and
/// the output gradients, 20 S b h.
///
/// While a backward runs, the gradients on both sides of a non-linearity, less what is already let
/// go of: 9 S b h of a GPT's layer, and one recomputed layer; an input gradient lets go of less,
/// 19 S b h. In attention that is not fused the gradients of its scores, 2 a S^2 b bytes, 4 without
/// dropout. The output layer's forward makes one copy of the logits, its backward their gradient in
/// the precision of the weights. Weight gradients are added up in place. Source: Korthikanti et al.
/// 2022, arXiv 2205.05198; Megatron-LM, theoretical_memory_usage.py and, on sums under bf16,
/// arguments.py; of the working set the order in which a backward lets go, by hand.
StageMemory stage_memory(const ModelShape& model, const TransformerStage& stage,
                         Precision precision, double samples, const Recompute& recompute,
                         Bytes boundary, std::int64_t shards = 1);

}  // namespace sluice

// What one layer of a model is: parameters, arithmetic and bytes that it keeps, by its kind and its
// place in the model. Times and memory of stages are sums over layers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostics.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// The shape with what follows from the rest: ffn_dim 4 hidden_dim, kv_heads as heads, head_dim
/// hidden_dim over heads, layers as many as layer_kinds has letters.
ModelShape complete(ModelShape model);

/// What is wrong with a complete shape whose layers are to be simulated, at `pipeline.model`:
/// value.choice (a letter of layer_kinds), value.range (their number; more active experts than
/// there are), key.missing (heads).
Diagnostics check_shape(const ModelShape& model);

/// A matrix that a token is multiplied with: `in` x `out`.
struct Matrix {
  /// Which side the ranks of a tensor-parallel group divide.
  enum class Side : std::uint8_t { In, Out };

  double in = 0;
  double out = 0;
  Side divided = Side::Out;
  /// Equal ones, and the share of all tokens that goes through each: experts.
  double count = 1;
  double token_share = 1;

  bool operator==(const Matrix&) const = default;
};

/// One layer, or sublayer of a hybrid. Bytes and arithmetic are of one token in one forward, bytes
/// in half precision.
struct Layer {
  /// In matrices: of all experts, and those that a token goes through.
  double weights = 0;
  double token_weights = 0;
  /// Of norms and biases.
  double small_parameters = 0;
  /// Products without weights, FLOPs: attention's two, a Mamba layer's scan.
  double mixing_flops = 0;
  /// Kept from forward to backward: what every rank of a tensor-parallel group holds whole, and
  /// what the ranks divide. Attention scores, where they are kept, come on top.
  double whole_bytes = 0;
  double split_bytes = 0;
  double score_bytes = 0;
  /// Of whole_bytes, dropout masks: a weight gradient does without them.
  double mask_bytes = 0;
  /// The layer's input.
  double input_bytes = 0;
  /// Of split_bytes, outputs that can be made again: of the matrices for queries, keys and values,
  /// of attention, of the first feed-forward matrix and of the non-linearity behind it; and the
  /// weights that a token meets in the first and the third of these.
  double queries_bytes = 0;
  double context_bytes = 0;
  double inner_bytes = 0;
  double nonlinear_bytes = 0;
  double queries_weights = 0;
  double inner_weights = 0;
  /// Of experts that a token is sent to, without the shared ones: their weights, those that the
  /// token meets, what they keep of it, and the copy that each receives (and returns).
  double routed_weights = 0;
  double routed_token_weights = 0;
  double routed_split_bytes = 0;
  double routed_copy_bytes = 0;
  /// Some of which every rank holds whole, and some that the ranks divide.
  struct Parts {
    double whole_bytes = 0;
    double split_bytes = 0;

    bool operator==(const Parts&) const = default;
  };
  /// Gradients that the backward of a block has at hand at its fullest moment, less what the block
  /// has let go of by then: of the last block, and of attention without its scores; and what the
  /// blocks behind attention keep.
  Parts working;
  Parts attention_working;
  Parts behind_attention;
  /// Values between two matrices, where they are most.
  double inner = 0;
  /// Attention heads; 0 without attention.
  double heads = 0;
  /// Blocks behind a norm, each ending in one sum over a tensor-parallel group: two of a
  /// transformer layer, one of a sublayer.
  int blocks = 0;
  /// What token_weights is made of, but for small ones.
  std::vector<Matrix> matrices;

  bool operator==(const Layer&) const = default;
};

struct LayerRun {
  Layer layer;
  int count = 0;
};

/// Equal neighbours among `count` layers from the `first` on (from 0), in order. `model` is
/// complete. Parameters: an ungated transformer layer is Megatron's GPT layer, with LayerNorm,
/// biases and dropout (13 h beside its matrices when ffn_dim is 4 h); all others have a norm of h a
/// block and neither biases nor dropout. Activations: each matrix keeps its input, each norm its
/// input, attention its queries, keys, values and context, a block the inputs of its
/// non-linearity: S b h (34 + 5 a S / h) for the GPT layer. Gated: gate, up and their product, 2
/// bytes each; SiLU is made again, as fused kernels do. Experts: each active one receives and
/// returns a copy of the token; router logits are fp32. Source: Korthikanti et al. 2022, arXiv
/// 2205.05198, section 4; Mamba-2: parameters h (2 d + 2 g n + d / head_dim) + d h, d = 2 h,
/// without its convolution; 6 d n FLOPs a token in the scan (the chunked form's constant is an
/// assumption); latent attention: DeepSeek-V3, arXiv 2412.19437, section 2.1.
std::vector<LayerRun> layer_runs(const ModelShape& model, std::int64_t first, std::int64_t count);

struct ModelSize {
  double parameters = 0;
  /// That one token uses; embedding and output layer count.
  double active = 0;

  bool operator==(const ModelSize&) const = default;
};

/// Parameters before the first layer, and behind the last; a tied output layer is one matrix with
/// the embedding where both stand together.
double embedding_parameters(const ModelShape& model, bool first, bool last);

/// Parameters of a whole complete model, its layers and what is before and behind them.
ModelSize model_size(const ModelShape& model);

}  // namespace sluice

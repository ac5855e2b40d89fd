// What it saves and costs to make operators of a layer again in its backward.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/layers.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// Neighbours among a stage's layers that are equal and make the same operators again.
struct RecomputedRun {
  Layer layer;
  int count = 0;
  OperatorSet again = 0;
};

/// As layer_runs.
std::vector<RecomputedRun> recomputed_runs(const ModelShape& model, std::int64_t first,
                                           std::int64_t count, const Recompute& recompute);

/// Of one layer and token, bytes in half precision.
struct MadeAgain {
  /// Not kept, and of attention scores, which the ranks divide.
  Layer::Parts freed;
  double freed_scores_bytes = 0;
  /// Divided among the ranks.
  double flops = 0;
  /// What element-wise operators read and write.
  Layer::Parts moved;
};

/// Each operator of the set is paid once, and so is what it needs and nothing keeps: scores under a
/// softmax, with fused attention all of it under the context. A = a S^2 b, X = S b h: softmax and
/// dropout output free 2 A each, the dropout's mask A; queries, keys and values 6 X for 6 S b h^2
/// FLOPs, the context 2 X for 2 S^2 b h, a norm 2 X, of a GPT's layer the first feed-forward matrix
/// 8 X for 8 S b h^2, the non-linearity 8 X. Scores that fused attention does not keep cost and
/// free nothing. Source: Korthikanti et al. 2022, arXiv 2205.05198, section 4; bytes of
/// element-wise operators: what they read and write, once.
MadeAgain made_again(const ModelShape& model, const Layer& layer, OperatorSet again);

/// Of these, what a weight gradient needs and makes again for itself: norms, whose inputs are kept
/// until then. What others made for the input gradient stays.
OperatorSet again_for_weights(OperatorSet again);

}  // namespace sluice

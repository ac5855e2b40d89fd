#include "cost/recompute.hpp"

namespace sluice {
namespace {

/// Bytes of a score: a value, and a mask.
constexpr double kValue = 2;
constexpr double kMask = 1;
/// Moved by softmax (reads scores and mask, writes) and by dropout.
constexpr double kSoftmaxMoves = 6;
constexpr double kDropoutMoves = 4;
/// FLOPs of a weight that a token meets.
constexpr double kPerWeight = 2;

bool has(OperatorSet set, Operator o) {
  return (set & bit(o)) != 0;
}

void add_norms(const Layer& layer, OperatorSet again, MadeAgain& out) {
  const int norms = (has(again, Operator::Norm1) && layer.blocks > 0 ? 1 : 0) +
                    (has(again, Operator::Norm2) && layer.blocks > 1 ? 1 : 0);
  out.freed.whole_bytes += norms * layer.input_bytes;
  out.moved.whole_bytes += 2 * norms * layer.input_bytes;
}

void add_attention(const ModelShape& model, const Layer& layer, OperatorSet again, MadeAgain& out) {
  if (layer.heads == 0) return;
  const bool unfused = model.attention == AttentionKind::Unfused;
  if (has(again, Operator::Queries)) {
    out.freed.split_bytes += layer.queries_bytes;
    out.flops += kPerWeight * layer.queries_weights;
  }
  if (has(again, Operator::Context)) {
    out.freed.split_bytes += layer.context_bytes;
    out.flops += unfused ? layer.mixing_flops / 2 : layer.mixing_flops;
  }
  if (!unfused) return;
  const double scores = layer.heads * static_cast<double>(model.seq_len);
  if (has(again, Operator::Scores) || has(again, Operator::Softmax))
    out.flops += layer.mixing_flops / 2;
  if (has(again, Operator::Softmax)) {
    out.freed_scores_bytes += kValue * scores;
    out.moved.split_bytes += kSoftmaxMoves * scores;
  }
  if (layer.mask_bytes == 0) return;
  if (has(again, Operator::Dropout)) {
    out.freed_scores_bytes += kValue * scores;
    out.moved.split_bytes += kDropoutMoves * scores;
  }
  if (has(again, Operator::DropoutMask)) out.freed_scores_bytes += kMask * scores;
}

void add_feed_forward(const Layer& layer, OperatorSet again, MadeAgain& out) {
  if (has(again, Operator::Inner)) {
    out.freed.split_bytes += layer.inner_bytes;
    out.flops += kPerWeight * layer.inner_weights;
  }
  if (has(again, Operator::Nonlinear)) {
    out.freed.split_bytes += layer.nonlinear_bytes;
    out.moved.split_bytes += layer.inner_bytes + layer.nonlinear_bytes;
  }
}

}  // namespace

std::vector<RecomputedRun> recomputed_runs(const ModelShape& model, std::int64_t first,
                                           std::int64_t count, const Recompute& recompute) {
  std::vector<RecomputedRun> out;
  std::int64_t index = 0;
  for (const LayerRun& run : layer_runs(model, first, count)) {
    for (int i = 0; i < run.count; ++i) {
      const OperatorSet again = recompute.in_layer(index++);
      if (i > 0 && out.back().again == again) {
        ++out.back().count;
      } else {
        out.push_back({run.layer, 1, again});
      }
    }
  }
  return out;
}

MadeAgain made_again(const ModelShape& model, const Layer& layer, OperatorSet again) {
  MadeAgain out;
  add_norms(layer, again, out);
  add_attention(model, layer, again, out);
  add_feed_forward(layer, again, out);
  return out;
}

OperatorSet again_for_weights(OperatorSet again) {
  return static_cast<OperatorSet>(again & (bit(Operator::Norm1) | bit(Operator::Norm2)));
}

}  // namespace sluice

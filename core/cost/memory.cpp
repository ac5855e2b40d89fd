#include "cost/memory.hpp"

#include <algorithm>
#include <vector>

#include "cost/recompute.hpp"

namespace sluice {
namespace {

constexpr double kHalf = 2;
constexpr double kFull = 4;
/// Of bf16 the sum over microbatches needs fp32, of fp16 it does not; the update then makes a copy.
constexpr double kGradient = 4;
constexpr double kHalfGradient = 2;
constexpr double kMasterAndMoments = 12;
constexpr double kMoments = 8;
constexpr double kLogitBytes = 4;
/// Gradients of a score on both sides of the softmax, less what dropout behind it has let go of.
constexpr double kScoreGradients = 4;
constexpr double kScoreGradientsBehindDropout = 2;

/// Bytes of one layer, in half precision, a token.
struct LayerBytes {
  double kept = 0;
  double kept_for_weights = 0;
  /// At the fullest moment of each operation, with what it makes again.
  double backward = 0;
  double input_grad = 0;
  double weight_grad = 0;
};

class LayerMeter {
 public:
  LayerMeter(const ModelShape& model, const TransformerStage& stage, const Recompute& recompute)
      : model_(model),
        recompute_(recompute),
        ranks_(stage.tensor.size),
        // What every device holds whole is divided only along the sequence.
        whole_(stage.tensor.sequence ? ranks_ : 1),
        load_(stage.experts.size > 1 ? model.experts.imbalance : 1) {}

  [[nodiscard]] LayerBytes of(const RecomputedRun& run) const {
    const Layer& layer = run.layer;
    const bool unfused = model_.attention == AttentionKind::Unfused;
    const double scores = unfused ? layer.score_bytes / ranks_ : 0;
    // Copies come and go.
    const double extra =
        held({(load_ - 1) * 2 * layer.routed_copy_bytes, (load_ - 1) * layer.routed_split_bytes});
    const double all = held({layer.whole_bytes, layer.split_bytes}) + extra + scores;
    // What a gradient overwrites is as large as the gradient. Source: sail-sg/zero-bubble,
    // mem_w = -32 h of 34 h.
    const double for_weights =
        held({layer.whole_bytes - layer.mask_bytes, layer.split_bytes}) + extra;
    LayerBytes out{.kept = all, .kept_for_weights = for_weights};
    double again_scores = 0;
    double again = 0;
    if (recompute_.kind == Recompute::Kind::Full) {
      out.kept = layer.input_bytes / whole_;
      out.kept_for_weights = out.kept + output_gradients(layer);
      out.weight_grad = for_weights - out.kept_for_weights;
      again = all - out.kept;
    } else if (recompute_.kind == Recompute::Kind::Selective) {
      again_scores = scores;
      out.kept = all - scores;
    } else if (run.again != 0) {
      const MadeAgain made = made_again(model_, layer, run.again);
      again = held(made.freed);
      again_scores = made.freed_scores_bytes / ranks_;
      out.kept = all - again - again_scores;
      out.weight_grad = held(made_again(model_, layer, again_for_weights(run.again)).freed);
      out.kept_for_weights = for_weights - out.weight_grad;
    }
    // Scores are made again when the backward comes to them.
    out.backward = again + gradients(layer, again_scores, false);
    out.input_grad = again + gradients(layer, again_scores, true);
    return out;
  }

 private:
  [[nodiscard]] double held(const Layer::Parts& parts) const {
    return parts.whole_bytes / whole_ + parts.split_bytes / ranks_;
  }

  // Of all matrices, which a weight gradient needs.
  [[nodiscard]] double output_gradients(const Layer& layer) const {
    Layer::Parts parts;
    for (const Matrix& m : layer.matrices) {
      const double bytes = kHalf * m.out * m.count * m.token_share;
      (m.divided == Matrix::Side::Out ? parts.split_bytes : parts.whole_bytes) += bytes;
    }
    return held(parts);
  }

  // Beside what is still kept. `split`: what the weight gradient will need is not let go of.
  [[nodiscard]] double gradients(const Layer& layer, double again_scores, bool split) const {
    const double h = kHalf * static_cast<double>(model_.hidden_dim) / whole_;
    const bool feeds = layer.nonlinear_bytes > 0;
    double last = held(layer.working);
    if (split) last += h + (feeds ? layer.nonlinear_bytes : layer.context_bytes) / ranks_;
    if (layer.heads == 0) return last;
    const double scores = layer.heads * static_cast<double>(model_.seq_len) / ranks_;
    const double each = layer.mask_bytes > 0 ? kScoreGradientsBehindDropout : kScoreGradients;
    double attention = held(layer.attention_working) + again_scores;
    if (model_.attention == AttentionKind::Unfused) attention += each * scores;
    if (split) {
      attention += h + layer.context_bytes / ranks_;
    } else {
      attention -= held(layer.behind_attention);
    }
    return std::max(last, attention);
  }

  const ModelShape& model_;
  const Recompute& recompute_;
  double ranks_;
  double whole_;
  /// Tokens at the experts of the most loaded device over their mean.
  double load_;
};

/// The fullest moment of a backward that lets go of one layer after another.
struct Descent {
  double freed = 0;
  double fullest = 0;

  void pass(double needs, double frees) {
    fullest = std::max(fullest, needs - freed);
    freed += frees;
  }
};

void add_layers(const ModelShape& model, const TransformerStage& stage, const Recompute& recompute,
                double scale, double logits, double head_gradient, StageMemory& out) {
  const LayerMeter meter(model, stage, recompute);
  std::vector<RecomputedRun> runs = recomputed_runs(model, stage.from, stage.layers, recompute);
  std::reverse(runs.begin(), runs.end());
  double kept = 0;
  double for_weights = 0;
  double weight_grad = 0;
  Descent backward;
  Descent input_grad;
  for (Descent* d : {&backward, &input_grad}) d->pass(head_gradient, logits);
  for (const RecomputedRun& run : runs) {
    const LayerBytes layer = meter.of(run);
    kept += run.count * layer.kept * scale;
    for_weights += run.count * layer.kept_for_weights * scale;
    weight_grad = std::max(weight_grad, layer.weight_grad * scale);
    for (int i = 0; i < run.count; ++i) {
      backward.pass(layer.backward * scale, layer.kept * scale);
      input_grad.pass(layer.input_grad * scale, (layer.kept - layer.kept_for_weights) * scale);
    }
  }
  out.activation = bytes_from(kept + logits);
  out.logits = bytes_from(logits);
  out.kept_for_weights = bytes_from(for_weights);
  out.working.backward = bytes_from(backward.fullest);
  out.working.input_grad = bytes_from(input_grad.fullest);
  out.working.weight_grad = bytes_from(weight_grad);
}

}  // namespace

StageMemory stage_memory(const ModelShape& model, const TransformerStage& stage,
                         Precision precision, double samples, const Recompute& recompute,
                         Bytes boundary, std::int64_t shards) {
  StageMemory out;
  const bool half = precision != Precision::Fp32;
  const double ranks = stage.tensor.size;
  const double parameters = device_parameters(model, stage);
  out.weights = bytes_from(parameters * (half ? kHalf : kFull));
  const bool half_gradients = precision == Precision::Fp16;
  out.gradients = bytes_from(parameters * (half_gradients ? kHalfGradient : kGradient));
  // Experts have fewer replicas, which divide their state alone.
  const double routed = routed_parameters(model, stage);
  const auto divided = static_cast<double>(shards);
  const double expert_shards = shards > 1 ? divided / stage.experts.size : 1;
  const double state = (parameters - routed) / divided + routed / expert_shards;
  out.optimizer = bytes_from(state * (half ? kMasterAndMoments : kMoments));
  if (half_gradients) out.working.update = bytes_from(state * kGradient);
  out.buffers = boundary + boundary;
  const double wide = half ? 1 : 2;
  const double tokens = static_cast<double>(model.seq_len) * samples;
  double logits = 0;
  double head_gradient = 0;
  if (stage.last) {
    const double whole = stage.tensor.sequence ? ranks : 1;
    const double scores = static_cast<double>(model.vocab_size) / ranks * tokens;
    logits =
        kLogitBytes * tokens * static_cast<double>(model.hidden_dim) / whole + kLogitBytes * scores;
    head_gradient = kHalf * wide * scores;
    out.working.forward = bytes_from(kLogitBytes * scores);
  }
  add_layers(model, stage, recompute, tokens * wide, logits, head_gradient, out);
  return out;
}

}  // namespace sluice

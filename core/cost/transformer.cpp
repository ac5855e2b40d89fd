#include "cost/transformer.hpp"

#include <algorithm>
#include <vector>

#include "cost/matmul.hpp"
#include "cost/recompute.hpp"

namespace sluice {
namespace {

constexpr double kMega = 1e6;
constexpr double kMsPerSecond = 1000;
/// Launches of one layer that the host hands over one after the other.
constexpr int kSegments = 6;
/// Host work of a split backward: most of autograd's graph is walked for the input gradient.
/// Assumption: two thirds.
constexpr double kInputGradHost = 2.0 / 3.0;
/// Bytes that a GPT layer keeps for each token and hidden unit: the constants of element-wise time
/// were fitted on such layers, and others move as much more or less as they keep. Assumption.
constexpr double kFittedBytes = 34;
/// Blocks of such a layer; host time goes by blocks. Assumption.
constexpr double kFittedBlocks = 2;
/// Bytes of a value that is sent.
constexpr double kHalf = 2;

// Work waits for its launch and for what was launched before it.
class HostQueue {
 public:
  explicit HostQueue(double start_ms) : host_(start_ms), device_(start_ms) {}

  void add(double host_ms, double device_ms, int pieces = 1) {
    for (int i = 0; i < pieces; ++i) {
      host_ += host_ms / pieces;
      device_ = std::max(device_, host_) + device_ms / pieces;
    }
    dispatch_ += host_ms;
  }
  [[nodiscard]] double end() const { return std::max(host_, device_); }
  [[nodiscard]] double dispatch() const { return dispatch_; }

 private:
  double host_;
  double device_;
  double dispatch_ = 0;
};

/// Rates of a device under a calibration, and the sizes that recur.
class StageModel {
 public:
  StageModel(const ModelShape& model, const Device& device, const Calibration& calibration,
             const TransformerStage& stage, double samples, const Recompute& recompute)
      : model_(model),
        recompute_(recompute),
        group_(stage.tensor),
        experts_(stage.experts),
        ranks_(group_.size),
        load_(experts_.size > 1 ? model.experts.imbalance : 1),
        fit_(calibration.device(device.preset)),
        c_(calibration.constants),
        flops_per_ms_(device.peak.value * fit_.matmul_efficiency / kMsPerSecond),
        bytes_per_ms_(device.memory_bandwidth.value * fit_.bandwidth_efficiency / kMsPerSecond),
        tokens_(samples * static_cast<double>(model.seq_len)) {}

  [[nodiscard]] PartTime time(OpPart part, const TransformerStage& stage) const {
    const bool forward = part == OpPart::Forward;
    HostQueue queue(forward ? c_.call_start_ms : 0);
    StageTerms terms;
    if (forward) {
      if (stage.first) queue.add(c_.embedding_forward_ms, 0);
      add_layers(part, stage, queue, terms);
      if (stage.last) add_head(part, queue, terms);
    } else {
      if (stage.last) add_head(part, queue, terms);
      add_layers(part, stage, queue, terms);
      if (stage.first) add_embedding(part, queue, terms);
    }
    terms.dispatch_ms = queue.dispatch();
    return {queue.end(), terms};
  }

 private:
  [[nodiscard]] double memory_ms(double bytes) const { return bytes / bytes_per_ms_; }

  // Part of a tensor stays in the cache between its producer and its consumer.
  [[nodiscard]] double cached_ms(double bytes, double tensor_bytes) const {
    const double share =
        tensor_bytes > 0 ? std::min(1.0, c_.cache_share * fit_.l2_MB * kMega / tensor_bytes) : 1;
    return memory_ms(bytes) * ((1 - share) + share / c_.cache_gain);
  }

  // Forward once; backward twice, one of them for the weights.
  [[nodiscard]] static double passes(OpPart part) { return part == OpPart::Backward ? 2 : 1; }
  [[nodiscard]] static double host_share(OpPart part) {
    if (part == OpPart::InputGrad) return kInputGradHost;
    return part == OpPart::WeightGrad ? 1 - kInputGradHost : 1;
  }
  [[nodiscard]] static bool makes_weight_gradients(OpPart part) {
    return part == OpPart::Backward || part == OpPart::WeightGrad;
  }

  void add_layers(OpPart part, const TransformerStage& stage, HostQueue& queue,
                  StageTerms& terms) const {
    std::vector<RecomputedRun> runs = recomputed_runs(model_, stage.from, stage.layers, recompute_);
    if (part != OpPart::Forward) std::reverse(runs.begin(), runs.end());
    for (const RecomputedRun& run : runs) add_run(part, run, queue, terms);
  }

  void add_run(OpPart part, const RecomputedRun& run, HostQueue& queue, StageTerms& terms) const {
    const Layer& layer = run.layer;
    const double blocks = layer.blocks / kFittedBlocks;
    // They have no weights: their backward is all input gradient.
    double flops = passes(part) * 2 * tokens_ * token_weights(layer) * waves(part, layer);
    if (part != OpPart::WeightGrad)
      flops += (part == OpPart::Forward ? 1 : 2) * tokens_ * layer.mixing_flops;
    const double matmul = flops / flops_per_ms_ / ranks_;
    double elementwise = 0;
    double scores = 0;
    if (part != OpPart::WeightGrad) {
      const bool forward = part == OpPart::Forward;
      elementwise = elementwise_ms(
          layer, forward ? c_.elementwise_forward_bytes : c_.elementwise_backward_bytes);
      scores = scores_ms(layer, forward ? c_.scores_forward_bytes : c_.scores_backward_bytes);
    }
    const double elsewhere = 1 - 1.0 / experts_.size;
    const double held_weights = layer.weights - elsewhere * layer.routed_weights;
    const double gradient = makes_weight_gradients(part)
                                ? memory_ms(c_.weight_gradient_bytes * held_weights / ranks_)
                                : 0;
    double host = (part == OpPart::Forward ? fit_.host_forward_ms : fit_.host_backward_ms) *
                  blocks * host_share(part);
    // Whole layers are made again before each part of a backward, sums and exchanges included.
    const bool whole_again = recompute_.kind == Recompute::Kind::Full && part != OpPart::Forward;
    if (whole_again) host += fit_.host_forward_ms * blocks;
    const int rounds = (part == OpPart::WeightGrad ? 0 : 1) + (whole_again ? 1 : 0);
    const double sums = rounds * sum_ms() * layer.blocks;
    const double exchanges = rounds * 2 * exchange_ms(layer);
    const double again = again_ms(part, layer, run.again);
    const double split =
        part == OpPart::InputGrad || part == OpPart::WeightGrad ? 1 + c_.split_backward_extra : 1;
    const double device =
        (matmul + elementwise + scores + gradient + again) * split + sums + exchanges;
    for (int i = 0; i < run.count; ++i) queue.add(host, device, kSegments);
    terms.recompute_ms += run.count * again;
    terms.tensor_parallel_ms += run.count * sums;
    terms.expert_parallel_ms += run.count * exchanges;
    terms.matmul_ms += run.count * matmul;
    terms.elementwise_ms += run.count * elementwise;
    terms.scores_ms += run.count * scores;
    terms.weight_gradient_ms += run.count * gradient;
  }

  // On the most loaded device.
  [[nodiscard]] double token_weights(const Layer& layer) const {
    return layer.token_weights + (load_ - 1) * layer.routed_token_weights;
  }

  // What is made again for one part of a backward, without sums and exchanges.
  [[nodiscard]] double again_ms(OpPart part, const Layer& layer, OperatorSet set) const {
    if (part == OpPart::Forward) return 0;
    const double products = tokens_ * layer.mixing_flops;
    if (recompute_.kind == Recompute::Kind::Full) {
      return (2 * tokens_ * token_weights(layer) + products) / flops_per_ms_ / ranks_ +
             (elementwise_ms(layer, c_.elementwise_forward_bytes) +
              scores_ms(layer, c_.scores_forward_bytes));
    }
    if (recompute_.kind == Recompute::Kind::Selective) {
      if (part == OpPart::WeightGrad || layer.heads == 0) return 0;
      return products / flops_per_ms_ / ranks_ + scores_ms(layer, c_.scores_forward_bytes);
    }
    if (part == OpPart::WeightGrad) set = again_for_weights(set);
    if (set == 0) return 0;
    const MadeAgain made = made_again(model_, layer, set);
    const double whole = group_.sequence ? ranks_ : 1;
    return tokens_ * made.flops / flops_per_ms_ / ranks_ +
           memory_ms(tokens_ * (made.moved.whole_bytes / whole + made.moved.split_bytes / ranks_));
  }

  // Time of a layer's matrix products over that with all multiprocessors busy.
  [[nodiscard]] double waves(OpPart part, const Layer& layer) const {
    if (fit_.multiprocessors == 0 || layer.matrices.empty()) return 1;
    if (part == OpPart::Backward) {
      return (waves(OpPart::InputGrad, layer) + waves(OpPart::WeightGrad, layer)) / 2;
    }
    double ideal = 0;
    double real = 0;
    for (const Matrix& m : layer.matrices) {
      const double in = m.divided == Matrix::Side::In ? m.in / ranks_ : m.in;
      const double out = m.divided == Matrix::Side::Out ? m.out / ranks_ : m.out;
      const double rows = part == OpPart::WeightGrad ? in : tokens_ * m.token_share;
      const double columns = part == OpPart::InputGrad ? in : out;
      const double work = m.in * m.out * m.token_share * m.count;
      ideal += work;
      real += work / wave_share(rows, columns, fit_.multiprocessors);
    }
    return real / ideal;
  }

  [[nodiscard]] double elementwise_ms(const Layer& layer, double bytes) const {
    const double whole = group_.sequence ? layer.whole_bytes / ranks_ : layer.whole_bytes;
    const double width = (whole + layer.split_bytes / ranks_) / kFittedBytes;
    return cached_ms(bytes * tokens_ * width, 2 * tokens_ * layer.inner / ranks_);
  }
  [[nodiscard]] double scores_ms(const Layer& layer, double bytes) const {
    if (model_.attention != AttentionKind::Unfused) return 0;
    const double scores = tokens_ * static_cast<double>(model_.seq_len) * layer.heads / ranks_;
    return cached_ms(bytes * scores, 4 * scores);
  }

  // Behind a block: the group adds up its parts of the output.
  [[nodiscard]] double sum_ms() const {
    return all_reduce_ms(kHalf * tokens_ * static_cast<double>(model_.hidden_dim), group_.size,
                         group_.bandwidth, group_.latency);
  }

  // Tokens to the devices of their experts, or back; along the sequence each rank sends its part.
  [[nodiscard]] double exchange_ms(const Layer& layer) const {
    if (layer.routed_copy_bytes == 0) return 0;
    const double whole = group_.sequence ? ranks_ : 1;
    return all_to_all_ms(load_ * tokens_ * layer.routed_copy_bytes / whole, experts_.size,
                         experts_.bandwidth, experts_.latency);
  }

  void add_head(OpPart part, HostQueue& queue, StageTerms& terms) const {
    const auto h = static_cast<double>(model_.hidden_dim);
    const auto v = static_cast<double>(model_.vocab_size);
    double ms = passes(part) * 2 * tokens_ * h * v / flops_per_ms_;
    if (part == OpPart::Forward) ms += memory_ms(c_.logits_forward_bytes * tokens_ * v);
    if (part == OpPart::Backward || part == OpPart::InputGrad)
      ms += memory_ms(c_.logits_backward_bytes * tokens_ * v);
    if (makes_weight_gradients(part)) ms += memory_ms(c_.weight_gradient_bytes * h * v);
    ms /= ranks_;
    const double host =
        (part == OpPart::Forward ? c_.head_forward_ms : c_.head_backward_ms) * host_share(part);
    constexpr int kHalves = 2;
    queue.add(host, ms, kHalves);
    terms.head_ms += ms;
  }

  // The gradient of the embedding is dense: it is added up for every microbatch.
  void add_embedding(OpPart part, HostQueue& queue, StageTerms& terms) const {
    const double weights =
        static_cast<double>(model_.hidden_dim) * static_cast<double>(model_.vocab_size);
    const double ms = makes_weight_gradients(part)
                          ? memory_ms(c_.embedding_gradient_bytes * weights / ranks_)
                          : 0;
    queue.add(c_.embedding_backward_ms * host_share(part), ms);
    terms.embedding_ms += ms;
  }

  const ModelShape& model_;
  const Recompute& recompute_;
  const TensorGroup& group_;
  const ExpertGroup& experts_;
  double ranks_;
  /// Tokens at the experts of the most loaded device over their mean.
  double load_;
  const DeviceCalibration& fit_;
  const CalibrationConstants& c_;
  double flops_per_ms_;
  double bytes_per_ms_;
  double tokens_;
};

}  // namespace

double all_reduce_ms(double bytes, int devices, BytesPerSecond bandwidth, Duration latency) {
  if (devices < 2) return 0;
  const double rounds = 2.0 * (devices - 1);
  return rounds / devices * bytes / bandwidth.value * kMsPerSecond + rounds * to_ms(latency);
}

double all_to_all_ms(double bytes, int devices, BytesPerSecond bandwidth, Duration latency) {
  if (devices < 2) return 0;
  const double others = devices - 1;
  return others / devices * bytes / bandwidth.value * kMsPerSecond + others * to_ms(latency);
}

double stage_parameters(const ModelShape& model, const TransformerStage& stage) {
  double parameters = 0;
  for (const LayerRun& run : layer_runs(model, stage.from, stage.layers))
    parameters += run.count * (run.layer.weights + run.layer.small_parameters);
  return parameters + embedding_parameters(model, stage.first, stage.last);
}

double routed_parameters(const ModelShape& model, const TransformerStage& stage) {
  double routed = 0;
  for (const LayerRun& run : layer_runs(model, stage.from, stage.layers))
    routed += run.count * run.layer.routed_weights;
  return routed / stage.experts.size / stage.tensor.size;
}

double device_parameters(const ModelShape& model, const TransformerStage& stage) {
  const double divided = stage.experts.size - 1;
  return stage_parameters(model, stage) / stage.tensor.size -
         divided * routed_parameters(model, stage);
}

double stage_flops(const ModelShape& model, const TransformerStage& stage, double samples) {
  const double tokens = samples * static_cast<double>(model.seq_len);
  double flops = 0;
  for (const LayerRun& run : layer_runs(model, stage.from, stage.layers)) {
    flops += run.count * (2 * tokens * run.layer.token_weights + tokens * run.layer.mixing_flops);
  }
  if (stage.last)
    flops +=
        2 * tokens * static_cast<double>(model.hidden_dim) * static_cast<double>(model.vocab_size);
  return flops;
}

PartTime stage_time(OpPart part, const ModelShape& model, const TransformerStage& stage,
                    const Device& device, const Calibration& calibration, double samples,
                    const Recompute& recompute) {
  return StageModel(model, device, calibration, stage, samples, recompute).time(part, stage);
}

}  // namespace sluice

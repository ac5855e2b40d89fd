// The optimizer of one stage: state beside its weights, one update at a time. Stages do not know of
// each other; so neither do their optimizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/diagnostics.hpp"
#include "learn/muon.hpp"
#include "learn/parameters.hpp"

namespace sluice::learn {

enum class OptimizerKind : std::uint8_t { Sgd, Momentum, AdamW, NAdam, Muon };

struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::Momentum;
  double rate = 0.02;
  /// Of Momentum and Muon.
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double epsilon = 1e-8;
  /// Decoupled: weights shrink by rate times this at each update.
  double decay = 0;
  /// Largest norm of a stage's gradient, or 0 for none.
  double clip = 0;
  /// Muon: rate of vectors, embeddings and the head, which AdamW moves.
  double vector_rate = 0.003;
  /// Microbatches over which the rate rises from 0; the same for arms of any batch.
  std::uint32_t warm_up = 0;
  /// Divides each stage's rate by 1 + the mean of updates between its forwards and their update.
  bool scale_by_delay = false;
  /// Forwards read w - delay times the last change: where the weights will be, if they go on so.
  bool predict = false;

  bool operator==(const OptimizerSpec&) const = default;
};

/// What is wrong with it (value.range), with paths such as `optimizer.rate`.
Diagnostics check(const OptimizerSpec& spec);

class Optimizer {
 public:
  Optimizer(const OptimizerSpec& spec, const StageParameters& parameters);

  /// One update: next = weights (1 - rate decay) - change. `gradient` is clipped in place. All have
  /// the stage's size; `next` is not `weights`. `scale` multiplies the rate. Cost: O(weights), for
  /// Muon's matrices 30 products of their size.
  ///
  /// The change of momentum SGD is rate m, of AdamW rate m / (sqrt(v) + epsilon) with both means
  /// unbiased, of NAdam the same with one step of look-ahead in m. Source: Loshchilov and Hutter
  /// 2019; Dozat 2016 with a constant momentum.
  void step(double scale, float* gradient, const float* weights, float* next, float* change);

 private:
  void clip(float* gradient) const;
  void momentum(const float* gradient, std::size_t begin, std::size_t end, double rate,
                float* change);
  void adam(const float* gradient, std::size_t begin, std::size_t end, double rate, float* change);
  void muon(const float* gradient, double scale, float* change);

  OptimizerSpec spec_;
  std::vector<Parameter> parts_;
  std::size_t size_;
  std::vector<float> mean_;
  std::vector<float> square_;
  /// beta^t after t updates.
  double power1_ = 1;
  double power2_ = 1;
  Orthogonalizer orthogonalizer_;
};

}  // namespace sluice::learn

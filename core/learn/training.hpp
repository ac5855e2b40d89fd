// One training run as a schedule would have made it: microbatches in order, each pass with the
// version of the weights that the table says. The clock plays no part, and neither does the order
// in which passes of different microbatches alternate: at each stage gradients are added in order
// of microbatches, which is all that the weights depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "learn/model.hpp"
#include "learn/optimizer.hpp"
#include "learn/table_needs.hpp"
#include "learn/version_ring.hpp"
#include "metrics/versions.hpp"

namespace sluice::learn {

/// Everything a run depends on: equal specs make equal bytes.
struct ArmSpec {
  ModelSpec model;
  OptimizerSpec optimizer;
  /// Of the first weights and of which samples come; arms of one seed see the same.
  std::uint64_t seed = 0;
  VersionTable table;
  /// Samples of each microbatch, or empty: the model's batch. At most that.
  std::vector<std::uint32_t> samples;
  /// Factor of each microbatch's gradient in its update's sum, or empty: one over the number of
  /// microbatches in the update. For unlike pipelines: its samples over those of the update.
  std::vector<float> weights;
  /// Microbatches between two points of the curve.
  std::uint32_t test_every = 512;
};

struct LossPoint {
  std::uint64_t samples = 0;
  /// Mean over the samples since the point before.
  double train = 0;
  /// On held-out samples, with the newest weights of each stage.
  double test = 0;

  bool operator==(const LossPoint&) const = default;
};

class Training {
 public:
  /// Refuses specs that `check` finds fault with, tables that cannot be replayed (`table_needs`) or
  /// have not the model's stages, lists of the wrong length (value.range), and versions that take
  /// more than 1 GiB at once (capacity.exceeded).
  static Result<Training> start(ArmSpec spec);

  /// Replays so many more microbatches; true when over. `step(1)` n times equals `step(n)`.
  bool step(std::uint32_t microbatches);
  [[nodiscard]] bool over() const { return diverged_ || done_ == total(); }
  [[nodiscard]] std::uint32_t done() const { return done_; }
  [[nodiscard]] std::uint32_t total() const { return spec_.table.microbatches; }
  /// Points so far; the last is at the end, unless the run diverged.
  [[nodiscard]] const std::vector<LossPoint>& curve() const { return curve_; }
  /// A loss that is no number, or a mean over 64 microbatches above twice that of guessing (linear
  /// models: a million times the first). The run is over then.
  [[nodiscard]] bool diverged() const { return diverged_; }
  /// Of a run that is over and did not diverge.
  [[nodiscard]] std::optional<double> test_loss() const;
  /// Newest weights of a stage.
  [[nodiscard]] const float* weights(std::uint32_t stage) const;
  /// Of the newest weights of all stages, bit by bit; whatever is not a number counts as one.
  [[nodiscard]] std::uint64_t weights_hash() const;
  [[nodiscard]] const Model<float>& model() const { return model_; }
  [[nodiscard]] const TableNeeds& needs() const { return needs_; }

 private:
  Training(ArmSpec spec, TableNeeds needs, Model<float> model);

  struct Stage {
    VersionRing versions;
    /// Change that led to each version, where forwards look ahead.
    VersionRing changes;
    Optimizer optimizer;
    std::vector<float> sum;
    std::vector<float> kept;
    std::uint32_t summed = 0;
  };

  void microbatch();
  bool forward(double& loss);
  void backward();
  const float* forward_weights(std::uint32_t stage);
  void add(Stage& stage);
  void update(std::uint32_t s);
  void note(double loss);
  double test();

  ArmSpec spec_;
  TableNeeds needs_;
  Model<float> model_;
  std::vector<Stage> stages_;
  Batch<float> batch_;
  Workspace<float> work_;
  /// What stages hand on, forwards and backwards, in turn.
  std::vector<float> here_;
  std::vector<float> there_;
  std::vector<float> gradient_;
  std::vector<float> change_;
  std::vector<float> predicted_;
  /// What tests keep and nobody reads.
  std::vector<float> unread_;

  std::uint32_t done_ = 0;
  std::uint64_t samples_ = 0;
  bool diverged_ = false;
  std::vector<LossPoint> curve_;
  double since_point_ = 0;
  std::uint64_t samples_since_point_ = 0;
  double recent_ = 0;
  std::uint32_t in_recent_ = 0;
};

}  // namespace sluice::learn

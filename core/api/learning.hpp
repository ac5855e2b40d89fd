// What a schedule's stale weights do to learning: the schedules of one scenario, each played by the
// engine for its times and versions, each replayed on the same small model and the same samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/load.hpp"
#include "base/result.hpp"
#include "learn/training.hpp"
#include "metrics/versions.hpp"

namespace sluice {

/// "mlp", "transformer" or "linear"; nothing for another word.
std::optional<learn::ModelKind> learn_model(std::string_view word);
std::string_view learn_model_word(learn::ModelKind kind);
/// "sgd", "momentum", "adamw", "nadam" or "muon", with a rate at which the small models learn well.
std::optional<learn::OptimizerSpec> learn_optimizer(std::string_view word);

struct LearnRequest {
  /// Values of `pipeline.schedule` beside the scenario's own, which comes first.
  std::vector<std::string> schedules;
  learn::ModelKind model = learn::ModelKind::CharMlp;
  learn::OptimizerSpec optimizer;
  /// Learning rates for an update of one batch of the scenario; an arm that updates after fewer
  /// microbatches takes as much less. Empty: the optimizer's.
  std::vector<double> rates;
  int seeds = 5;
  /// Of each run; and between two points of its curve.
  std::uint32_t microbatches = 4096;
  std::uint32_t test_every = 256;
  /// Test loss whose time is asked for; without, the largest that any arm ends with.
  std::optional<double> target;
};

/// A schedule of the comparison.
struct LearnArm {
  std::string schedule;
  /// Why it cannot run here; "" when it can. Then all else is empty.
  std::string refused;
  bool synchronous = true;
  std::uint32_t microbatches_per_update = 1;
  /// Of the asked rate, the part that it takes.
  double rate_factor = 1;
  VersionTable table;
  Staleness staleness;
  /// Its forwards read predicted weights.
  bool predicts = false;
  int weight_copies = 1;
  /// Mean over ranks of the part of the run in which they compute; and of the fullest device.
  double utilization = 0;
  Bytes peak_memory;
  /// Most microbatches that a rank has between their forward and their weight gradient.
  double peak_in_flight = 0;
  /// That each rank sends for the sums of one update; none where updates take no time.
  Bytes summed;
  /// When microbatches 0 to i are all through, ps, by i.
  std::vector<std::int64_t> done_ps;

  [[nodiscard]] double ms_per_microbatch() const;
};

struct LearnedSeed {
  std::uint64_t seed = 0;
  bool diverged = false;
  std::optional<double> test_loss;
  std::vector<learn::LossPoint> curve;
  std::uint64_t weights_hash = 0;
};

/// An arm at one rate, over all seeds.
struct LearnedCase {
  std::size_t arm = 0;
  double rate = 0;
  std::vector<LearnedSeed> seeds;

  [[nodiscard]] int diverged() const;
  /// Of final test losses, over the seeds that did not diverge.
  [[nodiscard]] std::optional<double> mean() const;
  /// Of one seed; nothing below two of them.
  [[nodiscard]] std::optional<double> sd() const;
};

class Learning {
 public:
  /// Diagnostics: of the scenario as it is; value.range of the request; those of Training.
  static Result<Learning> make(std::string_view text, const std::vector<Setting>& settings,
                               LearnRequest request);

  /// So many more microbatches; true when over. `step(1)` n times equals `step(n)`.
  bool step(std::uint64_t microbatches);
  /// In microbatches; a run that diverges counts as a whole one.
  [[nodiscard]] std::uint64_t done() const;
  [[nodiscard]] std::uint64_t total() const;

  [[nodiscard]] const std::vector<LearnArm>& arms() const { return arms_; }
  /// Those with a seed that is over or under way, by rate, then arm.
  [[nodiscard]] const std::vector<LearnedCase>& cases() const { return cases_; }
  [[nodiscard]] std::uint32_t stages() const { return model_.stages; }

  /// The loss that the times are for; nothing while no arm has ended.
  [[nodiscard]] std::optional<double> target() const;
  /// Microbatches, and simulated time, until the mean curve of the case's seeds is at the target;
  /// nothing where it never is or a seed diverged.
  struct Reached {
    double microbatches = 0;
    double ms = 0;
  };
  [[nodiscard]] std::optional<Reached> reached(const LearnedCase& one, double target) const;
  /// The largest rate at which no seed of the arm diverged.
  [[nodiscard]] std::optional<double> stable_rate(std::size_t arm) const;

  /// {"model", "arms", "cases", ...}, with curves.
  [[nodiscard]] std::string json(int indent) const;
  /// A row a point: schedule, rate, seed, samples, simulated ms, losses.
  [[nodiscard]] std::string csv() const;

 private:
  Learning(LearnRequest request, learn::ModelSpec model, std::vector<LearnArm> arms);

  [[nodiscard]] std::uint64_t runs() const;
  Result<learn::Training> begin_run(std::uint64_t run) const;
  void note();

  LearnRequest request_;
  learn::ModelSpec model_;
  std::vector<LearnArm> arms_;
  /// Entries of `arms_` that run.
  std::vector<std::size_t> able_;
  std::vector<LearnedCase> cases_;
  std::uint64_t run_ = 0;
  std::unique_ptr<learn::Training> training_;
};

}  // namespace sluice

// Finds a plan for a scenario: every known schedule, then the tuner; judged by the engine that
// draws the timeline.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/adaptive.hpp"
#include "api/instance.hpp"
#include "api/load.hpp"
#include "api/run.hpp"
#include "base/result.hpp"
#include "io/overlay.hpp"
#include "search/tuner.hpp"

namespace sluice {

/// "partition", "placement", "schedule"; nothing when a name is none of them.
std::optional<Axes> axes_of(const std::vector<std::string>& names);

struct TuneRequest {
  std::uint64_t seed = 0;
  /// Orders that the tuner times, beside the known schedules.
  std::uint64_t evaluations = 40'000;
  /// May change; what cannot in this scenario stays as it is.
  Axes axes;
  /// Also tune each axis by itself, to say what it contributes.
  bool ablation = true;
  /// Known schedules to play; empty: all synchronous ones that the scenario's physics has, or 1F1B
  /// alone where the order may not change. What needs a placement that may not change is left out.
  std::vector<std::string> schedules;
};

/// A schedule or plan as the engine played it.
struct TunedCandidate {
  std::string name;
  Duration makespan;
  /// Of the fullest device.
  Bytes peak_memory;
  bool fits = false;
  /// Why it cannot run here; "" when it can.
  std::string reason;
};

/// A tuned plan: what it was made with, and its run.
struct TunedPlan {
  TunedCandidate result;
  std::shared_ptr<const Run> run;
};

/// The scenario with this plan in it, its order written out.
std::string plan_yaml(const TunedPlan& plan);

/// One axis tuned by itself, the others as in plain 1F1B with layers spread uniformly.
struct AxisResult {
  const char* name = "";
  std::optional<Duration> makespan;
};

class Tuning {
 public:
  /// Diagnostics: of the scenario. What is written under `pipeline.schedule` need not be possible.
  static Result<Tuning> make(std::string_view text, const std::vector<Setting>& settings,
                             TuneRequest request);
  static Result<Tuning> make(ReadScenario read, const Presets& presets, TuneRequest request);

  /// So many more evaluations: a known schedule that is played, or an order that is timed; true
  /// when over. `step(1)` n times equals `step(n)`.
  bool step(std::uint64_t evaluations);
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t total() const;

  /// The fastest that fits, by the engine; nothing before the first schedule that fits.
  [[nodiscard]] const std::optional<TunedPlan>& best() const { return best_; }
  /// As `best`, what the tuner has found so far played as well. Costs a run; changes nothing.
  [[nodiscard]] std::optional<TunedPlan> best_so_far() const;
  /// Rises when `best_so_far` may have changed.
  [[nodiscard]] std::uint64_t version() const {
    return version_ + (tuner_ ? tuner_->version() : 0);
  }
  /// As tried; the tuner's plans come last.
  [[nodiscard]] const std::vector<TunedCandidate>& candidates() const { return candidates_; }
  [[nodiscard]] const std::vector<AxisResult>& ablation() const { return axes_; }
  /// Of all plans that the tuner could make, and what of a step it is: "work" or "chain" (see
  /// InstanceBounds). Without the optimizer phase.
  [[nodiscard]] Duration lower_bound() const;
  [[nodiscard]] const char* binding() const;
  /// Of those that hold each layer once; at least the other.
  [[nodiscard]] Duration whole_layers_bound() const;
  /// The scenario with the best plan in it, its order written out; "" without one.
  [[nodiscard]] std::string plan_yaml() const { return best_ ? sluice::plan_yaml(*best_) : ""; }
  /// {"best": {...}, "candidates": [...], ...}; without the plan where nothing fits. `seconds`
  /// stands in it when given.
  [[nodiscard]] std::string json(int indent, std::optional<double> seconds) const;
  /// What `adaptive` takes of it: the best that fits, else what needs least memory.
  [[nodiscard]] Result<AdaptiveChoice> choice() const;
  /// Of the base scenario.
  [[nodiscard]] const Instance& instance() const { return *instance_; }

 private:
  enum class Phase : std::uint8_t { Written, Known, Axes, Tune, Judge, Over };

  Tuning(TuneRequest request, ReadScenario read, const Presets& presets, Loaded base);

  void begin_axes();
  void begin_tuner();
  void as_written();
  void known_one();
  void axis_step();
  void tune_step();
  void judge_one();
  [[nodiscard]] std::optional<TunedPlan> judged(const FoundPlan& plan) const;
  void consider(TunedPlan plan);
  void refuse(std::string name, std::string reason);
  [[nodiscard]] Result<std::shared_ptr<const Run>> play(Scenario scenario) const;

  TuneRequest request_;
  ReadScenario read_;
  const Presets& presets_;
  /// The scenario with a schedule that runs whatever the ranks.
  std::unique_ptr<Loaded> base_;
  std::unique_ptr<Instance> instance_;
  Phase phase_ = Phase::Written;
  std::uint64_t done_ = 0;
  std::size_t name_ = 0;
  std::vector<AxisResult> axes_;
  std::size_t axis_ = 0;
  std::vector<Layout> axis_layouts_;
  /// The first finalists are those of single axes.
  std::vector<std::size_t> axis_of_finalist_;
  std::unique_ptr<Tuner> tuner_;
  std::vector<FoundPlan> finalists_;
  std::size_t finalist_ = 0;
  std::vector<TunedCandidate> candidates_;
  std::optional<TunedPlan> best_;
  std::uint64_t version_ = 0;
  /// Most that a played schedule divides a microbatch into.
  int slices_ = 1;
};

/// The run's layers as Megatron's layout string; nothing where that cannot say them: placements
/// other than stage s on rank s mod p, stages without layers of a model.
std::optional<std::string> megatron_layout(const Run& run);

/// The scenario in which this plan is played: its order written out, layers stage by stage.
Scenario with_plan(Scenario scenario, const FoundPlan& plan);

}  // namespace sluice

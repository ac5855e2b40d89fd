// Finds pipelines for a cluster: the planner's best divisions, played by the engine, beside what
// other planners would do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/hpp_costs.hpp"
#include "api/run.hpp"
#include "base/result.hpp"
#include "io/overlay.hpp"

namespace sluice {

struct PlanningRequest {
  /// What makes the search fast, each on or off; `tolerance` comes from the scenario.
  bool cache = true;
  bool skip = true;
  bool order = true;
  bool fast_fill = true;
  /// Plans to play.
  std::size_t keep = 3;
  bool baselines = true;
};

/// A stage of a plan, with what the closed form and the engine say of it.
struct PlannedStage {
  hpp::PipelineStage stage;
  hpp::LayerMix mix;
  Recompute recompute;
  /// A forward and a backward of one microbatch, ms.
  double ms = 0;
  /// Of one device: by the closed form, as the engine found it, and what there is.
  Bytes predicted;
  Bytes peak;
  Bytes room;
};

struct PlayedPipeline {
  hpp::PlannedPipeline planned;
  std::vector<PlannedStage> stages;
  double analytic_ms = 0;
  /// By the engine, until its last backward.
  double ms = 0;
};

/// How uneven a plan is: slowest over fastest stage of all pipelines; spread of the pipelines'
/// times over their mean; and of the stages' times within each, by its share of the batch.
struct PlanSpread {
  double max_min_latency = 1;
  double between = 0;
  double within = 0;
};

/// A plan as the engine played it, all pipelines together with the sums of their gradients.
struct PlayedPlan {
  double analytic_ms = 0;
  double ms = 0;
  /// Of it, sums and updates behind the last backward.
  double behind_ms = 0;
  bool fits = false;
  std::vector<PlayedPipeline> pipelines;
  std::shared_ptr<const Run> run;
  /// Time of the slowest stage of all pipelines over that of the fastest.
  /// Of the closed form.
  PlanSpread spread;
};

/// What another planner would do on the same costs.
struct PlanBaseline {
  const char* name = "";
  const char* doc = "";
  /// Nothing where nothing fits.
  std::optional<double> ms;
  double max_min_latency = 1;
  hpp::HppPlan plan;
  /// By the closed form: nothing of it is played.
  std::vector<PlayedPipeline> pipelines;
  /// No device holds more than it has.
  bool fits = false;
};

/// Of the closed form.
PlanSpread spread_of(const hpp::HppPlan& plan);

/// Random plans of the scenario as a CSV: number, samples a second, spreads, pipelines; those that
/// do not fit are left out, until `count` are found or twenty times as many were tried.
Result<std::string> sampled_plans_csv(std::string_view text, const std::vector<Setting>& settings,
                                      std::uint64_t seed, std::uint64_t count);

/// In the order in which they are made.
inline constexpr const char* kBaselineNames[] = {
    "megatron_uniform", "metis_like", "metis_unlimited_memory", "hexiscale_like", "type_split"};

class Planning {
 public:
  /// Diagnostics: of the scenario, and of HppCosts::make.
  static Result<Planning> make(std::string_view text, const std::vector<Setting>& settings,
                               PlanningRequest request);
  static Result<Planning> make(const Scenario& scenario, const Presets& presets,
                               PlanningRequest request);

  /// So many more units: a pipeline planned, a division looked at, a plan played; true when over.
  bool step(std::uint64_t units);
  [[nodiscard]] std::uint64_t done() const { return done_; }
  /// Grows as the search finds out what there is to do.
  [[nodiscard]] std::uint64_t total() const;
  /// What it is at: 0 the search, then a baseline each, last the engine.
  [[nodiscard]] std::size_t part() const;
  /// Ends the search with what it has found so far, and leaves the other planners out; what is left
  /// to `step` is to play it.
  void enough();

  /// Best first by the engine; complete when over.
  [[nodiscard]] const std::vector<PlayedPlan>& plans() const { return plans_; }
  [[nodiscard]] const std::vector<PlanBaseline>& baselines() const { return baselines_; }
  [[nodiscard]] const hpp::PlannerCounts& counts() const { return counts_; }
  /// The best of the closed form so far; nothing yet, or nothing fits.
  [[nodiscard]] const hpp::HppPlan* best() const;
  /// Why there is no plan; "" when there is one.
  [[nodiscard]] std::string why_nothing() const;
  [[nodiscard]] const HppCosts& costs() const { return *costs_; }
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  /// The best plan as a scenario, or the one at `index` of `plans`, or what a baseline would do; ""
  /// without one.
  [[nodiscard]] std::string plan_yaml(std::size_t index = 0) const;
  [[nodiscard]] std::string plan_yaml(std::string_view baseline) const;
  [[nodiscard]] std::string json(int indent, std::optional<double> seconds) const;

 private:
  Planning(Scenario scenario, const Presets& presets, PlanningRequest request, HppCosts costs);

  bool search_step();
  void take_own();
  void begin_baseline();
  void end_baseline();
  void play(const hpp::HppPlan& plan);
  [[nodiscard]] Scenario scenario_of(const hpp::HppPlan& plan,
                                     const std::vector<PlayedPipeline>& pipelines) const;
  [[nodiscard]] std::vector<PlayedPipeline> pipelines_of(const hpp::HppPlan& plan,
                                                         const hpp::Problem& problem,
                                                         hpp::StageTimes& times) const;
  [[nodiscard]] std::vector<PlannedStage> stages_of(const hpp::PlannedPipeline& planned,
                                                    const hpp::Problem& problem,
                                                    hpp::StageTimes& times) const;

  Scenario scenario_;
  const Presets& presets_;
  PlanningRequest request_;
  std::unique_ptr<HppCosts> costs_;
  /// Of the planner at hand; the first is the real one, then one a baseline.
  std::unique_ptr<hpp::Problem> problem_;
  std::unique_ptr<hpp::Planner> planner_;
  std::unique_ptr<hpp::Problem> own_problem_;
  std::unique_ptr<hpp::Planner> own_planner_;
  std::size_t baseline_ = 0;
  std::size_t played_ = 0;
  std::uint64_t done_ = 0;
  hpp::PlannerCounts counts_;
  std::vector<PlayedPlan> plans_;
  /// Why a plan could not be played; "" when all could.
  std::string refused_;
  bool ended_early_ = false;
  std::vector<PlanBaseline> baselines_;
};

/// One line of a table of plannings, and the names of its columns: the best plan's times and
/// spreads, then time and max/min of each baseline (empty where nothing fits), then counts.
std::string plan_csv_header();
std::string plan_csv_row(const Planning& planning, std::optional<double> seconds);

/// "Sco+AS+AD x5": operators that the stage makes again, and in how many layers; "none", "full".
std::string recompute_label(const Recompute& recompute, std::int64_t layers);

}  // namespace sluice

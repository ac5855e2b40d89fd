// What the planner of heterogeneous pipelines asks about stages, hops and gradients, from the cost
// model that also times the engine's runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "cost/recompute_menu.hpp"
#include "model/calibration.hpp"
#include "model/machine.hpp"
#include "model/presets.hpp"
#include "model/scenario.hpp"
#include "search/hpp/planner.hpp"

namespace sluice {

/// Which baselines' rules a problem follows; the planner's own by default.
struct HppRules {
  bool recompute = true;
  bool bounded = true;
  /// Whole layers or none.
  bool full_only = false;
};

class HppCosts {
 public:
  /// Diagnostics, at `plan` and `pipeline`: key.missing, key.conflict (written times, layers that
  /// differ), reference.preset, value.range, link.missing, those of the model's shape.
  static Result<HppCosts> make(const Scenario& scenario, const Presets& presets);

  /// The problem refers to these costs.
  [[nodiscard]] hpp::Problem problem(HppRules rules) const;
  /// What the stage makes again.
  [[nodiscard]] Recompute recompute(const hpp::StageShape& shape, std::int64_t micro_batch,
                                    hpp::LayerMix mix) const;
  /// What the sums of the gradients and the updates of a plan take behind its last pipeline, ms: a
  /// sum begins when all its ranks are through with their own backwards.
  [[nodiscard]] double behind_ms(const std::vector<hpp::PlannedPipeline>& pipelines,
                                 GradientSync sync) const;
  /// All arithmetic of a step at the efficiency reached, evenly over all devices, ms.
  [[nodiscard]] double ideal_ms() const;
  /// A plan as a scenario that the engine plays: 1F1B, one device standing for each stage's.
  /// `mixes`: of each pipeline's stages.
  [[nodiscard]] Scenario scenario_of(const std::vector<hpp::PlannedPipeline>& pipelines,
                                     const std::vector<std::vector<hpp::LayerMix>>& mixes) const;
  [[nodiscard]] const PlanSection& plan() const { return *scenario_.plan; }
  [[nodiscard]] const Device& device(int type) const {
    return devices_[static_cast<std::size_t>(type)];
  }

 private:
  HppCosts(Scenario scenario, const Presets& presets);

  Diagnostics prepare();
  void add_device(std::size_t index, Diagnostics& problems);
  [[nodiscard]] TransformerStage stage(const hpp::StageShape& shape, int layers, bool first,
                                       bool last) const;
  [[nodiscard]] const std::vector<MenuEntry>& menu(const hpp::StageShape& shape,
                                                   std::int64_t samples) const;
  [[nodiscard]] hpp::StageFigures figures(const hpp::StageShape& shape, std::int64_t samples,
                                          bool first, bool last, bool full_only) const;
  void add_pipeline(const hpp::PlannedPipeline& planned, const std::vector<hpp::LayerMix>& mixes,
                    std::vector<int>& used, Scenario& out) const;
  [[nodiscard]] double hop_rate(const hpp::StageShape& from, const hpp::StageShape& to,
                                bool same_node) const;
  [[nodiscard]] double hop_latency_us(const hpp::StageShape& from, bool same_node) const;
  /// Levels of `figures`: the menu, and behind it whole layers.
  [[nodiscard]] Recompute level(const hpp::StageShape& shape, std::int64_t samples,
                                std::size_t index) const;

  Scenario scenario_;
  const Presets& presets_;
  const Calibration* calibration_ = nullptr;
  ModelShape model_;
  /// By entry of the cluster.
  std::vector<Device> devices_;
  /// By type, tensor size and samples.
  mutable std::map<std::tuple<int, int, std::int64_t>, std::vector<MenuEntry>> menus_;
};

}  // namespace sluice

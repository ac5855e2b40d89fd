#include "api/adaptive.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "api/tune.hpp"
#include "schedule/registry.hpp"

namespace sluice {
namespace {

constexpr std::uint64_t kEvaluations = 2000;
/// Operations that all evaluations together may time, and above which a step is so large that only
/// the main schedules are tried.
constexpr std::uint64_t kMostTimed = 20'000'000;
constexpr std::uint64_t kLarge = 500'000;

}  // namespace

Result<AdaptiveChoice> resolve_adaptive(const ReadScenario& read, const Presets& presets) {
  const Scenario& s = read.scenario;
  const std::uint64_t operations = 3 * std::max<std::uint64_t>(1, s.pipeline.stages.size()) *
                                   static_cast<std::uint64_t>(s.simulation.microbatches);
  TuneRequest request;
  request.seed = 0;
  request.axes = {.partition = false, .placement = true, .schedule = true};
  request.ablation = false;
  request.evaluations = std::min(kEvaluations, kMostTimed / operations);
  if (operations > kLarge)
    request.schedules = {"gpipe", "1f1b", "zb_h1", "zb_auto", "interleaved_1f1b", "hops_hetero"};
  Result<Tuning> tuning = Tuning::make(read, presets, std::move(request));
  if (!tuning) return tuning.diagnostics();
  while (!tuning.value().step(std::numeric_limits<std::uint32_t>::max())) {
  }
  return tuning.value().choice();
}

}  // namespace sluice

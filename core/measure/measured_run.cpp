#include "measure/measured_run.hpp"

#include <algorithm>
#include <cstddef>

namespace sluice {
namespace {

constexpr double kMsPerSecond = 1000;

}  // namespace

RunFigures figures_of(const PredictedStep& step, const RunFacts& facts, double stall_ms,
                      bool updates_recorded) {
  RunFigures out;
  out.period_median_ms = step.period_ms;
  out.forward_ms = step.forward_ms;
  out.backward_ms = step.backward_ms;
  if (updates_recorded) out.update_ms = step.update_ms;
  const auto n = static_cast<double>(facts.iterations);
  const auto m = static_cast<double>(facts.microbatches);
  const double mean = step.period_ms + stall_ms;
  // The last iteration has no next one to end it.
  out.microbatches_per_s = m * n / ((n - 1) * mean + step.first_stage_done_ms) * kMsPerSecond;
  const double last =
      updates_recorded
          ? step.updates_begin_ms + *std::max_element(step.update_ms.begin(), step.update_ms.end())
          : step.first_stage_done_ms;
  const double makespan = (n - 1) * mean + last;
  double busy = 0;
  for (std::size_t r = 0; r < step.busy_ms.size(); ++r) {
    const double own = n * (step.busy_ms[r] + (updates_recorded ? step.update_ms[r] : 0));
    out.utilization.push_back(own / makespan);
    busy += own;
  }
  out.bubble = 1 - busy / (makespan * static_cast<double>(step.busy_ms.size()));
  return out;
}

}  // namespace sluice

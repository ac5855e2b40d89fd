// What a fitted calibration is worth before it is taken: how sure each constant is, and which runs
// it would predict worse than the one in use.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/validation.hpp"
#include "model/constant_interval.hpp"
#include "model/presets.hpp"

namespace sluice {

/// Refits on families drawn with replacement, as many as there are; in the order of `named_values`.
/// Deterministic. Cost: a fit a refit. Source: Efron 1979, the bootstrap.
std::vector<ConstantInterval> bootstrap_intervals(const std::vector<MeasuredRun>& runs,
                                                  const Calibration& start, const Presets& presets,
                                                  int sweeps, int refits);

/// A run that a change would predict worse.
struct WorsenedRun {
  std::string name;
  double throughput_pct_before = 0;
  double throughput_pct_after = 0;
  double bubble_pp_before = 0;
  double bubble_pp_after = 0;
};

/// Runs whose absolute error grows by more than 2 % of throughput or 2 points of the bubble: a
/// change that has some is refused. The tolerance is that of HOPS.
std::vector<WorsenedRun> worsened_runs(const Validation& before, const Validation& after);

}  // namespace sluice

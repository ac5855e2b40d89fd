// Predictions against real runs, in figures that others report as well.
#pragma once

#include <string>
#include <vector>

#include "measure/measured_run.hpp"

namespace sluice {

struct ComparedRun {
  std::string split;
  std::string name;
  RunFigures measured;
  RunFigures predicted;
  /// Mean period, which outlier iterations lengthen.
  double predicted_mean_ms = 0;
  double period_error_pct = 0;
  double throughput_error_pct = 0;
  double bubble_error_pp = 0;
  double utilization_rho = 0;
  double stage_time_ape_pct = 0;
};

/// Means over runs; stage times over all stages of all runs. "ape": absolute error, percent of the
/// measured figure. rho: Spearman's, with average ranks, of the stages' utilization. A run whose
/// measured list has another number of stages is left out of that list's means.
struct Validation {
  std::vector<ComparedRun> runs;
  double period_mape_pct = 0;
  double period_max_ape_pct = 0;
  double throughput_mape_pct = 0;
  double throughput_bias_pct = 0;
  double bubble_mae_pp = 0;
  double utilization_rho_mean = 0;
  double utilization_mae_pp = 0;
  double stage_time_mape_pct = 0;
  double forward_backward_mape_pct = 0;
};

/// Sets the errors of each run and the means.
Validation validate(std::vector<ComparedRun> runs);

/// Spearman's rank correlation of two lists of one length, with average ranks for ties; 1 when both
/// are constant, 0 when one is.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace sluice

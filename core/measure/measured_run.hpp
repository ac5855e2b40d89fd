// A real training run: the facts that a prediction may read, and apart from them what was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// One size of a link benchmark between two neighbouring stages: MiB, and the sender's median in
/// ms.
struct LinkSample {
  double size_MiB = 0;
  double time_ms = 0;
};

/// What was set, not what came of it. Vectors have one entry a stage, `links` one a neighbouring
/// pair.
struct RunFacts {
  std::string split;
  std::string name;
  std::vector<std::string> gpus;
  std::vector<std::int64_t> layers;
  /// "1f1b" or "gpipe".
  std::string schedule;
  std::int64_t microbatches = 1;
  std::int64_t micro_batch_size = 1;
  std::int64_t seq_len = 0;
  std::int64_t hidden_dim = 0;
  std::int64_t ffn_dim = 0;
  std::int64_t heads = 0;
  std::int64_t vocab_size = 0;
  /// "bf16", "fp16" or "fp32".
  std::string precision;
  /// Recorded iterations.
  std::int64_t iterations = 0;
  std::vector<std::vector<LinkSample>> links;
};

/// What was measured. Times in ms; stage times are means over iterations and microbatches.
struct RunFigures {
  double period_median_ms = 0;
  double microbatches_per_s = 0;
  double bubble = 0;
  std::vector<double> utilization;
  std::vector<double> forward_ms;
  std::vector<double> backward_ms;
  /// Medians of the same, where they were recorded.
  std::vector<double> forward_median_ms;
  std::vector<double> backward_median_ms;
  /// Empty when updates were not recorded.
  std::vector<double> update_ms;
};

struct MeasuredRun {
  RunFacts facts;
  RunFigures figures;
};

/// What a run of the scenario gave, for one step in the middle of many.
struct PredictedStep {
  double period_ms = 0;
  /// From the step's start to the last backward of the first stage, and to the first update.
  double first_stage_done_ms = 0;
  double updates_begin_ms = 0;
  /// By stage: mean forward and backward, the update, and all computation of the step before it.
  std::vector<double> forward_ms;
  std::vector<double> backward_ms;
  std::vector<double> update_ms;
  std::vector<double> busy_ms;
};

/// The figures that a measured run has, from a predicted step and the number of recorded
/// iterations. `stall_ms` is added to the mean period, not to the median. `updates_recorded`:
/// whether updates count as busy, as they do where they were recorded. Source: specification of
/// accuracy, section 4.
RunFigures figures_of(const PredictedStep& step, const RunFacts& facts, double stall_ms,
                      bool updates_recorded);

}  // namespace sluice

// Published measurements of whole training runs, as papers print them: a model, a pipeline, a
// schedule, and of each run its throughput and its memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// What was set. One pipeline, a stage a GPU; the outer stages hold a layer less than the others.
struct PublishedFacts {
  std::string model;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t hidden_dim = 0;
  std::int64_t seq_len = 0;
  std::int64_t stages = 0;
  std::int64_t microbatches = 0;
  std::int64_t micro_batch_size = 1;
  /// As the table names it: "1f1b", "interleaved_1f1b", "zb_1p", "zb_2p", "zb_v", ...
  std::string schedule;
  /// All ranks wait for each other between steps. Split-backward schedules of these runs do not,
  /// unless the table says so.
  bool step_barrier = false;
};

struct PublishedFigures {
  double samples_per_gpu_per_s = 0;
  std::optional<double> memory_GB;
};

struct PublishedRun {
  PublishedFacts facts;
  PublishedFigures figures;
};

struct ComparedPublished {
  PublishedRun run;
  /// With `memory_GB` always.
  PublishedFigures predicted;
  double throughput_error_pct = 0;
  std::optional<double> memory_error_pct;
  /// Throughput over that of 1F1B with the same model, stages and microbatches, where there is one.
  std::optional<double> ratio_error_pct;
};

/// Means over rows; "ape" is the absolute error in percent of the measured figure.
struct PublishedValidation {
  std::vector<ComparedPublished> rows;
  double throughput_mape_pct = 0;
  double ratio_to_1f1b_mape_pct = 0;
  double memory_mape_pct = 0;
};

/// Sets the errors of each row and the means.
PublishedValidation validate_published(std::vector<ComparedPublished> rows);

}  // namespace sluice

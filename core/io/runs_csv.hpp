// Measured runs from CSV tables: one of runs, one of link benchmarks.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "measure/measured_run.hpp"

namespace sluice {

/// Facts are read from the columns split, fixture, pp, gpu_per_stage, schedule_observed,
/// microbatches, micro_batch_size, seq_len, hidden_dim, ffn_hidden, heads, vocab_size,
/// layers_per_stage, precision, iterations_used and link_pairs, and from the benchmark's split,
/// fixture, pair, size_mb, rank (0 sends) and p50_ms; figures from the measured columns. Lists in a
/// cell are separated by ";". Diagnostics with the line: csv.syntax, csv.column, csv.value.
Result<std::vector<MeasuredRun>> read_runs(std::string_view runs_csv, std::string_view links_csv);

}  // namespace sluice

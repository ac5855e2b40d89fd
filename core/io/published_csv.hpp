// Tables of published runs: shapes of models, and what was measured.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "measure/published.hpp"

namespace sluice {

/// `models`: model, layers, heads, hidden_dim, seq_len. `measured`: model, stages, microbatches,
/// micro_batch_size, schedule (" with step barrier" after it where there is one),
/// samples_per_gpu_per_s, memory_gb (may be empty). Diagnostics with the line: csv.syntax,
/// csv.column, csv.value.
Result<std::vector<PublishedRun>> read_published(std::string_view models_csv,
                                                 std::string_view measured_csv);

}  // namespace sluice

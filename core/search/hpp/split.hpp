// The batch, divided over independent pipelines so that the last to end is as early as can be.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/hpp/template.hpp"

namespace sluice::hpp {

struct Split {
  /// Of the slowest pipeline, ms.
  double ms = 0;
  /// By pipeline: which of its forms, and how many microbatches.
  std::vector<std::size_t> form;
  std::vector<std::int64_t> microbatches;
};

/// `forms`: of each pipeline, those it may take; each has one that some time is enough for. Every
/// sample of the batch goes to one pipeline, in whole microbatches. Nothing where no division adds
/// up (microbatches that do not make the batch). Exact where each pipeline has one form; of several
/// that one is taken which does most by then. Cost: O(pipelines x forms x 60).
std::optional<Split> split_batch(const std::vector<const std::vector<Pipeline>*>& forms,
                                 std::int64_t batch);

/// No division ends before: all pipelines at their full rate, without fill; ms.
double split_bound(const std::vector<const std::vector<Pipeline>*>& forms, std::int64_t batch);

}  // namespace sluice::hpp

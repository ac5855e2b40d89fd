// Which of many runs no other one beats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// Indices, ascending, of the points that none is better than: as good in every number and better
/// in one, where less is better. Equal points stay or go together. `points` is one list of numbers
/// a point, all as long. Cost: O(n log n) for two numbers, O(n front) for more.
std::vector<std::uint32_t> pareto_front(const std::vector<std::vector<double>>& points);

struct ParetoRows {
  /// The comment, the column names and the rows of the front, best first by the first name.
  std::string csv;
  std::size_t front = 0;
  /// Rows that were looked at; of the others, some could not run, and some did not fit.
  std::size_t compared = 0;
  std::size_t unfit = 0;
};

/// The front of a sweep's file by the columns that `names` say (comma between, as they are or the
/// beginning of one). Columns of kRunMetrics know whether more is better; of others less is. Rows
/// without a run, and those whose `fits` is 0, are left out. Diagnostics: csv.*; csv.column for a
/// name that is none or several, csv.value for a column that does not hold numbers.
Result<ParetoRows> pareto_rows(std::string_view sweep_csv, const std::string& names);

}  // namespace sluice

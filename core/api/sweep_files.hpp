// What was written of a sweep, read again: to go on with one that was interrupted, and to put parts
// together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/sweep_points.hpp"
#include "base/result.hpp"

namespace sluice {

/// Where an interrupted sweep goes on.
struct ResumePoint {
  /// Bytes of the file that stay: header and whole rows.
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0;
  /// Of them that say why there is no run.
  std::uint64_t failed = 0;
};

/// `written` is what there is of the file of a shard; a last line that is torn is not kept.
/// Diagnostics: csv.value for the file of another sweep or part.
Result<ResumePoint> resume_point(const SweepPoints& points, const Shard& shard,
                                 std::string_view written);

struct SweepPart {
  std::string name;
  std::string text;
};

/// The file of the whole sweep, byte for byte, from those of all its parts in any order.
/// Diagnostics: csv.value, naming the file: not a part, of another sweep, a part that is missing or
/// there twice, rows that are missing, torn, or another part's.
Result<std::string> merge_parts(const std::vector<SweepPart>& parts);

}  // namespace sluice

// A sweep in its plain form: the product of axes (and seeds), one run a point, one row a run. A
// Job: steps are runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "io/overlay.hpp"

namespace sluice {

/// A path and the values it takes, as YAML text.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

/// "path=a,b,c" or "path=lo:hi:step" (hi included). Nothing when it is neither, or has more than
/// kMaxSweepPoints values.
std::optional<Axis> parse_axis(const std::string& text);

inline constexpr std::uint64_t kMaxSweepPoints = 1'000'000;

struct SweepRequest {
  std::string text;
  std::vector<Setting> settings;
  /// The last varies fastest.
  std::vector<Axis> axes;
  /// Each point is run with the scenario's seed, seed + 1, ... ; the seed varies faster than every
  /// axis.
  std::int64_t seeds = 1;
};

class Sweep {
 public:
  /// Diagnostics: of the scenario without the axes' values; limit.operations for more than
  /// kMaxSweepPoints points.
  static Result<Sweep> make(SweepRequest request);

  /// Runs up to `runs` more points; true when all are done. A point that cannot run gets a row that
  /// says why.
  bool step(std::uint64_t runs);
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// Header (`# sluice sweep <scenario hash>` and column names) and the rows so far.
  [[nodiscard]] const std::string& csv() const { return csv_; }
  /// The rows so far as a JSON list of objects.
  [[nodiscard]] std::string json() const;

 private:
  explicit Sweep(SweepRequest request) : request_(std::move(request)) {}
  void run_point(std::uint64_t index);

  struct Row {
    std::vector<std::string> coordinates;
    std::vector<double> metrics;
    std::string problem;
  };

  SweepRequest request_;
  std::uint64_t seed_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t failed_ = 0;
  std::string csv_;
  std::vector<Row> rows_;
};

}  // namespace sluice

// A sweep in its plain form: the product of axes (and seeds), one run a point, one row a run. A
// Job: steps are runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/sweep_points.hpp"
#include "base/result.hpp"

namespace sluice {

class Sweep {
 public:
  /// Only the points from `first` up to, and without, `last`: the CSV of adjoining parts, one after
  /// the other, is that of the whole. Diagnostics: as SweepPoints::make.
  static Result<Sweep> make(SweepRequest request, std::uint64_t first = 0,
                            std::uint64_t last = kMaxSweepPoints);

  /// Runs up to `runs` more points; true when all are done. A point that cannot run gets a row that
  /// says why.
  bool step(std::uint64_t runs);
  /// Number of the next point.
  [[nodiscard]] std::uint64_t done() const { return first_ + rows_.size(); }
  /// Points of the whole.
  [[nodiscard]] std::uint64_t total() const { return points_->total(); }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// Header, where the part begins with the first point, and the rows so far.
  [[nodiscard]] const std::string& csv() const { return csv_; }
  /// The rows so far as a JSON list of objects.
  [[nodiscard]] std::string json() const;

 private:
  Sweep(std::unique_ptr<const SweepPoints> points, std::uint64_t first, std::uint64_t last)
      : points_(std::move(points)),
        worker_(*points_),
        first_(first),
        last_(last),
        csv_(first == 0 ? points_->header() : std::string()) {}

  // Where it is stays the same when the sweep moves: the worker refers to it.
  std::unique_ptr<const SweepPoints> points_;
  SweepWorker worker_;
  std::uint64_t first_;
  std::uint64_t last_;
  std::uint64_t failed_ = 0;
  std::string csv_;
  std::vector<SweepRow> rows_;
};

}  // namespace sluice

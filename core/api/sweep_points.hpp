// The points of a sweep by their number, and what runs them. Any part of them may be run anywhere
// in any order: a row depends on its number alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/axis.hpp"
#include "api/draft.hpp"
#include "api/player.hpp"
#include "base/result.hpp"

namespace sluice {

struct SweepRequest {
  std::string text;
  std::vector<Setting> settings;
  /// The last varies fastest.
  std::vector<Axis> axes;
  /// Each point is run with the scenario's seed, seed + 1, ... ; the seed varies faster than every
  /// axis.
  std::int64_t seeds = 1;
  /// One more column: devices that a run takes, those of all replicas.
  bool devices = false;
};

/// Every `of`-th point, from the `number`-th on (from 1).
struct Shard {
  std::uint64_t number = 1;
  std::uint64_t of = 1;
  /// Its file says which part it is, for whoever puts the parts together.
  bool named = false;
};

/// What stands in the row of a point behind its coordinates.
struct SweepRow {
  /// As SweepPoints::metrics; empty when it cannot run.
  std::vector<double> metrics;
  std::uint64_t trace_hash = 0;
  std::string problem;
};

class SweepPoints {
 public:
  /// Diagnostics: of the scenario without the axes' values; limit.operations for more than
  /// kMaxSweepPoints points.
  static Result<SweepPoints> make(SweepRequest request);

  [[nodiscard]] const SweepRequest& request() const { return request_; }
  [[nodiscard]] const Draft& draft() const { return draft_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// Seed of a point; nothing when an axis sets it.
  [[nodiscard]] std::optional<std::uint64_t> seed_of(std::uint64_t point) const;
  /// Points that differ in nothing but the seed have one of these in common.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t point) const;
  /// One value an axis.
  [[nodiscard]] std::vector<std::string> coordinates(std::uint64_t point) const;
  /// Names of the columns of numbers.
  [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }

  /// `# sluice sweep <scenario hash>` and the column names. That of a part says which one it is, of
  /// how many points, and the hash of all that the points and the numbers follow from.
  [[nodiscard]] std::string header(const Shard& shard = {}) const;
  /// The row up to its seed, with the comma behind it.
  [[nodiscard]] std::string row_begin(std::uint64_t point) const;
  [[nodiscard]] std::string row_text(std::uint64_t point, const SweepRow& row) const;

 private:
  SweepPoints(SweepRequest request, Draft draft)
      : request_(std::move(request)), draft_(std::move(draft)) {}

  SweepRequest request_;
  Draft draft_;
  std::uint64_t scenario_hash_ = 0;
  std::uint64_t first_seed_ = 0;
  bool own_seed_ = false;
  std::uint64_t total_ = 0;
  std::vector<std::string> metrics_;
};

/// Points of a shard, and the k-th of them.
std::uint64_t points_in(const Shard& shard, std::uint64_t total);
std::uint64_t point_of(const Shard& shard, std::uint64_t k);

/// Runs points one after another; those that differ in their seed alone are loaded once. One a
/// thread.
class SweepWorker {
 public:
  /// `points` must outlive it.
  explicit SweepWorker(const SweepPoints& points)
      : points_(&points), draft_(points.draft().own_copy()) {}
  SweepRow run(std::uint64_t point);

 private:
  void load(std::uint64_t point);

  const SweepPoints* points_;
  Draft draft_;
  Player player_;
  /// place_of the point that `loaded_` or `problem_` is from.
  std::optional<std::uint64_t> place_;
  std::optional<Loaded> loaded_;
  std::string problem_;
};

}  // namespace sluice

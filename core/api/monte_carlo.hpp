// Many runs of one scenario, each with a jitter and with calibrated constants of its own, for every
// point of some axes (schedules, say). Run k faces the same draws at every point, so that two of
// them are compared run by run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/axis.hpp"
#include "api/draft.hpp"
#include "api/player.hpp"
#include "base/result.hpp"
#include "model/constant_interval.hpp"

namespace sluice {

inline constexpr std::uint64_t kMaxMonteCarloRuns = 1'000'000;

struct MonteCarloRequest {
  std::string text;
  std::vector<Setting> settings;
  /// What is compared: the product of these, the last varies fastest; the first point is what the
  /// others are held against.
  std::vector<Axis> axes;
  std::int64_t runs = 1000;
};

/// One run at one point.
struct MonteCarloTrial {
  /// As kRunMetrics; empty when it cannot run.
  std::vector<double> metrics;
  std::uint64_t trace_hash = 0;
  std::string problem;
};

/// Which constants a scenario's runs draw.
struct DrawnConstants {
  /// Null where nothing depends on a calibration.
  const Calibration* fitted = nullptr;
  std::vector<ConstantInterval> intervals;
};

/// What is run, by number: all points of run 0, then of run 1, ... A trial depends on its number
/// alone.
class MonteCarloTrials {
 public:
  /// Diagnostics: of the scenario without the axes' values; limit.operations for more than
  /// kMaxMonteCarloRuns trials.
  static Result<MonteCarloTrials> make(MonteCarloRequest request);

  [[nodiscard]] const Draft& draft() const { return draft_; }
  [[nodiscard]] const std::vector<Axis>& axes() const { return request_.axes; }
  [[nodiscard]] std::uint64_t runs() const { return static_cast<std::uint64_t>(request_.runs); }
  [[nodiscard]] std::uint64_t points() const { return points_; }
  [[nodiscard]] std::uint64_t total() const { return runs() * points_; }
  [[nodiscard]] std::uint64_t seed_of_run(std::uint64_t run) const { return first_seed_ + run; }
  /// The seed that constants are drawn with: the scenario's own.
  [[nodiscard]] std::uint64_t first_seed() const { return first_seed_; }
  [[nodiscard]] std::uint64_t scenario_hash() const { return scenario_hash_; }
  /// Of the scenario without the axes' values: its calibration, where its times depend on one, and
  /// the constants of it that are drawn. An axis may name another one.
  [[nodiscard]] const DrawnConstants& constants() const { return constants_; }
  /// One value an axis.
  [[nodiscard]] std::vector<std::string> coordinates(std::uint64_t point) const;
  /// "path=value path=value", or "as written".
  [[nodiscard]] std::string name_of(std::uint64_t point) const;

 private:
  MonteCarloTrials(MonteCarloRequest request, Draft draft)
      : request_(std::move(request)), draft_(std::move(draft)) {}

  MonteCarloRequest request_;
  Draft draft_;
  std::uint64_t points_ = 1;
  std::uint64_t first_seed_ = 0;
  std::uint64_t scenario_hash_ = 0;
  DrawnConstants constants_;
};

/// Runs trials in any order; loads a point once, or where constants are drawn compiles it anew for
/// every run. One a thread.
class MonteCarloWorker {
 public:
  /// `trials` must outlive it.
  explicit MonteCarloWorker(const MonteCarloTrials& trials);
  MonteCarloTrial run(std::uint64_t number);

 private:
  struct Point {
    bool known = false;
    std::string problem;
    std::optional<Loaded> loaded;
    DrawnConstants constants;
  };

  void load(std::uint64_t number);
  void draw_constants(Point& point, std::uint64_t run);

  const MonteCarloTrials* trials_;
  Draft draft_;
  /// With the constants of the present run.
  Presets presets_;
  Player player_;
  std::vector<Point> points_;
};

/// A Job: steps are trials.
class MonteCarlo {
 public:
  /// Diagnostics: as MonteCarloTrials::make.
  static Result<MonteCarlo> make(MonteCarloRequest request);

  /// Runs up to `trials` more; true when all are done.
  bool step(std::uint64_t trials);
  [[nodiscard]] std::uint64_t done() const { return results_.size(); }
  [[nodiscard]] std::uint64_t total() const { return trials_->total(); }
  [[nodiscard]] const MonteCarloTrials& trials() const { return *trials_; }
  [[nodiscard]] const std::vector<MonteCarloTrial>& results() const { return results_; }
  /// The next one in order, for who runs them elsewhere.
  void take(MonteCarloTrial trial) { results_.push_back(std::move(trial)); }

 private:
  explicit MonteCarlo(std::unique_ptr<const MonteCarloTrials> trials)
      : trials_(std::move(trials)), worker_(*trials_) {}

  // Where it is stays the same when the job moves: the worker refers to it.
  std::unique_ptr<const MonteCarloTrials> trials_;
  MonteCarloWorker worker_;
  std::vector<MonteCarloTrial> results_;
};

}  // namespace sluice

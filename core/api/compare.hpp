// Every schedule that can run a scenario, side by side: the same devices, links, work and noise,
// only `pipeline.schedule` is another. A Job: steps are schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "io/overlay.hpp"
#include "io/reader.hpp"
#include "metrics/summary.hpp"

namespace sluice {

struct ComparedSchedule {
  std::string name;
  std::string family;
  std::string doc;
  /// The scenario's own, with the parameters it is written with.
  bool current = false;
  /// Why it cannot run here; then nothing below is filled.
  std::string reason;

  std::string resolved;
  Duration makespan;
  double throughput_per_s = 0;
  Bubbles bubble;
  /// Of the device that needs most, and most forwards in flight on a rank, in stages of one chunk a
  /// rank.
  Bytes peak_memory;
  double peak_in_flight = 0;
  bool fits = true;
  int weight_copies = 1;
  std::uint64_t messages = 0;
  std::optional<Duration> lower_bound;
};

class Comparison {
 public:
  /// Diagnostics: of the scenario, whatever its schedule.
  static Result<Comparison> make(std::string text, std::vector<Setting> settings = {});

  /// Runs up to `schedules` more; true when all are done.
  bool step(std::uint64_t schedules);
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t total() const { return names_.size(); }
  /// Fastest first, then those that cannot run; equal ones in the order of `sluice schedules`.
  [[nodiscard]] std::vector<ComparedSchedule> ranked() const;
  /// {"schedules": [{"name", "rank", "makespan_ms", ...} or {"name", "reason"}]} of those done.
  [[nodiscard]] std::string json(int indent = -1) const;

 private:
  Comparison(std::string text, std::vector<Setting> settings, ReadScenario read)
      : text_(std::move(text)), settings_(std::move(settings)), read_(std::move(read)) {}
  void run(std::size_t index);

  std::string text_;
  std::vector<Setting> settings_;
  /// With another schedule in the place of its own.
  ReadScenario read_;
  std::vector<std::string> names_;
  /// Name in the table of the scenario's own schedule, and its own text for it.
  std::string current_;
  std::size_t done_ = 0;
  std::vector<ComparedSchedule> rows_;
};

}  // namespace sluice

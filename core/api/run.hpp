// A run in steps, and what came of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/load.hpp"
#include "engine/engine.hpp"
#include "metrics/summary.hpp"

namespace sluice {

/// A finished simulation. Immutable; texts are made when asked for.
class Run {
 public:
  Run(Loaded loaded, Trace trace, const FailureLog& failures);

  [[nodiscard]] const Loaded& loaded() const { return loaded_; }
  [[nodiscard]] const Program& program() const { return loaded_.program; }
  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  [[nodiscard]] std::uint64_t trace_hash() const { return trace_hash_; }
  /// Of the load, and what the run showed (memory.capacity).
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }
  /// False when a device's memory does not hold its stages and `options.capacity` is enforce.
  [[nodiscard]] bool feasible() const;

  [[nodiscard]] std::string summary_json(int indent = 2) const;
  [[nodiscard]] std::string plan_json() const;
  [[nodiscard]] std::string resolved_yaml() const;
  [[nodiscard]] std::string trace_csv() const;
  [[nodiscard]] std::string chrome_trace() const;
  [[nodiscard]] std::string timeline_svg() const;
  [[nodiscard]] std::string dashboard_svg() const;

 private:
  Loaded loaded_;
  Trace trace_;
  Summary summary_;
  std::uint64_t trace_hash_ = 0;
  Diagnostics diagnostics_;
};

/// Plays a loaded scenario in steps of events.
class Simulation {
 public:
  explicit Simulation(Loaded loaded);
  // The engine refers to the program held here.
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// True when over. `step(1)` n times equals `step(n)`.
  bool step(std::uint64_t events) { return engine_.step(events); }
  /// Progress in events. Retimed transfers and outages take more than `total` expects, so `done`
  /// stops short of it until the end.
  [[nodiscard]] std::uint64_t done() const;
  [[nodiscard]] std::uint64_t total() const { return engine_.expected_segments(); }
  /// After the last step: the run, or why there is none (order.deadlock, limit.time), placed in the
  /// text.
  Result<std::shared_ptr<const Run>> finish();

 private:
  Loaded loaded_;
  Engine engine_;
};

/// Loads and plays to the end.
Result<std::shared_ptr<const Run>> simulate(std::string_view text,
                                            const std::vector<Setting>& settings = {});

}  // namespace sluice

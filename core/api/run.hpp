// A run in steps, and what came of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/load.hpp"
#include "engine/engine.hpp"
#include "metrics/gaps.hpp"
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
  /// Puts what would make it fit (fit_advice) in the place of the general hints of memory.capacity.
  void advise();

  /// Idle time and its causes are found for it: O(rows), which `summary()` does not pay.
  [[nodiscard]] std::string summary_json(int indent = 2) const;
  /// The same for who has found this run's idle time already.
  [[nodiscard]] std::string summary_json(const IdleTime& idle, int indent) const;
  /// A warning for each of the scenario's expectations that the summary does not meet.
  [[nodiscard]] Diagnostics unmet_expectations() const;
  [[nodiscard]] std::string plan_json() const;
  [[nodiscard]] std::string resolved_yaml() const;
  [[nodiscard]] std::string trace_csv() const;
  [[nodiscard]] std::string gaps_csv() const;
  /// What each device holds at each moment.
  [[nodiscard]] std::string memory_csv() const;
  [[nodiscard]] std::string chrome_trace() const;
  /// `look` as links of the page have it: "paper" for the papers' colours, "kind.u" or "paper.u"
  /// for an axis that counts forwards.
  [[nodiscard]] std::string timeline_svg(std::string_view look = "") const;
  [[nodiscard]] std::string dashboard_svg() const;

 private:
  /// What is said over the whole summary, whose parts live only meanwhile.
  template <class Say>
  auto summarized(const IdleTime& idle, Say say) const;

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
  /// text. Of a run that does not fit, `advised` tries out what would.
  Result<std::shared_ptr<const Run>> finish(bool advised = true);

 private:
  Loaded loaded_;
  Engine engine_;
};

/// Compiles and plays to the end what is read; gives no advice.
Result<std::shared_ptr<const Run>> simulate(const ReadScenario& read, const Presets& presets);

/// The same of a text.
Result<std::shared_ptr<const Run>> simulate(std::string_view text,
                                            const std::vector<Setting>& settings = {});

}  // namespace sluice

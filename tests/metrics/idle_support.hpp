// What suites about idle time share: a played scenario with its idle time, and what must hold of
// any.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/run.hpp"
#include "metrics/critical_path.hpp"
#include "metrics/gaps.hpp"
#include "scenario_text.hpp"

namespace sluice_test {

/// MiB over GB/s.
inline constexpr double kWire = 1.048576;

inline ScenarioText scenario(const std::string& schedule, int microbatches,
                             std::vector<StageTime> stages,
                             const std::string& simulation = "  transfers: latency\n") {
  ScenarioText s;
  s.schedule = schedule;
  s.microbatches = microbatches;
  s.stages = std::move(stages);
  s.simulation = simulation;
  return s;
}

struct Idled {
  std::shared_ptr<const sluice::Run> run;
  std::unique_ptr<sluice::IdleTime> idle;

  /// Time of a device by cause, ms.
  [[nodiscard]] double ms(std::size_t device, sluice::IdleCause cause) const {
    return sluice::to_ms(idle->by_device()[device][cause]);
  }
  /// The device's `n`-th gap.
  [[nodiscard]] const sluice::Gap& gap(std::uint32_t device, std::size_t n) const {
    for (const sluice::Gap& g : idle->gaps()) {
      if (g.device == device && n-- == 0) return g;
    }
    FAIL("no such gap");
    return idle->gaps().front();
  }
  /// The device's causes are these, and nothing else is more than 0.
  void check(std::size_t device,
             const std::vector<std::pair<sluice::IdleCause, double>>& expected) const {
    std::vector<double> all(sluice::kIdleCauses, 0);
    for (const auto& [cause, ms] : expected) all[static_cast<std::size_t>(cause)] = ms;
    for (std::size_t c = 0; c < sluice::kIdleCauses; ++c) {
      const auto cause = static_cast<sluice::IdleCause>(c);
      INFO("device " << device << " " << sluice::cause_text(cause));
      CHECK(ms(device, cause) == doctest::Approx(all[c]).epsilon(1e-9));
    }
  }
};

inline Idled idled(const std::string& text, const std::vector<sluice::Setting>& settings = {}) {
  auto run = sluice::simulate(text, settings);
  if (!run.ok()) FAIL(run.diagnostics().front().message);
  Idled out;
  out.run = run.value();
  out.idle = std::make_unique<sluice::IdleTime>(out.run->program(), out.run->trace());
  return out;
}

/// Contiguous from `to` down to `from`, no step empty.
inline bool covers(const std::vector<sluice::WaitStep>& steps, std::int64_t from, std::int64_t to) {
  for (const sluice::WaitStep& step : steps) {
    if (step.to != to || step.from >= step.to) return false;
    to = step.from;
  }
  return to == from;
}

}  // namespace sluice_test

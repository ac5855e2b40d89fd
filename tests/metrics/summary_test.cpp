#include "metrics/summary.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

std::shared_ptr<const Run> play(const ScenarioText& s) {
  const auto run = simulate(s.text());
  if (!run) FAIL(run.diagnostics().front().message);
  return run.value();
}

}  // namespace

TEST_SUITE("metrics/summary") {
  TEST_CASE("percentiles are linear between neighbours, as numpy's") {
    CHECK(percentile({1, 2, 3, 4}, 0.5) == 2.5);
    CHECK(percentile({1, 2, 3, 4}, 0.99) == doctest::Approx(3.97));
    CHECK(percentile({7}, 0.99) == 7);
    CHECK(percentile({}, 0.5) == 0);
  }
  TEST_CASE(
      "throughput counts to the end of all work, or as HOPS to the last backward of stage 0") {
    // ZB-H1, p = 2, m = 4, F = I = W = 1: T = 12 + 1 = 13. Rank 0 ends with W; its last I ends
    // earlier.
    ScenarioText s;
    s.schedule = "zb_h1";
    s.stages = sluice_test::equal_stages(2);
    s.microbatches = 4;
    s.simulation = "  transfers: latency\n";
    CHECK(play(s)->summary().throughput_per_ms == doctest::Approx(4.0 / 13));
    s.simulation += "  options: {throughput_until: last_backward}\n";
    // Rank 0: F0 F1 I0 W0 F2 I1 W1 F3 I2 W2 I3 W3: I3 ends one W before the end.
    CHECK(play(s)->summary().throughput_per_ms == doctest::Approx(4.0 / 12));
  }
  TEST_CASE("latency of a microbatch is from its first forward to its last backward") {
    // p = 2, m = 1: 1 + 1 + 2 + 2.
    ScenarioText s;
    s.stages = sluice_test::equal_stages(2);
    s.microbatches = 1;
    s.simulation = "  transfers: latency\n";
    const Summary r = play(s)->summary();
    CHECK(r.latency_p50_ms == doctest::Approx(6));
    CHECK(r.latency_mean_ms == doctest::Approx(6));
  }
  TEST_CASE("the three bubbles divide by what they say") {
    // 1F1B p = 4, m = 8: T = 33, work 24 a stage; the longest span is rank 0's, the whole makespan.
    ScenarioText s;
    s.stages = sluice_test::equal_stages(4);
    s.simulation = "  transfers: latency\n";
    const Bubbles b = play(s)->summary().bubble;
    CHECK(b.idle_over_makespan == doctest::Approx(9.0 / 33));
    CHECK(b.idle_over_work == doctest::Approx(9.0 / 24));
    CHECK(b.span == doctest::Approx(1 - 24.0 / 33));
  }
  TEST_CASE("memory is weights and one activation a microbatch in flight") {
    ScenarioText s;
    s.stages = sluice_test::equal_stages(4);
    s.activation_mb = 10;
    const auto run = play(s);
    // weights 1 MiB; 1F1B holds 4, 3, 2, 1 activations of 10 MiB.
    for (std::size_t d = 0; d < 4; ++d) {
      CHECK(run->summary().peak_memory[d].value ==
            static_cast<std::int64_t>((1 + 10 * (4 - d)) << 20));
    }
  }
  TEST_CASE("what does not fit is said, and with capacity: enforce it is infeasible") {
    ScenarioText s;
    s.stages = sluice_test::equal_stages(1);
    s.activation_mb = 100000;
    auto run = play(s);
    CHECK_FALSE(run->summary().fits);
    CHECK(run->feasible());
    CHECK(run->diagnostics().front().code == Code::CapacityExceeded);
    CHECK(run->diagnostics().front().severity == Severity::Warning);
    s.simulation = "  options: {capacity: enforce}\n";
    run = play(s);
    CHECK_FALSE(run->feasible());
    CHECK(run->diagnostics().front().severity == Severity::Error);
  }
}

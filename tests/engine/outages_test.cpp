// Outages, computed by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

std::string failing(double device, double link, double interval, double recovery) {
  const auto n = ScenarioText::number;
  return "failure: {enabled: true, check_interval_ms: " + n(interval) +
         ", device_failure_probability: " + n(device) + ", link_failure_probability: " + n(link) +
         ", recovery_time_ms: " + n(recovery) + "}\n";
}

Summary play(const ScenarioText& s) {
  const auto run = simulate(s.text());
  if (!run) FAIL(run.diagnostics().front().message);
  return run.value()->summary();
}

}  // namespace

TEST_SUITE("engine/outages") {
  TEST_CASE("an outage interrupts what runs; it is done again from its start") {
    // One stage, F = B = 4, certain failure every 10 ms for 5 ms. F0 0-4, B0 4-8, F1 from 8 is lost
    // at 10, runs 15-19; B1 from 19 is lost at 20, runs 25-29. The check at 30 comes after the end.
    ScenarioText s;
    s.microbatches = 2;
    s.stages = {{4, 4}};
    s.sections = failing(1, 0, 10, 5);
    const Summary r = play(s);
    CHECK(to_ms(r.makespan) == doctest::Approx(29));
    CHECK(r.failures == 2);
    CHECK(to_ms(r.downtime) == doctest::Approx(10));
    REQUIRE(r.lost_work.has_value());
    CHECK(to_ms(*r.lost_work) == doctest::Approx(3));
  }
  TEST_CASE("under delay_starts running work goes on and only starts wait") {
    // F1 runs 8-12 through the outage at 10; B1 waits for 15 and ends at 19.
    ScenarioText s;
    s.microbatches = 2;
    s.stages = {{4, 4}};
    s.simulation = "  options: {failure_effect: delay_starts}\n";
    s.sections = failing(1, 0, 10, 5);
    const Summary r = play(s);
    CHECK(to_ms(r.makespan) == doctest::Approx(19));
    CHECK(r.failures == 1);
    CHECK_FALSE(r.lost_work.has_value());
  }
  TEST_CASE("a transfer on a failing link is lost and sent again") {
    // F on stage 0 ends at 2; 3 ms on the wire until 5, but both links fail at 4 until 10: sent
    // again, there at 13. F 13-14, B 14-16; the gradient leaves at 16 (the check at 12 finds the
    // links up again and fails them: see below).
    ScenarioText s;
    s.microbatches = 1;
    s.stages = {{2, 2}, {1, 2}};
    s.activation_mb = 3e6 / (1024 * 1024);
    s.bandwidth_GBps = 1;
    s.sections = failing(0, 1, 4, 6);
    // Checks at 4 (down until 10), 8 (already down), 12 (down until 18: loses the transfer that
    // began at 10; again from 18), 16 (down), 20: the second attempt, 18-21, is lost too. With 4 ms
    // between checks and 3 ms on the wire after each recovery at 10, 18, 26, ... every attempt
    // meets a check: the run cannot end, and says so.
    const auto stuck = simulate(s.text());
    REQUIRE_FALSE(stuck.ok());
    CHECK(stuck.diagnostics().front().code == Code::LimitOperations);
    // With a check every 7 ms: at 7 the transfer is through (2-5). F 5-6, B 6-8, the gradient is
    // asked for at 8 while the links are down until 13; 13-16 would be cut at 14, until 20: 20-23
    // would be cut at 21, until 27: 27-30 cut at 28, ... Recovery 1.5 ms instead: down 7-8.5, the
    // gradient starts at 8.5, ends at 11.5; B 11.5-13.5.
    s.sections = failing(0, 1, 7, 1.5);
    const Summary r = play(s);
    CHECK(to_ms(r.makespan) == doctest::Approx(13.5));
    CHECK(r.failures == 2);
  }
  TEST_CASE("what is lost on the wire starts anew after the outage") {
    // Checks every 4 ms, recovery 0.5 ms, F0 ends at 2, wire 3 ms: lost at 4, again 4.5-7.5;
    // F 7.5-8.5 (devices do not fail); the check at 8 takes the idle links down; B 8.5-10.5;
    // gradient 10.5- lost at 12, again 12.5-15.5; B 15.5-17.5.
    ScenarioText s;
    s.microbatches = 1;
    s.stages = {{2, 2}, {1, 2}};
    s.activation_mb = 3e6 / (1024 * 1024);
    s.bandwidth_GBps = 1;
    s.sections = failing(0, 1, 4, 0.5);
    const Summary r = play(s);
    CHECK(to_ms(r.makespan) == doctest::Approx(17.5));
    REQUIRE(r.lost_work.has_value());
    CHECK(to_ms(*r.lost_work) == doctest::Approx(2 + 1.5));
  }
  TEST_CASE("failures strike as often as their probability says") {
    // 2,000 checks of one device and probability 0.1, outages shorter than the interval.
    ScenarioText s;
    s.microbatches = 1000;
    s.stages = {{1, 1}};
    s.simulation = "  options: {failure_effect: delay_starts}\n";
    s.sections = failing(0.1, 0, 1, 0.0001);
    const Summary r = play(s);
    const double checks = std::floor(to_ms(r.makespan));
    CHECK(std::fabs(static_cast<double>(r.failures) - 0.1 * checks) < 3 * std::sqrt(checks * 0.09));
  }
  TEST_CASE("links that send one after another lose what is on them, not what queues") {
    // GPipe, F 0.5, B 1, messages of w = 1.048576 asked for at 0.5 and 1. Links fail at 1.4, 2.8,
    // 4.2, 5.6, 7 and 8.4 for 0.1. The first message loses 0.9 of its way, goes again 1.5-2.548576;
    // the second 2.548576-2.8, again 2.9-3.948576. F1@1 ends at 4.448576, B0 and B1 at 5.448576 and
    // 6.448576. Gradients: 5.448576-5.6 is lost, 5.7-6.748576; 6.748576-7 lost, 7.1-8.148576. B1@0
    // ends at 9.148576.
    ScenarioText s;
    s.schedule = "gpipe";
    s.microbatches = 2;
    s.stages = sluice_test::equal_stages(2, 0.5, 1);
    s.bandwidth_GBps = 1;
    s.simulation = "  options: {link_share: fifo}\n";
    s.sections = failing(0, 1, 1.4, 0.1);
    const Summary r = play(s);
    CHECK(to_ms(r.makespan) == doctest::Approx(9.148576));
    CHECK(r.failures == 12);
    REQUIRE(r.lost_work.has_value());
    CHECK(to_ms(*r.lost_work) == doctest::Approx(0.9 + 0.251424 + 0.151424 + 0.251424));
    CHECK(r.completed_microbatches == 2);
  }
  TEST_CASE("a policy without a rule for what is ready deadlocks, and says which rank waits") {
    ScenarioText s;
    s.stages = sluice_test::equal_stages(2);
    s.schedule = "{policy: {split: false, rules: [F]}}";
    const auto run = simulate(s.text());
    REQUIRE_FALSE(run.ok());
    const Diagnostic& d = run.diagnostics().front();
    CHECK(d.code == Code::OrderDeadlock);
    CHECK(d.path == "pipeline.schedule");
    CHECK(d.line > 0);
    CHECK(d.message.find("rank 1: 8 F, 0 B of 8 done") != std::string::npos);
  }
  TEST_CASE("hetero_critical_path deadlocks when there are fewer microbatches than stages") {
    // Finding 12 of the specification of HOPS, which ends silently there.
    ScenarioText s;
    s.stages = sluice_test::equal_stages(4);
    s.microbatches = 2;
    s.schedule = "hops/hetero_critical_path";
    const auto run = simulate(s.text());
    REQUIRE_FALSE(run.ok());
    CHECK(run.diagnostics().front().code == Code::OrderDeadlock);
  }
}

// Parts that are slow for a time, computed by hand and by formula.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "engine/pace.hpp"
#include "metrics/idle_support.hpp"

using namespace sluice;
using sluice_test::idled;
using sluice_test::ScenarioText;

namespace {

ScenarioText one_stage(const std::string& straggler, int microbatches = 2) {
  ScenarioText s;
  s.microbatches = microbatches;
  s.stages = {{4, 4}};
  s.sections = "stragglers: [{devices: d0, " + straggler + "}]\n";
  return s;
}

Summary play(const ScenarioText& s) {
  const auto run = simulate(s.text());
  if (!run.ok()) FAIL(run.diagnostics().front().message);
  return run.value()->summary();
}

}  // namespace

TEST_SUITE("engine/stragglers") {
  TEST_CASE("a constant factor is on every time, and waiting for it is waiting for a straggler") {
    CHECK(to_ms(play(one_stage("factor: 1.5")).makespan) == doctest::Approx(24));
    // Two stages, one microbatch, F = B = 4, the first 1.5 times slower: F 0-6, F 6-10, B 10-14,
    // B 14-20. Of the 6 ms that the second waits at first, 2 come from the factor.
    ScenarioText s = one_stage("factor: 1.5", 1);
    s.stages = {{4, 4}, {4, 4}};
    s.simulation = "  transfers: latency\n";
    const auto r = idled(s.text());
    CHECK(to_ms(r.run->summary().makespan) == doctest::Approx(20));
    CHECK(r.ms(1, IdleCause::Straggler) == doctest::Approx(4));
    CHECK(r.ms(1, IdleCause::WarmUp) == doctest::Approx(4));
    CHECK(r.ms(1, IdleCause::Drain) == doctest::Approx(4));
  }
  TEST_CASE("of a band each part draws its own, once") {
    ScenarioText s = one_stage("factor: {low: 1.05, high: 1.15}", 1);
    s.stages = sluice_test::equal_stages(2, 1000, 1000);
    s.sections = "stragglers: [{devices: all, factor: {low: 1.05, high: 1.15}}]\n";
    const auto run = simulate(s.text());
    REQUIRE(run.ok());
    const Trace& t = run.value()->trace();
    double length[2] = {};
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.resource[row] > 1) continue;
      const double ms = to_ms(Time{t.end[row] - t.start[row]});
      CHECK(ms >= 1050);
      CHECK(ms <= 1150);
      double& known = length[t.resource[row]];
      if (known > 0) CHECK(ms == doctest::Approx(known));
      known = ms;
    }
    CHECK(std::fabs(length[0] - length[1]) > 0.01);
  }
  TEST_CASE("interference slows what meets it, for the time that it lasts") {
    // Slow by 2 in 0-2 and 10-12: F0 does 1 ms of its 4 until 2 and ends at 5, B0 5-9; F1 does 1
    // until 10, 1 until 12 and ends at 14, B1 14-18.
    CHECK(to_ms(play(one_stage("interference: {every_ms: 10, for_ms: 2, factor: 2}")).makespan) ==
          doctest::Approx(18));
    // From 4 on only: 4-6 and 14-16. F0 0-4, B0 from 4: 1 until 6, 9; F1 9-13; B1 from 13: 1 until
    // 14, 1 until 16, 18.
    CHECK(to_ms(play(one_stage("interference: {every_ms: 10, for_ms: 2, factor: 2, offset_ms: 4}"))
                    .makespan) == doctest::Approx(18));
    // Many periods at once: each 10 ms does 9 of work.
    Pace pace;
    pace.interference = Interference{10, 2, 2, 0};
    CHECK(paced(pace, 0, 9000 * kPsPerMs, {}) == 10000 * kPsPerMs);
    CHECK(paced(pace, 5 * kPsPerMs, 9001 * kPsPerMs, {}) == 10001 * kPsPerMs);
  }
  TEST_CASE("heat slows down to a plateau") {
    Pace pace;
    pace.drift = Drift{2, 64};
    // Beyond 64 ms everything takes twice as long.
    CHECK(paced(pace, 100 * kPsPerMs, 3 * kPsPerMs, {}) == 6 * kPsPerMs);
    // In 64 stairs of 1 ms the work done is the sum of 1 / (1 + (k + 1/2) / 64).
    double work = 0;
    for (int k = 0; k < 64; ++k) work += 1 / (1 + (k + 0.5) / 64);
    const auto ps = static_cast<std::int64_t>(work * static_cast<double>(kPsPerMs));
    CHECK(to_ms(Time{paced(pace, 0, ps, {})}) == doctest::Approx(64).epsilon(1e-9));
    // Close to the integral: ln 2 of the 64 ms.
    CHECK(work == doctest::Approx(64 * std::log(2.0)).epsilon(1e-4));
  }
  TEST_CASE("a heavy tail has the mean of its law") {
    // Pareto with minimum 1 and alpha 4: mean 4/3, variance 4 / (9 * 2); with probability 1/2.
    const int count = 20000;
    ScenarioText s = one_stage("tail: {probability: 0.5, alpha: 4}", count / 2);
    const double mean = to_ms(play(s).makespan) / (4.0 * count);
    const double expected = 1 + 0.5 / 3;
    const double second = 0.5 * (4.0 / 18 + 16.0 / 9) + 0.5;
    CHECK(std::fabs(mean - expected) < 3 * std::sqrt((second - expected * expected) / count));
  }
  TEST_CASE("a slow link is slow on the wire") {
    // F 1, 1.048576 ms on the wire, twice that when slow.
    ScenarioText s;
    s.microbatches = 1;
    s.stages = {{1, 1}, {1, 1}};
    s.bandwidth_GBps = 1;
    s.sections = "stragglers: [{links: [{from: d0, to: d1}], factor: 2}]\n";
    CHECK(to_ms(play(s).makespan) == doctest::Approx(4 + 4 * 1.048576));
    s.sections =
        "stragglers: [{links: all, interference: {every_ms: 1000, for_ms: 500, factor: 2}}]\n";
    CHECK(to_ms(play(s).makespan) == doctest::Approx(4 + 4 * 1.048576));
  }
  TEST_CASE("two drifts of one part are refused") {
    ScenarioText s = one_stage("drift: {to: 2, over_ms: 1}");
    s.sections =
        "stragglers: [{devices: d0, drift: {to: 2, over_ms: 1}}, {devices: all, drift: {to: 3, "
        "over_ms: 1}}]\n";
    const auto run = simulate(s.text());
    REQUIRE_FALSE(run.ok());
    CHECK(run.diagnostics().front().code == Code::KeyConflict);
  }
}

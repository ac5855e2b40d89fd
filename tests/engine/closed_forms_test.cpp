// Makespans, bubbles and peaks that follow by hand or from papers. Times are ms; F = 1, B = 2
// unless said.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::equal_stages;
using sluice_test::ScenarioText;
using sluice_test::StageTime;

namespace {

std::shared_ptr<const Run> play(const ScenarioText& scenario) {
  auto run = simulate(scenario.text());
  if (!run) FAIL(run.diagnostics().front().message);
  return run.value();
}

double makespan_ms(const ScenarioText& scenario) {
  return to_ms(play(scenario)->summary().makespan);
}

/// p equal stages, m microbatches, transfers of c ms and no bandwidth.
ScenarioText pipeline(const std::string& schedule, int p, int m, double c_ms = 0) {
  ScenarioText s;
  s.schedule = schedule;
  s.stages = equal_stages(p);
  s.microbatches = m;
  s.latency_us = c_ms * 1000;
  s.simulation = "  transfers: latency\n";
  return s;
}

}  // namespace

TEST_SUITE("engine/closed_forms") {
  TEST_CASE(
      "GPipe and 1F1B take (m + p - 1)(F + B) and their bubbles are (p-1)/(m+p-1) and (p-1)/m") {
    for (const char* name : {"gpipe", "1f1b"}) {
      for (const int p : {1, 2, 4, 7}) {
        for (const int m : {1, 2, 8, 19}) {
          INFO(name << " p=" << p << " m=" << m);
          const auto run = play(pipeline(name, p, m));
          const Summary& s = run->summary();
          CHECK(s.makespan.ps == static_cast<std::int64_t>(m + p - 1) * 3 * kPsPerMs);
          CHECK(s.bubble.idle_over_makespan == doctest::Approx((p - 1.0) / (m + p - 1)));
          CHECK(s.bubble.idle_over_work == doctest::Approx((p - 1.0) / m));
        }
      }
    }
  }
  TEST_CASE("GPipe exposes 2(p-1) latencies") {
    // Source: catalogue of schedules 1.1.
    CHECK(makespan_ms(pipeline("gpipe", 4, 8, 0.5)) == doctest::Approx(11 * 3 + 6 * 0.5));
    CHECK(makespan_ms(pipeline("gpipe", 8, 32, 0.25)) == doctest::Approx(39 * 3 + 14 * 0.25));
  }
  TEST_CASE("1F1B exposes latency in its steady state: 33, 37, 41, 49") {
    // Source: catalogue 1.2, p = 4, m = 8, c = 0, .25, .5, 1.
    const std::vector<std::pair<double, double>> table{{0, 33}, {0.25, 37}, {0.5, 41}, {1, 49}};
    for (const auto& [c, t] : table)
      CHECK(makespan_ms(pipeline("1f1b", 4, 8, c)) == doctest::Approx(t));
  }
  TEST_CASE("a slow last stage costs every microbatch, a slow first stage less") {
    // Source: catalogue 1.2: last slow: m(F+B)x + the others' F + B; first slow: 33, 40.5, 51, 72.
    for (const double x : {1.0, 1.5, 2.0, 3.0}) {
      ScenarioText s = pipeline("1f1b", 4, 8);
      s.stages[3] = {x, 2 * x};
      CHECK(makespan_ms(s) == doctest::Approx(8 * 3 * x + 3 * 3));
    }
    const std::vector<std::pair<double, double>> first{{1, 33}, {1.5, 40.5}, {2, 51}, {3, 72}};
    for (const auto& [x, t] : first) {
      ScenarioText s = pipeline("1f1b", 4, 8);
      s.stages[0] = {x, 2 * x};
      CHECK(makespan_ms(s) == doctest::Approx(t));
    }
  }
  TEST_CASE("ZB-H1 takes m(F+I+W) + (p-1)(F+I-W)") {
    for (const int p : {2, 4, 8}) {
      for (const double split : {0.5, 0.6}) {
        ScenarioText s = pipeline("zb_h1", p, 2 * p);
        s.split = split;
        const double i = 2 * split;
        const double w = 2 - i;
        CHECK(makespan_ms(s) == doctest::Approx(2 * p * 3 + (p - 1) * (1 + i - w)));
      }
    }
  }
  TEST_CASE("peaks: GPipe m, 1F1B min(p - r, m), ZB-H1 p until W and p - r until I") {
    const auto run = [](const char* name, int m) { return play(pipeline(name, 4, m))->summary(); };
    CHECK(run("gpipe", 6).in_flight_until_weight == std::vector<double>{6, 6, 6, 6});
    CHECK(run("1f1b", 8).in_flight_until_weight == std::vector<double>{4, 3, 2, 1});
    CHECK(run("1f1b", 2).in_flight_until_weight == std::vector<double>{2, 2, 2, 1});
    CHECK(run("zb_h1", 8).in_flight_until_weight == std::vector<double>{4, 4, 4, 4});
    CHECK(run("zb_h1", 8).in_flight_until_input == std::vector<double>{4, 3, 2, 1});
  }
  TEST_CASE("a transfer takes latency plus bytes over bandwidth") {
    // 8 MiB at 2 GB/s = 4.194304 ms, latency 0.3 ms; forward and backward each cross once.
    ScenarioText s = pipeline("1f1b", 2, 1);
    s.simulation = "";
    s.activation_mb = 8;
    s.bandwidth_GBps = 2;
    s.latency_us = 300;
    CHECK(makespan_ms(s) == doctest::Approx(2 * 3 + 2 * (4.194304 + 0.3)));
  }
  TEST_CASE("half precision halves what is sent") {
    ScenarioText s = pipeline("1f1b", 2, 1);
    s.simulation = "";
    s.activation_mb = 8;
    s.bandwidth_GBps = 2;
    std::string text = s.text();
    text.replace(text.find("  activation_mb"), 0, "  precision: bf16\n");
    const auto run = simulate(text);
    REQUIRE(run.ok());
    CHECK(to_ms(run.value()->summary().makespan) == doctest::Approx(6 + 4.194304));
  }
  TEST_CASE("transfers that overlap share a link: none of its bandwidth is lost") {
    // Two forwards, sent at 1 and 2 ms; each needs 1.5 ms alone (by bandwidth). Fair: the first has
    // 0.5 ms left at 2 ms and is through at 3; the second has had half a millisecond by then and is
    // through at 4. FIFO: 2.5 and 4. As HOPS: 2.5 and 5.
    ScenarioText s;
    s.schedule = "gpipe";
    s.microbatches = 2;
    s.stages = {{1, 2}, {0.001, 2}};
    s.activation_mb = 1.5 * 1e6 / (1024 * 1024);
    s.bandwidth_GBps = 1;
    const auto arrivals = [&](const std::string& share) {
      s.simulation = "  options: {link_share: " + share + "}\n";
      const auto run = play(s);
      std::vector<double> ends;
      const Trace& t = run->trace();
      for (std::size_t row = 0; row < t.rows(); ++row) {
        if (t.kind_at(row) == OpKind::Activation) ends.push_back(to_ms(Time{t.end[row]}));
      }
      return ends;
    };
    const auto fair = arrivals("fair");
    CHECK(fair[0] == doctest::Approx(3).epsilon(1e-9));
    CHECK(fair[1] == doctest::Approx(4).epsilon(1e-9));
    const auto fifo = arrivals("fifo");
    CHECK(fifo[0] == doctest::Approx(2.5));
    CHECK(fifo[1] == doctest::Approx(4));
    const auto hops = arrivals("per_pair_at_start");
    CHECK(hops[0] == doctest::Approx(2.5));
    CHECK(hops[1] == doctest::Approx(5));
  }
  TEST_CASE("a saturated link moves exactly its bandwidth, however many share it") {
    // 100 forwards of 0.1 ms, each payload 1 ms on the wire: the last arrives 100 ms after the
    // first was sent.
    ScenarioText s;
    s.schedule = "gpipe";
    s.microbatches = 100;
    s.stages = {{0.1, 0.1}, {0.001, 0.1}};
    s.activation_mb = 1e6 / (1024 * 1024);
    s.bandwidth_GBps = 1;
    for (const char* share : {"fair", "fifo"}) {
      s.simulation = std::string("  options: {link_share: ") + share + "}\n";
      const auto run = play(s);
      const Trace& t = run->trace();
      std::int64_t last = 0;
      for (std::size_t row = 0; row < t.rows(); ++row) {
        if (t.kind_at(row) == OpKind::Activation) last = std::max(last, t.end[row]);
      }
      CHECK(to_ms(Time{last}) == doctest::Approx(100.1).epsilon(1e-9));
    }
  }
  TEST_CASE("batches follow one another, with the barrier's pause between them") {
    ScenarioText s = pipeline("1f1b", 3, 4);
    s.batches = 3;
    s.sections = "optimizer: {enabled: true, update: 0.5, iteration_barrier: 2}\n";
    // Each batch (4 + 2) * 3 ms and an update; two pauses.
    CHECK(makespan_ms(s) == doctest::Approx(3 * 18.5 + 2 * 2));
    s.sections = "optimizer: {enabled: true, update: 0.5, accumulation_steps: 3}\n";
    CHECK(makespan_ms(s) == doctest::Approx(3 * 18 + 0.5));
  }
  TEST_CASE("a stage's own update counts for its device, the longest for the step") {
    ScenarioText s = pipeline("1f1b", 3, 4);
    s.sections = "optimizer: {enabled: true, update: 0.5}\n";
    s.stages[1].update_ms = 2;
    const auto run = play(s);
    CHECK(to_ms(run->summary().makespan) == doctest::Approx(18 + 2));
    CHECK(to_ms(run->summary().weight_update) == doctest::Approx(0.5 + 2 + 0.5));
  }
  TEST_CASE("without the step barrier a rank goes on alone") {
    // 1F1B: rank 0 begins first and ends last, so nothing is gained; this is why spans are counted
    // per rank.
    ScenarioText s = pipeline("1f1b", 3, 6);
    s.batches = 4;
    s.simulation += "  step_barrier: false\n";
    CHECK(makespan_ms(s) == doctest::Approx(4 * 8 * 3));
    s.sections = "optimizer: {enabled: true, update: 0.5}\n";
    const auto run = play(s);
    CHECK(to_ms(run->summary().weight_update) == doctest::Approx(3 * 4 * 0.5));
    CHECK(run->summary().completed_microbatches == 24);
    CHECK(to_ms(run->summary().makespan) == doctest::Approx(4 * 24.5));
    // ZB-H1 with a slow last stage ends on that stage's weight gradients; the next batch fills
    // them.
    ScenarioText z = pipeline("zb_h1", 3, 6);
    z.batches = 4;
    z.stages[2] = {1, 6};
    const double with_barrier = makespan_ms(z);
    z.simulation += "  step_barrier: false\n";
    const double without = makespan_ms(z);
    CHECK(without < with_barrier);
    CHECK(without >= 4 * 6 * 7.0);
  }
  TEST_CASE("stages on one device take turns") {
    ScenarioText s = pipeline("1f1b", 2, 4);
    std::string text = s.text();
    text.replace(text.find("device: d1"), 10, "device: d0");
    const auto run = simulate(text);
    REQUIRE(run.ok());
    // All the work on one device, which is never idle.
    CHECK(to_ms(run.value()->summary().makespan) == doctest::Approx(2 * 4 * 3));
  }
}

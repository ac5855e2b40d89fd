// Reports of users of other tools that concern an order, a bubble or a count, each with what Sluice
// does about it. Those whose figure is a fact of the catalogue stand in facts_test (1, 2, 4, 7, 9,
// 10, 18, 19, 26, 31), refusals in invalid_test (3, 12, 21, 24), communication in
// engine/communication_test (22, 23).
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

ScenarioText scenario(const std::string& schedule, int p, int m, double latency_ms = 0) {
  ScenarioText s;
  s.schedule = schedule;
  s.microbatches = m;
  s.stages = sluice_test::equal_stages(p);
  s.latency_us = 1000 * latency_ms;
  s.simulation = "  transfers: latency\n";
  return s;
}

std::shared_ptr<const Run> played(const ScenarioText& s) {
  const auto run = simulate(s.text());
  if (!run.ok()) FAIL(run.diagnostics().front().message);
  return run.value();
}

double makespan(const ScenarioText& s) {
  return to_ms(played(s)->summary().makespan);
}

double most(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

}  // namespace

TEST_SUITE("schedule/reports") {
  TEST_CASE("#5 Megatron-LM#750: with p = 2 a rank's two neighbours are one rank, and it runs") {
    // Golden A029: both chunks' links join the same two ranks, one each way.
    const auto run = played(scenario("interleaved_1f1b", 2, 4));
    CHECK(run->program().machine.links.size() == 2);
    CHECK(run->summary().messages == 2 * 3 * 4);
  }
  TEST_CASE("#12 sail#8: the memory limit is a vector, and each rank keeps its own") {
    const auto run = played(scenario("{name: zb_auto, memory_limit: [6, 4, 3, 2]}", 4, 8));
    const std::vector<double> limits{6, 4, 3, 2};
    for (std::size_t r = 0; r < 4; ++r) CHECK(run->summary().in_flight_half[r] <= limits[r]);
    CHECK(run->summary().in_flight_half[0] > 4);
  }
  TEST_CASE("#13 sail#73: a late start of the warm-up is the mode of communication") {
    // F0 on rank 1 waits for F1 on rank 0 only where rank 0 cannot send while it computes F1; a
    // blocking send delays F1, not F0.
    const auto first_forward = [](const std::string& mode) {
      ScenarioText s = scenario("1f1b", 2, 4, 0.5);
      s.simulation = "  transfers: latency\n  communication: " + mode + "\n";
      const auto run = played(s);
      for (std::size_t row = 0; row < run->trace().rows(); ++row) {
        if (run->trace().resource[row] == 1) return to_ms(Time{run->trace().start[row]});
      }
      return -1.0;
    };
    CHECK(first_forward("async") == doctest::Approx(1.5));
    CHECK(first_forward("blocking") == doctest::Approx(1.5));
  }
  TEST_CASE("#14 sail#21: interleaved, ZB-H1 and ZB-V side by side, p = 8, m = 24") {
    const auto check = [](const std::string& schedule, double time, double peak, double parts) {
      const auto run = played(scenario(schedule, 8, 24));
      INFO(schedule);
      CHECK(to_ms(run->summary().makespan) == doctest::Approx(time));
      CHECK(most(run->summary().in_flight_until_weight) / parts == doctest::Approx(peak));
    };
    check("1f1b", 93, 8, 1);
    check("{name: interleaved_1f1b, chunks: 4}", 77.25, 9.75, 4);
    check("zb_h1", 79, 8, 1);
    check("zb_v", 75.5, 8, 2);
  }
  TEST_CASE("#15 sail#64: a barrier at the step's end costs ZB-H2 (p - 1) F a step") {
    ScenarioText s = scenario("zb_h2", 4, 12);
    s.batches = 3;
    s.simulation = "  transfers: latency\n  step_barrier: true\n";
    const double with = makespan(s);
    s.simulation = "  transfers: latency\n  step_barrier: false\n";
    const double without = makespan(s);
    CHECK(with == doctest::Approx(3 * (3 * 12 + 3)));
    CHECK(without == doctest::Approx(3 * 3 * 12 + 3));
  }
  TEST_CASE("#20 DualPipe#17: twice the weights, on the basis of ranks") {
    const auto run = played(scenario("dualpipe", 4, 8));
    CHECK(run->program().plan.weight_copies == 2);
    const auto one = played(scenario("1f1b", 4, 8));
    // Each rank holds a stage of either direction: its memory at rest is twice as much.
    for (std::size_t d = 0; d < 4; ++d) {
      CHECK(run->loaded().costs.stages[d].resident == one->loaded().costs.stages[d].resident);
    }
    CHECK(run->loaded().costs.stages.size() == 8);
  }
  TEST_CASE("#24 torchtitan#774: on a V the loss stands on rank 0") {
    CHECK(played(scenario("zb_v", 4, 8))->plan_json().find("\"loss_ranks\":[0]") !=
          std::string::npos);
    CHECK(played(scenario("1f1b", 4, 8))->plan_json().find("\"loss_ranks\":[3]") !=
          std::string::npos);
    CHECK(played(scenario("chimera", 4, 8))->plan_json().find("\"loss_ranks\":[3,0]") !=
          std::string::npos);
  }
  TEST_CASE(
      "#27 pytorch#160474: an operation stands where it can run, not where the list puts it") {
    // 1F1B, p = 2: rank 1 has no operation in the first millisecond, although its list begins.
    const auto run = played(scenario("1f1b", 2, 2));
    for (std::size_t row = 0; row < run->trace().rows(); ++row) {
      if (run->trace().resource[row] == 1) CHECK(to_ms(Time{run->trace().start[row]}) >= 1);
    }
  }
  TEST_CASE("#28 SimAI: exposed communication is not one formula: 1F1B +16 c, eager +6 c") {
    for (const double c : {0.25, 0.5, 1.0}) {
      CHECK(makespan(scenario("1f1b", 4, 8, c)) - 33 == doctest::Approx(16 * c));
      CHECK(makespan(scenario("eager_1f1b", 4, 8, c)) - 33 == doctest::Approx(6 * c));
    }
  }
  TEST_CASE("#30, #32: one slow rank, and links of their own") {
    ScenarioText s = scenario("1f1b", 4, 8);
    s.stages[2] = {2, 4, 0};
    CHECK(makespan(s) == doctest::Approx(55));
    std::string text = scenario("1f1b", 2, 1, 0.5).text();
    // One link of its own: 3 ms one way, the others 0.5.
    text.replace(
        text.find("    - {default"), 0,
        "    - {from: d0, to: d1, oneway: true, bandwidth_GBps: 1000, latency_us: 3000}\n");
    const auto run = simulate(text);
    REQUIRE(run.ok());
    CHECK(to_ms(run.value()->summary().makespan) == doctest::Approx(1 + 3 + 3 + 0.5 + 2));
  }
  TEST_CASE("#35: what counts as best is a proven bound, not somebody's best try") {
    // The tutor's level had a reference of 29, then of 27: p = 4, m = 8, F = I = W = 1.
    const auto run = played(scenario("zb_h1", 4, 8));
    CHECK(to_ms(run->summary().makespan) == doctest::Approx(27));
    CHECK(to_ms(*run->summary().lower_bound) == doctest::Approx(27));
  }
}

// What transfers hold up: each time worked out by hand.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "base/hash.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

ScenarioText scenario(const std::string& schedule, int microbatches,
                      std::vector<sluice_test::StageTime> stages, double latency_ms) {
  ScenarioText s;
  s.schedule = schedule;
  s.microbatches = microbatches;
  s.stages = std::move(stages);
  s.latency_us = latency_ms * 1000;
  return s;
}

std::shared_ptr<const Run> played(ScenarioText s, const std::string& mode) {
  s.simulation = "  transfers: latency\n  communication: " + mode + "\n";
  const auto run = simulate(s.text());
  if (!run.ok()) FAIL(run.diagnostics().front().message);
  return run.value();
}

// Starts of the forwards of one rank, ms.
std::vector<double> forward_starts(const Run& run, std::uint32_t rank) {
  std::vector<double> out;
  for (std::size_t row = 0; row < run.trace().rows(); ++row) {
    if (run.trace().resource[row] == rank && run.trace().kind_at(row) == OpKind::Forward)
      out.push_back(to_ms(Time{run.trace().start[row]}));
  }
  return out;
}

using Starts = std::vector<double>;

}  // namespace

TEST_SUITE("engine/communication") {
  TEST_CASE("a blocking send holds its rank until the message has arrived") {
    // GPipe, F 1, B 2, latency 0.5. Rank 0: F0 0-1, sends to 1.5, F1 1.5-2.5, sends to 3. Rank 1:
    // F0 1.5-2.5, F1 3-4, B0 4-6, sends to 6.5, B1 6.5-8.5, sends to 9. Rank 0: B0 6.5, B1 9-11.
    const ScenarioText s = scenario("gpipe", 2, sluice_test::equal_stages(2), 0.5);
    const auto blocking = played(s, "blocking");
    CHECK(forward_starts(*blocking, 0) == Starts{0, 1.5});
    CHECK(forward_starts(*blocking, 1) == Starts{1.5, 3});
    CHECK(to_ms(blocking->summary().makespan) == doctest::Approx(11));
    const auto async = played(s, "async");
    CHECK(forward_starts(*async, 0) == Starts{0, 1});
    CHECK(to_ms(async->summary().makespan) == doctest::Approx(10));
  }

  TEST_CASE("a rendezvous also waits for the receiver") {
    // Stage 1 is slow (F 2): it takes F1 only when its F0 is done at 3.5, so rank 0 sends F1
    // from 3.5 to 4, while a blocking send would have gone from 2.5 to 3.
    const ScenarioText s = scenario("gpipe", 3, {{1, 2, 0}, {2, 4, 0}}, 0.5);
    CHECK(forward_starts(*played(s, "async"), 0) == Starts{0, 1, 2});
    CHECK(forward_starts(*played(s, "blocking"), 0) == Starts{0, 1.5, 3});
    CHECK(forward_starts(*played(s, "rendezvous"), 0) == Starts{0, 1.5, 4});
    CHECK(forward_starts(*played(s, "rendezvous"), 1) == Starts{1.5, 4, 6.5});
  }

  TEST_CASE("one stream in order: a message that is there waits behind a send") {
    // Latency 1. Rank 1 ends F0 at 3 and sends it from 3 to 4; F1 has arrived at 3, but its receive
    // stands behind that send. Source: pytorch/pytorch#172668.
    const ScenarioText s = scenario("gpipe", 3, sluice_test::equal_stages(3), 1);
    CHECK(forward_starts(*played(s, "async"), 1) == Starts{2, 3, 4});
    CHECK(forward_starts(*played(s, "in_order"), 1) == Starts{2, 4, 6});
  }

  TEST_CASE("p = 2, v = 2, m = 4: the order of one stream costs time, and the run shows how much") {
    const ScenarioText s =
        scenario("{name: interleaved_1f1b, chunks: 2}", 4, sluice_test::equal_stages(2, 2, 4), 0.5);
    const double async = to_ms(played(s, "async")->summary().makespan);
    const double in_order = to_ms(played(s, "in_order")->summary().makespan);
    CHECK(in_order > async);
  }

  TEST_CASE("unbuffered sends that wait for each other deadlock, and the cycle is named") {
    // Row X016: rank 0 sends F1@0 and then receives for F0@2; rank 1 sends F0@1 and then receives
    // for F1@1.
    const std::string order =
        "{order: ['F0@0 F1@0 F0@2 F1@2 B0@2 B1@2 B0@0 B1@0', "
        "'F0@1 F1@1 F0@3 F1@3 B0@3 B1@3 B0@1 B1@1'], placement: {down: [0, 1, 0, 1]}}";
    ScenarioText s = scenario(order, 2, sluice_test::equal_stages(2), 0.5);
    CHECK(played(s, "async")->summary().completed_microbatches == 2);
    CHECK(played(s, "in_order")->summary().completed_microbatches == 2);
    CHECK(played(s, "blocking")->summary().completed_microbatches == 2);
    s.simulation = "  transfers: latency\n  communication: rendezvous\n";
    const auto run = simulate(s.text());
    REQUIRE_FALSE(run.ok());
    const Diagnostic& d = run.diagnostics().front();
    CHECK(d.code == Code::OrderDeadlock);
    CHECK(d.path == "simulation.communication");
    CHECK(d.message ==
          "communication deadlocks in batch 0: rank 0 sends the output of F1@0 to rank 1, which "
          "does not receive it; rank 1 sends the output of F0@1 to rank 0, which does not receive "
          "it");
  }

  TEST_CASE("1F1B deadlocks with rendezvous sends, as frameworks found; GPipe does not") {
    // NVIDIA/Megatron-LM#5100, pytorch/pytorch#126419: rank 0 sends F1 while rank 1 sends B0.
    ScenarioText s = scenario("1f1b", 4, sluice_test::equal_stages(2), 0.5);
    s.simulation = "  transfers: latency\n  communication: rendezvous\n";
    const auto run = simulate(s.text());
    REQUIRE_FALSE(run.ok());
    CHECK(run.diagnostics().front().code == Code::OrderDeadlock);
    s.schedule = "gpipe";
    CHECK(simulate(s.text()).ok());
  }

  TEST_CASE("holding up more is never faster, whatever the schedule and the links") {
    std::uint64_t seed = 5;
    const auto pick = [&](std::uint64_t n) { return mix64(++seed) % n; };
    for (int i = 0; i < 60; ++i) {
      const char* schedules[] = {"gpipe", "1f1b",       "zb_h1",    "interleaved_1f1b", "zb_v",
                                 "gems",  "looped_bfs", "dualpipe", "seq_1f1b",         "v_half"};
      ScenarioText s = scenario(schedules[pick(10)], 8, {}, static_cast<double>(pick(4)) / 4);
      const char* transfers[] = {"latency", "bandwidth", "shared"};
      const std::string kind = transfers[pick(3)];
      s.bandwidth_GBps = 4;
      for (int r = 0; r < 4; ++r) {
        const double f = 1 + static_cast<double>(pick(4)) / 4;
        s.stages.push_back({f, 2 * f, 0});
      }
      s.batches = 1 + static_cast<int>(pick(2));
      const auto makespan = [&](const std::string& mode) {
        s.simulation = "  transfers: " + kind + "\n  communication: " + mode + "\n";
        const auto run = simulate(s.text());
        return run.ok() ? run.value()->summary().makespan.ps : INT64_MAX;
      };
      INFO(s.schedule << " " << kind);
      const auto async = makespan("async");
      const auto blocking = makespan("blocking");
      CHECK(async != INT64_MAX);
      CHECK(makespan("in_order") != INT64_MAX);
      CHECK(blocking != INT64_MAX);
      // With shared links a delay may also spare a transfer its company.
      if (kind == "shared") continue;
      CHECK(async <= makespan("in_order"));
      CHECK(async <= blocking);
      CHECK(blocking <= makespan("rendezvous"));
    }
  }

  TEST_CASE("calls cost the calibration's host time with given times too") {
    // megatron_local: 0.247 before and after a call, 0.16 where none stands between two operations.
    // F0 0-1, the call 0.247 + 0.5 + 0.247, F 1.994-2.994, B from 3.154 to 5.154, the call, B to
    // 8.148.
    ScenarioText s = scenario("1f1b", 1, sluice_test::equal_stages(2), 0.5);
    const auto run = played(s, "calls");
    CHECK(forward_starts(*run, 1) == Starts{1.994});
    CHECK(to_ms(run->summary().makespan) == doctest::Approx(8.148));
    s.simulation = "  communication: calls\n";
    const std::vector<Setting> unknown{{"pipeline.calibration", "nowhere"}};
    CHECK(simulate(s.text(), unknown).diagnostics().front().code == Code::ReferencePreset);
  }

  TEST_CASE("what has no order, or may be interrupted, is asynchronous only") {
    ScenarioText s =
        scenario("{policy: {split: false, rules: [F, B]}}", 2, sluice_test::equal_stages(2), 0.5);
    s.simulation = "  communication: blocking\n";
    CHECK(simulate(s.text()).diagnostics().front().code == Code::ScheduleConstraint);
    s.schedule = "1f1b";
    s.sections =
        "failure: {enabled: true, check_interval_ms: 1, device_failure_probability: 0.1, "
        "link_failure_probability: 0, recovery_time_ms: 1}\n";
    CHECK(simulate(s.text()).diagnostics().front().path == "simulation.communication");
  }
  TEST_CASE("interleaved: a forward and the backward after it share one call") {
    // Rank 1 of 2, two stages each, four microbatches: ... F2@1 B0@1 F3@1 B1@1 ...
    ScenarioText s =
        scenario("{name: interleaved_1f1b, chunks: 2}", 4, sluice_test::equal_stages(2), 0.25);
    const auto sent = [&](const char* mode) {
      const auto run = played(s, mode);
      const Trace& t = run->trace();
      double forward_end = 0;
      double backward_end = 0;
      double leaves = 0;
      for (std::size_t row = 0; row < t.rows(); ++row) {
        if (t.stage[row] != 1) continue;
        const OpKind kind = t.kind_at(row);
        const std::uint32_t m = t.microbatch_at(row);
        if (kind == OpKind::Forward && m == 2) forward_end = to_ms(Time{t.end[row]});
        if (kind == OpKind::Backward && m == 0) backward_end = to_ms(Time{t.end[row]});
        if (kind == OpKind::Activation && m == 2) leaves = to_ms(Time{t.start[row]});
      }
      // A call is posted 0.247 ms after the work.
      CHECK(leaves ==
            doctest::Approx(std::string(mode) == "calls" ? backward_end + 0.247 : forward_end));
    };
    sent("calls");
    sent("async");
  }
}

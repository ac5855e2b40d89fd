// The critical path and the slack beside it, worked out by hand.
#include "metrics/critical_path.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "metrics/idle_support.hpp"
#include "metrics/inputs.hpp"
#include "metrics/slack.hpp"

using namespace sluice;
using sluice_test::equal_stages;
using sluice_test::Idled;
using sluice_test::idled;
using sluice_test::kWire;
using sluice_test::scenario;
using sluice_test::ScenarioText;

namespace {

void check_path(const Idled& r, double compute, double communication, double wait) {
  const CriticalPath path = critical_path(r.run->trace(), *r.idle);
  CHECK(to_ms(path.compute) == doctest::Approx(compute));
  CHECK(to_ms(path.communication) == doctest::Approx(communication));
  CHECK(to_ms(path.wait) == doctest::Approx(wait));
}

std::vector<std::int64_t> slack_of(const Idled& r) {
  return slack(r.run->program(), r.run->trace(), *r.idle);
}

// The makespan of a fixed order when one row ends `late` picoseconds later: each row starts when
// its device is free and its inputs are there, with the durations of the run.
std::int64_t makespan_with(const Idled& r, const Inputs& inputs, std::uint32_t delayed,
                           std::int64_t late) {
  const Trace& t = r.run->trace();
  std::vector<std::int64_t> end(t.rows(), 0);
  std::vector<std::int64_t> free_at(t.devices, 0);
  std::int64_t last = 0;
  for (std::uint32_t row = 0; row < t.rows(); ++row) {
    const bool message = t.resource[row] >= t.devices;
    const std::uint32_t input = message ? t.predecessor[row] : inputs.from_elsewhere(row);
    std::int64_t start = input == kNoRow ? 0 : end[input];
    if (!message) start = std::max(start, free_at[t.resource[row]]);
    end[row] = start + t.end[row] - t.start[row] + (row == delayed ? late : 0);
    if (message) continue;
    free_at[t.resource[row]] = end[row];
    last = std::max(last, end[row]);
  }
  return last;
}

// Slack of an operation, ms.
double slack_at(const Idled& r, OpKind kind, std::uint16_t stage, std::uint32_t microbatch) {
  const Trace& t = r.run->trace();
  const std::vector<std::int64_t> all = slack_of(r);
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.kind_at(row) == kind && t.stage[row] == stage && t.microbatch_at(row) == microbatch)
      return to_ms(Time{all[row]});
  }
  return -1;
}

}  // namespace

TEST_SUITE("metrics/critical_path") {
  TEST_CASE("one microbatch down and back: everything is on it") {
    // F 0-1, 1.5-2.5, B 2.5-4.5, 5-7.
    ScenarioText s = scenario("1f1b", 1, equal_stages(2));
    s.latency_us = 500;
    const Idled r = idled(s.text());
    check_path(r, 6, 1, 0);
    const CriticalPath path = critical_path(r.run->trace(), *r.idle);
    REQUIRE(path.shares.size() == 6);
    // B of either rank 2, then F of either 1, then the two messages.
    CHECK(path.shares[0].kind == OpKind::Backward);
    CHECK(path.shares[0].resource == 0);
    CHECK(path.shares[0].time.ps == 2 * kPsPerMs);
    CHECK(path.shares[1].resource == 1);
    CHECK(path.shares[2].kind == OpKind::Forward);
    CHECK(path.shares[4].time.ps == kPsPerMs / 2);
    for (const std::int64_t ps : slack_of(r)) CHECK(ps == 0);
  }

  TEST_CASE("a queue in front of a link is a wait") {
    // F 0.5, B 1. F0@0, F1@0, the queue for w - 0.5, message w, F1@1, B0@1, B1@1, the queue for
    // w - 1, message w, B1@0: T = 3 + 4 w.
    ScenarioText s = scenario("gpipe", 2, equal_stages(2, 0.5, 1),
                              "  transfers: shared\n  options: {link_share: fifo}\n");
    s.bandwidth_GBps = 1;
    check_path(idled(s.text()), 4.5, 2 * kWire, 2 * kWire - 1.5);
  }

  TEST_CASE("steps, their updates, and the pause between them") {
    // Work 6 and the longer update 1 in each of two steps, 0.2 between them.
    ScenarioText s = scenario("1f1b", 1, {{1, 2, 0, 0.7}, {1, 2, 0, 1}});
    s.batches = 2;
    s.sections = "optimizer: {enabled: true, update: 1, iteration_barrier: 0.2}\n";
    const Idled r = idled(s.text());
    check_path(r, 14, 0, 0.2);
    // The shorter update could end 0.3 later in either step.
    const Trace& t = r.run->trace();
    const std::vector<std::int64_t> all = slack_of(r);
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.kind_at(row) != OpKind::Update) continue;
      CHECK(to_ms(Time{all[row]}) == doctest::Approx(t.resource[row] == 0 ? 0.3 : 0));
    }
  }

  TEST_CASE("what an outage cost is waiting, work made void too") {
    // F 0-2, B 2-3.5 lost, down until 4.5, B 4.5-6.5.
    ScenarioText s = scenario("1f1b", 1, {{2, 2}});
    s.sections =
        "failure: {enabled: true, check_interval_ms: 3.5, device_failure_probability: 1, "
        "link_failure_probability: 0, recovery_time_ms: 1}\n";
    check_path(idled(s.text()), 4, 0, 2.5);
  }

  TEST_CASE("1F1B with a slow last rank: its work, between one way in and one way out") {
    // p = 4, m = 8: three forwards of 1, eight times 1.5 + 3, three backwards of 2.
    std::vector<sluice_test::StageTime> stages = equal_stages(4);
    stages[3] = {1.5, 3};
    const Idled r = idled(scenario("1f1b", 8, stages).text());
    check_path(r, 45, 0, 0);
    const CriticalPath path = critical_path(r.run->trace(), *r.idle);
    Duration last;
    for (const PathShare& share : path.shares) {
      if (share.resource == 3) last += share.time;
    }
    CHECK(to_ms(last) == 36);
  }

  TEST_CASE("slack: how much later an operation could end") {
    // 1F1B, p = 2, m = 2, F 1, B 2. Rank 0: F0 0-1, F1 1-2, B0 4-6, B1 7-9. Rank 1: F0 1-2, B0 2-4,
    // F1 4-5, B1 5-7. F1@0 is needed at 4 by F1@1: 2 later. B0@0 could end at 7, when B1@0 starts.
    const Idled r = idled(scenario("1f1b", 2, equal_stages(2)).text());
    CHECK(slack_at(r, OpKind::Forward, 0, 0) == 0);
    CHECK(slack_at(r, OpKind::Forward, 0, 1) == 2);
    CHECK(slack_at(r, OpKind::Backward, 0, 0) == 1);
    CHECK(slack_at(r, OpKind::Activation, 0, 1) == 2);
    CHECK(slack_at(r, OpKind::Forward, 1, 1) == 0);
    CHECK(slack_at(r, OpKind::Backward, 1, 1) == 0);
    CHECK(slack_at(r, OpKind::Backward, 0, 1) == 0);
  }

  TEST_CASE("slack is what a later end may be and no more") {
    const std::vector<std::string> schedules{"1f1b", "gpipe",   "zb_h1",
                                             "zb_v", "chimera", "interleaved_1f1b"};
    for (std::size_t n = 0; n < schedules.size(); ++n) {
      // Uneven stages, so that little ends at the same time.
      ScenarioText s = scenario(schedules[n], 8, {{1, 2}, {1.3, 2.1}, {0.7, 2.6}, {1.1, 1.9}});
      s.latency_us = 130;
      INFO(s.schedule);
      const Idled r = idled(s.text());
      const Inputs inputs(r.run->program(), r.run->trace());
      const std::vector<std::int64_t> all = slack_of(r);
      const std::int64_t makespan = r.run->summary().makespan.ps;
      REQUIRE(makespan_with(r, inputs, 0, 0) == makespan);
      for (std::uint32_t row = 0; row < r.run->trace().rows(); ++row) {
        CHECK(makespan_with(r, inputs, row, all[row]) == makespan);
        CHECK(makespan_with(r, inputs, row, all[row] + 1) == makespan + 1);
      }
    }
  }
}

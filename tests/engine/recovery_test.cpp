// Failures by law, and steps that are begun anew: by hand, by formula, and over random plans.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/hash.hpp"
#include "engine/components.hpp"
#include "metrics/idle_support.hpp"
#include "schedule/registry.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::idled;
using sluice_test::ScenarioText;

namespace {

/// One device, F = B = 4 ms, two microbatches: a step of 16 ms.
ScenarioText steps_of_16(int batches, const std::string& failure) {
  ScenarioText s;
  s.microbatches = 2;
  s.batches = batches;
  s.stages = {{4, 4}};
  s.sections = "failure: {enabled: true, " + failure + "}\n";
  return s;
}

Summary play(const ScenarioText& s) {
  const auto run = simulate(s.text());
  if (!run.ok()) FAIL(run.diagnostics().front().message);
  return run.value()->summary();
}

Code refused(const ScenarioText& s) {
  const auto run = simulate(s.text());
  REQUIRE_FALSE(run.ok());
  return run.diagnostics().front().code;
}

/// Each operation done once in all, whatever was lost before; none on a device that was down or
/// before what it needs.
void check_committed_once(const Run& run) {
  const Trace& t = run.trace();
  const Plan& plan = run.program().plan;
  std::map<std::tuple<int, int, std::uint32_t>, std::size_t> rows;
  std::vector<std::int64_t> free_at(t.devices, 0);
  std::vector<std::vector<Discarded>> down(t.devices);
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.kind_at(row) == OpKind::Failure && t.resource[row] < t.devices)
      down[t.resource[row]].push_back({t.start[row], t.end[row]});
  }
  for (std::size_t row = 0; row < t.rows(); ++row) {
    REQUIRE(t.start[row] <= t.end[row]);
    if (t.resource[row] >= t.devices || t.kind_at(row) == OpKind::Failure) continue;
    if (!t.second_half(row)) {
      REQUIRE(t.start[row] >= free_at[t.resource[row]]);
      free_at[t.resource[row]] = t.end[row];
    }
    if (t.done_at(row)) {
      for (const Discarded& d : down[t.resource[row]])
        REQUIRE((t.end[row] <= d.from || t.start[row] >= d.to || d.from == d.to));
      for (const Discarded& d : t.discarded)
        REQUIRE((t.end[row] <= d.from || t.start[row] >= d.to));
    }
    if (!t.per_microbatch(row) || !t.done_at(row)) continue;
    int kind = t.kind[row];
    if (t.kind_at(row) == OpKind::Overlapped) kind = static_cast<int>(OpKind::Forward);
    REQUIRE(rows.emplace(std::make_tuple(kind, t.stage[row], t.index[row]), row).second);
  }
  // Per play each rank's list is complete.
  CHECK(rows.size() == run.program().operations_per_batch * run.program().plays);
  const auto per_pipe = static_cast<std::uint32_t>(plan.placement.stages());
  for (const auto& [key, row] : rows) {
    const auto& [kind, stage, index] = key;
    if (kind != static_cast<int>(OpKind::Forward) ||
        static_cast<std::uint32_t>(stage) % per_pipe == 0)
      continue;
    const auto before = rows.find({kind, stage - 1, index});
    REQUIRE(before != rows.end());
    REQUIRE(t.end[before->second] <= t.start[row]);
  }
}

double mean_life(double shape, int count, double& error) {
  FailureComponent c;
  c.key = hash_text("device x");
  c.shape = shape;
  // Scale 1: the mean is the gamma function of 1 + 1/shape.
  c.scale_ms = 1;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double life = life_ms(c, 7, static_cast<std::uint32_t>(i));
    sum += life;
    squares += life * life;
  }
  const double mean = sum / count;
  error = std::sqrt((squares / count - mean * mean) / count);
  return mean;
}

}  // namespace

TEST_SUITE("engine/recovery") {
  TEST_CASE("a failed device takes the step with it") {
    // Step 0: 0-16. Step 1 from 16: F0 16-20, B0 from 20, the device fails at 21: 5 ms are lost.
    // Repaired at 26, restart 1 ms: step 1 is 27-43, step 2 43-59.
    ScenarioText s = steps_of_16(
        3,
        "recovery: step, restart_s: 0.001, sources: [{devices: d0, at_ms: [21], repair_s: 0.005}]");
    const Summary r = play(s);
    CHECK(to_ms(r.makespan) == doctest::Approx(59));
    CHECK(r.failures == 1);
    CHECK(r.rollbacks == 1);
    CHECK(to_ms(r.lost_time) == doctest::Approx(5));
    CHECK(to_ms(*r.lost_work) == doctest::Approx(5));
    CHECK(to_ms(r.recovering) == doctest::Approx(6));
    CHECK(*r.goodput == doctest::Approx(1 - 11.0 / 59));
    CHECK(r.completed_microbatches == 6);
  }
  TEST_CASE("gradients that were summed up go with their step") {
    // Two batches a step: 0-16, 16-32, and an update of 1 ms. Failing at 21 loses both batches.
    ScenarioText s = steps_of_16(
        2,
        "recovery: step, restart_s: 0.001, sources: [{devices: d0, at_ms: [21], repair_s: 0.005}]");
    s.sections += "optimizer: {enabled: true, accumulation_steps: 2, update: 1}\n";
    const Summary r = play(s);
    CHECK(to_ms(r.lost_time) == doctest::Approx(21));
    CHECK(to_ms(r.makespan) == doctest::Approx(27 + 33));
  }
  TEST_CASE("checkpoints take their time, and are what a failure goes back to") {
    // Steps 0-16, 18-34, 36-52 with checkpoints of 2 ms between them.
    const std::string saved = "recovery: checkpoint, restart_s: 0.001, checkpoint: {every_steps: ";
    const auto failing = [&](int every, int at) {
      return steps_of_16(3, saved + std::to_string(every) +
                                ", cost_s: 0.002}, sources: [{devices: all, at_ms: [" +
                                std::to_string(at) + "], repair_s: 0.005}]");
    };
    const Summary calm = play(failing(1, 100));
    CHECK(to_ms(calm.makespan) == doctest::Approx(52));
    CHECK(calm.checkpoints == 2);
    CHECK(to_ms(calm.saving) == doctest::Approx(4));
    CHECK(*calm.goodput == doctest::Approx(1 - 4.0 / 52));
    // At 45, 9 ms into step 2: goes on at 51, ends at 67.
    const Summary late = play(failing(1, 45));
    CHECK(to_ms(late.makespan) == doctest::Approx(67));
    CHECK(to_ms(late.lost_time) == doctest::Approx(9));
    // At 35 the second checkpoint is not whole: step 1 again at 41-57, saved 57-59, step 2 59-75.
    const Summary torn = play(failing(1, 35));
    CHECK(to_ms(torn.makespan) == doctest::Approx(75));
    CHECK(to_ms(torn.lost_time) == doctest::Approx(17));
    CHECK(torn.checkpoints == 2);
    // Every two steps: at 30 all goes back to the start: 36-68, saved 68-70, 70-86.
    const Summary all = play(failing(2, 30));
    CHECK(to_ms(all.makespan) == doctest::Approx(86));
    CHECK(to_ms(all.lost_time) == doctest::Approx(30));
    CHECK(all.checkpoints == 1);
  }
  TEST_CASE("a checkpoint by time comes at the end of the step that is long enough after") {
    // 30 ms after the start: at the end of step 1, 32. The next would be due at 64, the end.
    const Summary r =
        play(steps_of_16(4,
                         "recovery: checkpoint, checkpoint: {interval_s: 0.03, cost_s: 0.002}, "
                         "sources: [{devices: all, mtbf_hours: 1000, repair_s: 1}]"));
    CHECK(r.checkpoints == 1);
    CHECK(to_ms(r.makespan) == doctest::Approx(66));
  }
  TEST_CASE("a spare takes over at once, and what it stands in for is the next spare") {
    // At 21 the spare: on at 22, step 1 22-38. At 40 there is none until 121: repaired at 140, on
    // at 141, step 2 141-157.
    const Summary r = play(steps_of_16(3,
                                       "recovery: step, restart_s: 0.001, spares: 1, sources: "
                                       "[{devices: d0, at_ms: [21, 40], repair_s: 0.1}]"));
    CHECK(to_ms(r.makespan) == doctest::Approx(157));
    CHECK(to_ms(r.recovering) == doctest::Approx(1 + 101));
    CHECK(to_ms(r.lost_time) == doctest::Approx(5 + 2));
  }
  TEST_CASE("a second failure while all wait puts off the restart") {
    // A step of two stages and two microbatches takes (2 + 1) * 8 = 24 ms. At 25, and of the other
    // device at 28: repaired at 30 and 33, on at 34.
    ScenarioText s = steps_of_16(2, "");
    s.stages = {{4, 4}, {4, 4}};
    s.sections =
        "failure: {enabled: true, recovery: step, restart_s: 0.001, sources: ["
        "{devices: d0, at_ms: [25], repair_s: 0.005}, {devices: [d1], at_ms: [28], repair_s: "
        "0.005}]}\n";
    const Summary r = play(s);
    CHECK(r.rollbacks == 2);
    CHECK(to_ms(r.lost_time) == doctest::Approx(1));
    CHECK(to_ms(r.recovering) == doctest::Approx(34 - 25));
    CHECK(to_ms(r.makespan) == doctest::Approx(34 + 24));
  }
  TEST_CASE("a node takes its devices and links with it, a switch the links between its nodes") {
    // Two stages, F 2, B 2, one microbatch, 3 ms on the wire: F@0 0-2, sent 2-5, F@1 5-7, B 7-9,
    // gradient 9-12, B@0 12-14. The switch is down 3-6: sent again 6-9, all 4 ms later.
    ScenarioText s;
    s.microbatches = 1;
    s.stages = {{2, 2}, {2, 2}};
    s.activation_mb = 3e6 / (1024 * 1024);
    s.bandwidth_GBps = 1;
    const std::string at3 = "at_ms: [3], repair_s: 0.003}]}\n";
    s.sections = "failure: {enabled: true, recovery: step, sources: [{switches: s0, " + at3;
    std::string text = s.text();
    text.insert(text.find("  links:\n"), "  switches: [{id: s0, nodes: [n0, n1]}]\n");
    const auto by_switch = simulate(text);
    if (!by_switch.ok()) FAIL(by_switch.diagnostics().front().message);
    CHECK(to_ms(by_switch.value()->summary().makespan) == doctest::Approx(18));
    CHECK(by_switch.value()->summary().rollbacks == 0);
    s.sections = "failure: {enabled: true, sources: [{links: [{from: d1, to: d0}], " + at3;
    CHECK(to_ms(play(s).makespan) == doctest::Approx(18));
    // Node n1 computes nothing at 3, but its link is down, and with `step` all begins anew at 6.
    s.sections = "failure: {enabled: true, sources: [{nodes: n1, " + at3;
    CHECK(to_ms(play(s).makespan) == doctest::Approx(18));
    s.sections = "failure: {enabled: true, recovery: step, sources: [{nodes: all, " + at3;
    CHECK(to_ms(play(s).makespan) == doctest::Approx(20));
  }
  TEST_CASE("time that was thrown away is idle because of the failure, or work that was lost") {
    ScenarioText s = steps_of_16(2, "");
    s.stages = {{4, 4}, {4, 4}};
    s.sections =
        "failure: {enabled: true, recovery: step, restart_s: 0.001, sources: [{devices: d1, at_ms: "
        "[30], repair_s: 0.005}]}\n";
    // Steps of 24: the second from 24; d0 computes F0 24-28 and F1 28-30, d1 F0 28-30. On at 36,
    // over at 60. Idle of each device in its whole steps: 4 + 4 ms of d1 and of d0.
    const auto r = idled(s.text());
    CHECK(r.ms(0, IdleCause::Failure) == doctest::Approx(6));
    CHECK(r.ms(1, IdleCause::Failure) == doctest::Approx(4 + 6));
    CHECK(to_ms(r.idle->by_device()[0].total()) == doctest::Approx(60 - 32 - 6));
    CHECK(r.ms(1, IdleCause::WarmUp) == doctest::Approx(8));
    CHECK(r.ms(1, IdleCause::Drain) == doctest::Approx(8));
  }
  TEST_CASE("lives have the mean and spread of their law") {
    for (const double shape : {0.7, 1.0, 2.0}) {
      double error = 0;
      const double mean = mean_life(shape, 20000, error);
      INFO("shape " << shape);
      CHECK(std::fabs(mean - std::tgamma(1 + 1 / shape)) < 3 * error);
      const double spread = std::tgamma(1 + 2 / shape) - std::pow(std::tgamma(1 + 1 / shape), 2);
      CHECK(error * error * 20000 == doctest::Approx(spread).epsilon(0.08));
    }
  }
  TEST_CASE("another device changes nobody's lives") {
    const auto first_failures = [](int devices) {
      ScenarioText s;
      s.microbatches = 400;
      s.stages = sluice_test::equal_stages(devices, 1, 1);
      s.sections =
          "failure: {enabled: true, sources: [{devices: all, mtbf_hours: 2e-5, shape: 0.8, "
          "repair_s: 0.001}]}\n";
      const auto run = simulate(s.text());
      if (!run.ok()) FAIL(run.diagnostics().front().message);
      const Trace& t = run.value()->trace();
      std::vector<std::int64_t> out(2, -1);
      for (std::size_t row = 0; row < t.rows(); ++row) {
        if (t.kind_at(row) != OpKind::Failure || t.resource[row] >= 2) continue;
        std::int64_t& at = out[t.resource[row]];
        if (at < 0) at = t.start[row];
      }
      return out;
    };
    const auto two = first_failures(2);
    CHECK(two[0] > 0);
    CHECK(two[1] > 0);
    CHECK(two == first_failures(3));
  }
  TEST_CASE("what cannot be is refused by name") {
    const std::string source = "sources: [{devices: d0, at_ms: [1], repair_s: 1}]";
    CHECK(refused(steps_of_16(1, "sources: [{devices: d7, at_ms: [1], repair_s: 1}]")) ==
          Code::ReferenceDevice);
    CHECK(refused(steps_of_16(1, "sources: [{nodes: n7, at_ms: [1], repair_s: 1}]")) ==
          Code::ReferenceNode);
    CHECK(refused(steps_of_16(1, "sources: [{switches: s7, at_ms: [1], repair_s: 1}]")) ==
          Code::ReferenceNode);
    CHECK(refused(steps_of_16(
              1, "sources: [{links: [{from: d0, to: d1}], at_ms: [1], repair_s: 1}]")) ==
          Code::LinkMissing);
    CHECK(refused(steps_of_16(1,
                              "sources: [{devices: d0, at_ms: [1], repair_s: 1}, {devices: all, "
                              "at_ms: [1], repair_s: 1}]")) == Code::KeyConflict);
    CHECK(refused(steps_of_16(1, "spares: 1, " + source)) == Code::ScheduleConstraint);
    CHECK(refused(steps_of_16(1, "checkpoint: {every_steps: 1, cost_s: 1}, " + source)) ==
          Code::ScheduleConstraint);
    ScenarioText free = steps_of_16(1, "recovery: step, " + source);
    free.simulation = "  step_barrier: false\n";
    CHECK(refused(free) == Code::ScheduleConstraint);
  }
  TEST_CASE("nothing is lost: each operation is done once in what counts, under any plan") {
    const std::vector<std::string> recoveries{"operation", "step", "checkpoint"};
    const std::uint64_t count = sluice_test::full_run() ? 10000 : 300;
    std::uint64_t rolled_back = 0;
    std::uint64_t played = 0;
    std::vector<ScheduleInfo> all = all_schedules();
    std::erase_if(all, [](const ScheduleInfo& info) { return !info.synchronous; });
    for (std::uint64_t n = 0; n < count; ++n) {
      const auto roll = [&](std::uint64_t k, int low, int high) {
        return low +
               static_cast<int>(mix64(n * 31 + k) % static_cast<std::uint64_t>(high - low + 1));
      };
      const ScheduleInfo& info = all[n % all.size()];
      const std::string& recovery = recoveries[n / all.size() % recoveries.size()];
      ScenarioText s;
      s.schedule = info.name;
      const int ranks = 2 * roll(1, 1, 2);
      s.microbatches = 2 * ranks;
      s.batches = roll(2, 1, 4);
      for (int i = 0; i < ranks; ++i)
        s.stages.push_back({0.5 + 0.25 * roll(3, 0, 8), 0.5 + 0.5 * roll(4, 0, 8)});
      s.bandwidth_GBps = 1 + roll(5, 0, 9);
      s.simulation = "  seed: " + std::to_string(n) + "\n";
      const std::vector<std::string> whats{"devices: all", "nodes: all", "links: all"};
      s.sections = "failure:\n  enabled: true\n  recovery: " + recovery + "\n  sources:\n    - {" +
                   whats[static_cast<std::size_t>(roll(6, 0, 2))] +
                   ", mtbf_hours: " + ScenarioText::number(2e-5 * roll(7, 1, 20)) +
                   ", repair_s: " + ScenarioText::number(0.001 * roll(8, 1, 30)) + "}\n";
      if (recovery != "operation")
        s.sections += "  restart_s: 0.002\n  spares: " + std::to_string(roll(9, 0, 2)) + "\n";
      if (recovery == "checkpoint")
        s.sections +=
            "  checkpoint: {every_steps: " + std::to_string(roll(10, 1, 2)) + ", cost_s: 0.001}\n";
      if (roll(11, 0, 1) == 1) s.sections += "optimizer: {enabled: true, update: 0.5}\n";
      auto run = simulate(s.text());
      INFO("plan " << n << "\n" << s.text());
      // Some schedules refuse these sizes, and some plans leave no time to finish.
      if (!run.ok()) {
        const Code code = run.diagnostics().front().code;
        REQUIRE((code == Code::ScheduleConstraint || code == Code::ScheduleParameter ||
                 code == Code::LimitOperations));
        continue;
      }
      ++played;
      rolled_back += run.value()->summary().rollbacks > 0 ? 1U : 0U;
      check_committed_once(*run.value());
      const auto r = idled(s.text());
      for (const Gap& gap : r.idle->gaps())
        REQUIRE(r.idle->reasons(gap).causes.total().ps == gap.to - gap.from);
      const CriticalPath path = critical_path(r.run->trace(), *r.idle);
      REQUIRE((path.compute + path.communication + path.wait) == r.run->summary().makespan);
    }
    CHECK(played > count / 3);
    CHECK(rolled_back > count / 10);
  }
}

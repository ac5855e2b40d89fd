// Idle time by cause and the critical path add up to the picosecond, whatever is simulated.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "files.hpp"
#include "metrics/idle_support.hpp"
#include "metrics/slack.hpp"
#include "schedule/registry.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::covers;
using sluice_test::Idled;
using sluice_test::ScenarioText;

namespace {

/// Time by device in which nothing is computed, within first start and last end of computation:
/// from the rows alone.
std::vector<std::int64_t> idle_by_device(const Run& run) {
  const Trace& t = run.trace();
  std::int64_t from = INT64_MAX;
  std::int64_t until = 0;
  std::vector<std::int64_t> idle(t.devices, 0);
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.resource[row] >= t.devices || t.kind_at(row) == OpKind::Failure || t.second_half(row))
      continue;
    from = std::min(from, t.start[row]);
    until = std::max(until, t.end[row]);
    idle[t.resource[row]] -= t.end[row] - t.start[row];
  }
  CHECK(until - from == run.summary().makespan.ps);
  for (std::size_t d = 0; d < t.devices; ++d)
    idle[d] = run.summary().holds_stages[d] ? idle[d] + until - from : 0;
  return idle;
}

void check_gap(const Idled& r, const Gap& gap) {
  const GapReasons reasons = r.idle->reasons(gap);
  REQUIRE(gap.from < gap.to);
  REQUIRE(reasons.causes.total().ps == gap.to - gap.from);
  REQUIRE(covers(reasons.chain, gap.from, gap.to));
  for (const Duration part : reasons.causes.of) REQUIRE(part.ps >= 0);
  std::int64_t since = gap.from;
  for (std::uint32_t i = gap.first_ready; i < gap.end_ready; ++i) {
    const WaitStep& step = r.idle->could_run()[i];
    REQUIRE(step.from >= since);
    REQUIRE(step.to <= gap.to);
    REQUIRE(r.run->trace().start[step.row] >= gap.to);
    since = step.to;
  }
}

void check_sums(const Idled& r) {
  const std::vector<std::int64_t> expected = idle_by_device(*r.run);
  std::vector<std::int64_t> by_gaps(expected.size(), 0);
  std::vector<bool> counted(r.run->trace().rows(), false);
  for (const Gap& gap : r.idle->gaps()) {
    by_gaps[gap.device] += gap.to - gap.from;
    check_gap(r, gap);
  }
  for (const WaitStep& step : r.idle->could_run()) {
    REQUIRE_FALSE(counted[step.row]);
    counted[step.row] = true;
  }
  CHECK(by_gaps == expected);
  for (std::size_t d = 0; d < expected.size(); ++d)
    CHECK(r.idle->by_device()[d].total().ps == expected[d]);
  const CriticalPath path = critical_path(r.run->trace(), *r.idle);
  CHECK(covers(path.steps, r.idle->plays().from(), r.idle->plays().until()));
  CHECK((path.compute + path.communication + path.wait) == r.run->summary().makespan);
  Duration sum;
  for (const PathShare& share : path.shares) sum += share.time;
  CHECK(sum == r.run->summary().makespan);
  const std::vector<std::int64_t> all = slack(r.run->program(), r.run->trace(), *r.idle);
  if (all.empty()) return;
  for (const WaitStep& step : path.steps) {
    if (step.under_way) CHECK(all[step.row] == 0);
  }
}

/// Causes appear only where there is something that can cause them.
void check_possible(const Idled& r) {
  const Program& p = r.run->program();
  IdleCauses all;
  for (const IdleCauses& device : r.idle->by_device()) {
    for (std::size_t c = 0; c < kIdleCauses; ++c) all.of[c] += device.of[c];
  }
  if (!p.failure.enabled) CHECK(all[IdleCause::Failure].ps == 0);
  if (!p.updates) CHECK(all[IdleCause::Optimizer].ps == 0);
  if (!p.barrier) CHECK(all[IdleCause::Barrier].ps == 0);
  const bool wires = std::any_of(p.forward_hop.begin(), p.forward_hop.end(),
                                 [](const Hop& hop) { return hop.wire_ps > 0; });
  if (!wires) CHECK(all[IdleCause::LinkBusy].ps == 0);
  const auto noisy = [](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& x) { return x.noisy; });
  };
  if (!noisy(p.times) && !noisy(p.forward_hop)) CHECK(all[IdleCause::Straggler].ps == 0);
  // A fixed order starts what it waits for as soon as that is there.
  if (!p.plan.order || p.simulation.communication != Communication::Async) return;
  for (const Gap& gap : r.idle->gaps()) {
    for (const WaitStep& step : r.idle->reasons(gap).chain) {
      CHECK(step.cause != IdleCause::Order);
      CHECK(step.cause != IdleCause::Memory);
    }
  }
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed << 20) {}
  int roll(int low, int high) {
    return low + static_cast<int>(mix64(++seed_) % static_cast<std::uint64_t>(high - low + 1));
  }
  double part() { return static_cast<double>(mix64(++seed_) >> 11) * 0x1p-53; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(roll(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::uint64_t seed_;
};

/// Scenario `n`: schedules and modes take turns, everything else is drawn.
std::string random_scenario(std::uint64_t n, const ScheduleInfo& info) {
  Dice dice(n);
  const std::vector<std::string> modes{"async", "in_order", "blocking", "rendezvous", "calls"};
  // A policy has no order of messages, and rendezvous suits few orders.
  const bool order = info.order != nullptr;
  const std::string mode = order && dice.roll(0, 1) == 1 ? dice.of(modes) : "async";
  const bool barrier = !order || dice.roll(0, 3) > 0;
  ScenarioText s;
  const int ranks = 2 * dice.roll(1, 3);
  s.microbatches = ranks * dice.roll(1, 3);
  s.schedule = std::string(info.name);
  s.batches = dice.roll(1, 3);
  s.latency_us = dice.roll(0, 2) * 150;
  s.bandwidth_GBps = 0.5 + 3 * dice.part();
  s.split = 0.3 + 0.4 * dice.part();
  for (int r = 0; r < ranks; ++r) s.stages.push_back({0.5 + dice.part(), 1 + 2 * dice.part()});
  s.simulation =
      "  seed: " + std::to_string(n) +
      "\n  transfers: " + dice.of(std::vector<std::string>{"latency", "bandwidth", "shared"}) +
      "\n  communication: " + mode + "\n  step_barrier: " + (barrier ? "true" : "false") +
      "\n  options: {link_share: " +
      dice.of(std::vector<std::string>{"fair", "fifo", "per_pair_at_start"}) +
      ", allreduce_over: " + dice.of(std::vector<std::string>{"replicas", "stages"}) +
      ", failure_effect: " + dice.of(std::vector<std::string>{"interrupt", "delay_starts"}) + "}\n";
  if (dice.roll(0, 1) == 1) {
    s.sections += "optimizer: {enabled: true, update: {type: normal, mean: 0.7, std: 0.2}";
    if (barrier) {
      s.sections +=
          ", gradient_mb: 1, accumulation_steps: " + std::to_string(dice.roll(1, 2)) +
          ", allreduce: {algorithm: " + dice.of(std::vector<std::string>{"naive", "ring"}) + "}" +
          ", iteration_barrier: {type: normal, mean: 0.4, std: 0.2}";
    }
    s.sections += "}\n";
  }
  if (mode == "async" && dice.roll(0, 2) == 0) {
    s.sections +=
        "failure: {enabled: true, check_interval_ms: 2.3, device_failure_probability: 0.06, "
        "link_failure_probability: 0.06, recovery_time_ms: 1.7}\n";
  }
  std::string text = s.text();
  if (dice.roll(0, 4) == 0) text.replace(text.find("{device: d1,"), 12, "{device: d0,");
  if (dice.roll(0, 1) == 1) {
    const std::string plain = "distribution: " + ScenarioText::number(s.stages[0].forward_ms) + "}";
    text.replace(text.find(plain), plain.size(),
                 "distribution: {type: normal, mean: 1, std: 0.4}}");
    const std::string link = "latency_us: " + ScenarioText::number(s.latency_us) + "}";
    text.replace(
        text.find(link), link.size(),
        link.substr(0, link.size() - 1) + ", jitter: {type: normal, mean: 0.1, std: 0.1}}");
  }
  return text;
}

}  // namespace

TEST_SUITE("metrics/idle_sums") {
  TEST_CASE("on every example") {
    for (const auto& row :
         sluice_test::read_csv(sluice_test::source_path("tests/data/hashes.csv"))) {
      INFO(row.at(0));
      check_sums(sluice_test::idled(sluice_test::read_text(sluice_test::source_path(row.at(0)))));
    }
  }
  TEST_CASE("on random scenarios of all schedules and modes") {
    const std::uint64_t count = sluice_test::full_run() ? 1000 : 150;
    const std::vector<ScheduleInfo> table = all_schedules();
    IdleCauses seen;
    std::uint64_t played = 0;
    for (std::uint64_t n = 1; played < count; ++n) {
      REQUIRE(n < 3 * count);
      const std::string text = random_scenario(n, table[n % table.size()]);
      INFO("scenario " << n << "\n" << text);
      // Rendezvous deadlocks under some orders, and some refuse a size.
      const auto run = simulate(text);
      if (!run.ok()) {
        const Code code = run.diagnostics().front().code;
        REQUIRE((code == Code::OrderDeadlock || code == Code::ScheduleConstraint));
        continue;
      }
      ++played;
      const Idled r = sluice_test::idled(text);
      check_sums(r);
      check_possible(r);
      for (const IdleCauses& device : r.idle->by_device()) {
        for (std::size_t c = 0; c < kIdleCauses; ++c) seen.of[c] += device.of[c];
      }
    }
    // Every cause has been met.
    for (std::size_t c = 0; c < kIdleCauses; ++c) {
      INFO(cause_text(static_cast<IdleCause>(c)));
      CHECK(seen.of[c].ps > 0);
    }
  }
}

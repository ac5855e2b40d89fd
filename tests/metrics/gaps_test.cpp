// Idle time by cause: each cause in a scenario worked out by hand.
#include "metrics/gaps.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "metrics/idle_support.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::equal_stages;
using sluice_test::Idled;
using sluice_test::idled;
using sluice_test::kWire;
using sluice_test::scenario;
using sluice_test::ScenarioText;
using Cause = IdleCause;

namespace {

std::string with_noise(std::string text, const std::string& what, const std::string& noise) {
  text.replace(text.find(what), what.size(), noise);
  return text;
}

}  // namespace

TEST_SUITE("metrics/gaps") {
  TEST_CASE("warm-up, dependency and drain: one microbatch down a pipeline and back") {
    // F 1, B 2: F at 0, 1, 2 on the three ranks, B at 3, 5, 7. T = 9.
    const Idled r = idled(scenario("1f1b", 1, equal_stages(3)).text());
    r.check(0, {{Cause::Dependency, 6}});
    r.check(1, {{Cause::WarmUp, 1}, {Cause::Dependency, 3}, {Cause::Drain, 2}});
    r.check(2, {{Cause::WarmUp, 2}, {Cause::Drain, 4}});
    // Rank 0 waited from 7 back to 1 for B@1, B@2, F@2, F@1.
    const GapReasons reasons = r.idle->reasons(r.gap(0, 0));
    REQUIRE(reasons.chain.size() == 4);
    const Trace& t = r.run->trace();
    const OpKind kinds[] = {OpKind::Backward, OpKind::Backward, OpKind::Forward, OpKind::Forward};
    const int stages[] = {1, 2, 2, 1};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(t.kind_at(reasons.chain[i].row) == kinds[i]);
      CHECK(t.stage[reasons.chain[i].row] == stages[i]);
    }
  }

  TEST_CASE("memory: 1F1B holds two in flight where forwards would have fitted") {
    // m = 4. Rank 0: F0 0-1, F1 1-2, B0 4-6: F2 and F3 fit into 2-4 and would have been the third
    // and fourth in flight. B3@0 waits from 12 for B3@1, which ends at 13. T = 15.
    const Idled r = idled(scenario("1f1b", 4, equal_stages(2)).text());
    r.check(0, {{Cause::Memory, 2}, {Cause::Dependency, 1}});
    r.check(1, {{Cause::WarmUp, 1}, {Cause::Drain, 2}});
    REQUIRE(r.idle->could_run().size() == 2);
    CHECK(r.run->trace().microbatch_at(r.idle->could_run()[0].row) == 2);
    CHECK(r.run->trace().microbatch_at(r.idle->could_run()[1].row) == 3);
    // GPipe holds all of them: nothing else to do until B0@1 ends at 3 + 2.
    const Idled g = idled(scenario("gpipe", 2, equal_stages(2)).text());
    g.check(0, {{Cause::Dependency, 3}});
  }

  TEST_CASE("order: a forward that later is in flight with another anyway") {
    // Rank 0: F0 0-1, B0 4-6. In 1-4 F1 would have been the second in flight, as it is later; F2
    // the third, which is never; the third millisecond waits for B0@1.
    const std::string order =
        "{order: ['F0@0 B0@0 F1@0 F2@0 B1@0 B2@0', 'F0@1 B0@1 F1@1 F2@1 B1@1 B2@1'], placement: "
        "{down: [0, 1]}}";
    const Idled r = idled(scenario(order, 3, equal_stages(2)).text());
    const Gap& gap = r.gap(0, 0);
    CHECK(gap.from == kPsPerMs);
    CHECK(gap.to == 4 * kPsPerMs);
    const IdleCauses causes = r.idle->reasons(gap).causes;
    CHECK(to_ms(causes[Cause::Order]) == 1);
    CHECK(to_ms(causes[Cause::Memory]) == 1);
    CHECK(to_ms(causes[Cause::Dependency]) == 1);
  }

  TEST_CASE("order: a rule of a policy holds back what has its input") {
    // F 2 and 1, B 1. Rank 1: F0 2-3, F1 4-5. B0 would have fitted into 3-4, but the rule wants all
    // forwards first.
    const std::string policy = "{policy: {split: false, rules: [\"forwards_left == 0: B\", F]}}";
    const Idled r = idled(scenario(policy, 2, {{2, 1}, {1, 1}}).text());
    // B0@1 5-6, B1@1 6-7, B0@0 6-7, B1@0 7-8.
    r.check(1, {{Cause::WarmUp, 2}, {Cause::Order, 1}, {Cause::Drain, 1}});
    r.check(0, {{Cause::Dependency, 2}});
  }

  TEST_CASE("link latency: in the warm-up too, since it is no computation") {
    ScenarioText s = scenario("1f1b", 1, equal_stages(2));
    s.latency_us = 500;
    // F 0-1, 1.5-2.5; B 2.5-4.5, 5-7.
    const Idled r = idled(s.text());
    r.check(0, {{Cause::Dependency, 3}, {Cause::LinkLatency, 1}});
    r.check(1, {{Cause::WarmUp, 1}, {Cause::Drain, 2}, {Cause::LinkLatency, 1}});
  }

  TEST_CASE("link busy: a message's own bytes, and the queue in front of it") {
    // GPipe, F 0.5, B 1; a message takes 1.048576 and the second one waits for the first.
    ScenarioText s = scenario("gpipe", 2, equal_stages(2, 0.5, 1),
                              "  transfers: shared\n  options: {link_share: fifo}\n");
    s.bandwidth_GBps = 1;
    const Idled r = idled(s.text());
    // Rank 1: F0 until 0.5 + w + 0.5, F1 from 0.5 + 2 w, B0 and B1 until 3 + 2 w. Their gradients
    // arrive at 2 + 3 w and 2 + 4 w; T = 3 + 4 w.
    r.check(1, {{Cause::WarmUp, 0.5},
                {Cause::LinkBusy, kWire + (kWire - 0.5) + (2 + 4 * kWire - (3 + 2 * kWire))},
                {Cause::Drain, 1}});
    CHECK(r.ms(1, Cause::LinkBusy) == doctest::Approx(4 * kWire - 1.5));
  }

  TEST_CASE("straggler: what an operation took longer than expected") {
    // Rank 1 waits for F@0, which is drawn; its mean is 2.
    ScenarioText s = scenario("1f1b", 1, {{2, 4}, {1, 2}});
    const std::string text = with_noise(s.text(), "distribution: 2}",
                                        "distribution: {type: normal, mean: 2, std: 0.2}}");
    int late = 0;
    for (int seed = 1; seed <= 20; ++seed) {
      const Idled r = idled(text, {{"simulation.seed", std::to_string(seed)}});
      const double took = to_ms(Time{r.run->trace().end[0]});
      late += took > 2 ? 1 : 0;
      r.check(1, {{Cause::WarmUp, std::min(took, 2.0)},
                  {Cause::Straggler, std::max(0.0, took - 2)},
                  {Cause::Drain, 4}});
    }
    CHECK(late > 0);
    CHECK(late < 20);
  }

  TEST_CASE("straggler: what a message took longer than expected, after its latency") {
    ScenarioText s = scenario("1f1b", 1, equal_stages(2));
    s.latency_us = 500;
    const std::string text = with_noise(s.text(), "latency_us: 500}",
                                        "latency_us: 500, jitter: {type: poisson, lam: 1}}");
    for (int seed = 1; seed <= 10; ++seed) {
      const Idled r = idled(text, {{"simulation.seed", std::to_string(seed)}});
      const Trace& t = r.run->trace();
      // Rows: F@0, its message, F@1, ...: latency 0.5 and a jitter whose mean is 1.
      const double jitter = to_ms(Time{t.end[1] - t.start[1]}) - 0.5;
      const GapReasons warm = r.idle->reasons(r.gap(1, 0));
      CHECK(to_ms(warm.causes[Cause::WarmUp]) == doctest::Approx(1));
      CHECK(to_ms(warm.causes[Cause::LinkLatency]) == doctest::Approx(0.5 + std::min(jitter, 1.0)));
      CHECK(to_ms(warm.causes[Cause::Straggler]) == doctest::Approx(std::max(0.0, jitter - 1)));
    }
  }

  TEST_CASE("failure: an outage of the device itself") {
    // One stage, F 0-2, B from 2, interrupted at 3.5, down until 4.5, again 4.5-6.5.
    ScenarioText s = scenario("1f1b", 1, {{2, 2}});
    s.sections =
        "failure: {enabled: true, check_interval_ms: 3.5, device_failure_probability: 1, "
        "link_failure_probability: 0, recovery_time_ms: 1}\n";
    const Idled r = idled(s.text());
    CHECK(to_ms(r.run->summary().makespan) == doctest::Approx(6.5));
    r.check(0, {{Cause::Failure, 1}});
  }

  TEST_CASE("failure: a message lost on its way, sent again after the outage") {
    // F 1, B 1. The activation leaves at 1, is lost at 1.5 and leaves again at 1.75. F@1 from
    // 1.75 + w, B@1 until 3.75 + w; the outage from 3 on finds nothing; gradient until 3.75 + 2 w,
    // which is before the one at 6.
    ScenarioText s = scenario("1f1b", 1, equal_stages(2, 1, 1), "  transfers: shared\n");
    s.bandwidth_GBps = 1;
    s.sections =
        "failure: {enabled: true, check_interval_ms: 1.5, device_failure_probability: 0, "
        "link_failure_probability: 1, recovery_time_ms: 0.25}\n";
    const Idled r = idled(s.text());
    r.check(0, {{Cause::Dependency, 2}, {Cause::Failure, 0.75}, {Cause::LinkBusy, 2 * kWire}});
    r.check(1, {{Cause::WarmUp, 1},
                {Cause::Failure, 0.75},
                {Cause::LinkBusy, 2 * kWire},
                {Cause::Drain, 1}});
  }

  TEST_CASE("optimizer and barrier: between two steps") {
    // F 1, B 2: work ends at 6; updates of 0.7 and 1 ms until 7; the next step begins at 7.2.
    ScenarioText s = scenario("1f1b", 1, {{1, 2, 0, 0.7}, {1, 2, 0, 1}});
    s.batches = 2;
    s.sections = "optimizer: {enabled: true, update: 1, iteration_barrier: 0.2}\n";
    const Idled r = idled(s.text());
    CHECK(to_ms(r.run->summary().makespan) == doctest::Approx(14.2));
    r.check(0, {{Cause::Dependency, 6}, {Cause::Optimizer, 0.6}, {Cause::Barrier, 0.2}});
    r.check(1, {{Cause::WarmUp, 2}, {Cause::Drain, 4}, {Cause::Barrier, 0.2}});
    // What rank 0 waits for after its first update: the pause, and before that rank 1's update.
    const GapReasons reasons = r.idle->reasons(r.gap(0, 1));
    REQUIRE(reasons.chain.size() == 2);
    CHECK(reasons.chain[0].row == kNoRow);
    CHECK(r.run->trace().kind_at(reasons.chain[1].row) == OpKind::Update);
    CHECK(r.run->trace().resource[reasons.chain[1].row] == 1);
  }

  TEST_CASE("optimizer: a reduction between the stages") {
    // F 1, B 2, work until 6. Then 1 MiB each way between the two, 1.048576, and updates of 0.5.
    ScenarioText s = scenario("1f1b", 1, equal_stages(2),
                              "  transfers: bandwidth\n  options: {allreduce_over: stages}\n");
    s.bandwidth_GBps = 1;
    s.activation_mb = 1e-9;
    s.sections = "optimizer: {enabled: true, update: 0.5, gradient_mb: 1}\n";
    const Idled r = idled(s.text());
    CHECK(r.ms(0, Cause::Optimizer) == doctest::Approx(kWire));
    CHECK(r.ms(1, Cause::Optimizer) == doctest::Approx(kWire));
    const GapReasons reasons = r.idle->reasons(r.gap(0, 1));
    CHECK(r.run->trace().kind_at(reasons.chain.front().row) == OpKind::AllReduce);
  }

  TEST_CASE("without a barrier between steps there is one warm-up and one drain") {
    // F 1, B 2. Rank 0: F0 0-1, B0 4-6, F1 6-7, B1 10-12: the second step's forward may not come
    // before the first step's backward, which holds one in flight. Rank 1: 1-4, 7-10.
    ScenarioText s =
        scenario("1f1b", 1, equal_stages(2), "  transfers: latency\n  step_barrier: false\n");
    s.batches = 2;
    const Idled r = idled(s.text());
    // In 1-4 the next step's forward would have fitted, as the second in flight.
    r.check(0, {{Cause::Memory, 1}, {Cause::Dependency, 5}});
    r.check(1, {{Cause::WarmUp, 1}, {Cause::Dependency, 3}, {Cause::Drain, 2}});
  }

  TEST_CASE("blocking: the rank's own message is what it waits for") {
    // GPipe, F 1, B 2, latency 0.5: rank 0 computes 0-1, 1.5-2.5, 6.5-8.5, 9-11; rank 1 1.5-2.5,
    // 3-4, 4-6, 6.5-8.5.
    ScenarioText s =
        scenario("gpipe", 2, equal_stages(2), "  transfers: latency\n  communication: blocking\n");
    s.latency_us = 500;
    const Idled r = idled(s.text());
    r.check(0, {{Cause::LinkLatency, 2}, {Cause::Dependency, 3}});
    r.check(1, {{Cause::WarmUp, 1}, {Cause::LinkLatency, 2}, {Cause::Drain, 2}});
  }

  TEST_CASE("rendezvous: a sender waits for what its receiver still does") {
    // F 1 and 2, latency 0.5: rank 0's F1 ends at 2.5 and is sent when F0@1 is done at 3.5.
    ScenarioText s = scenario("gpipe", 3, {{1, 2}, {2, 4}},
                              "  transfers: latency\n  communication: rendezvous\n");
    s.latency_us = 500;
    const Idled r = idled(s.text());
    const Gap& gap = r.gap(0, 1);
    CHECK(to_ms(Time{gap.from}) == 2.5);
    CHECK(to_ms(Time{gap.to}) == 4);
    const GapReasons reasons = r.idle->reasons(gap);
    CHECK(to_ms(reasons.causes[Cause::LinkLatency]) == 0.5);
    CHECK(to_ms(reasons.causes[Cause::Dependency]) == 1);
    REQUIRE(reasons.chain.size() == 2);
    CHECK(r.run->trace().resource[reasons.chain[1].row] == 1);
  }

  TEST_CASE("one stream in order: a message that is there waits behind a send") {
    // Latency 1. Rank 1 ends F0 at 3 and sends it from 3 to 4; F1 has arrived at 3.
    ScenarioText s =
        scenario("gpipe", 3, equal_stages(3), "  transfers: latency\n  communication: in_order\n");
    s.latency_us = 1000;
    const Idled r = idled(s.text());
    const auto second =
        std::find_if(r.idle->gaps().begin(), r.idle->gaps().end(),
                     [](const Gap& g) { return g.device == 1 && g.from == 3 * kPsPerMs; });
    REQUIRE(second != r.idle->gaps().end());
    CHECK(second->to == 4 * kPsPerMs);
    CHECK(to_ms(r.idle->reasons(*second).causes[Cause::Order]) == 1);
  }

  TEST_CASE("calls: the host's time for a message counts with its latency") {
    // 0.247 before and after a call, 0.16 between two operations without one: F@1 at 1.994, B@1
    // from 3.154.
    ScenarioText s =
        scenario("1f1b", 1, equal_stages(2), "  transfers: latency\n  communication: calls\n");
    s.latency_us = 500;
    const Idled r = idled(s.text());
    r.check(1, {{Cause::WarmUp, 1}, {Cause::LinkLatency, 2 * 0.994 + 0.16}, {Cause::Drain, 2}});
    r.check(0, {{Cause::Dependency, 3}, {Cause::LinkLatency, 2 * 0.994 + 0.16}});
  }

  TEST_CASE("the longest gaps come first") {
    const Idled r = idled(scenario("1f1b", 4, equal_stages(4)).text());
    const auto longest = r.idle->longest(3);
    REQUIRE(longest.size() == 3);
    const auto length = [&](std::uint32_t i) {
      return r.idle->gaps()[i].to - r.idle->gaps()[i].from;
    };
    for (std::uint32_t i = 0; i < r.idle->gaps().size(); ++i)
      CHECK(length(i) <= length(longest[0]));
    CHECK(length(longest[0]) >= length(longest[1]));
    CHECK(length(longest[1]) >= length(longest[2]));
  }

  TEST_CASE("the causes of 256 noisy ranks' idle time are found in a moment") {
    // Chains of hundreds of messages, each of which asks how long its link's noise is on average.
    ScenarioText s = scenario("1f1b", 32, equal_stages(256));
    std::string text = s.text();
    const std::string link = "default: true, ";
    text.insert(text.find(link) + link.size(), "jitter: {type: normal, mean: 0, std: 0.01}, ");
    const auto run = simulate(text);
    REQUIRE(run.ok());
    const auto before = std::chrono::steady_clock::now();
    const IdleTime idle(run.value()->program(), run.value()->trace());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    CHECK(idle.gaps().size() > 256);
    CHECK(took.count() < (sluice_test::kSlowBuild ? 10 : 1));
  }
}

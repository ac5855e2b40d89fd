// The graph against the engine, to the picosecond, and against itself after exchanges.
#include "search/graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/instance.hpp"
#include "api/run.hpp"
#include "base/hash.hpp"
#include "dice.hpp"
#include "io/presets.hpp"
#include "scenario_text.hpp"
#include "schedule/registry.hpp"
#include "schedule/without_updates.hpp"
#include "search/tuner.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::Dice;
using sluice_test::ScenarioText;

namespace {

GraphTimes times_of(const Program& program) {
  GraphTimes out;
  const auto stages = static_cast<std::size_t>(program.plan.stages());
  for (std::size_t s = 0; s < stages; ++s) {
    const OpTime* t = &program.times[s * kTimedKinds];
    const auto ps = [&](OpKind kind) { return t[static_cast<std::size_t>(kind)].fixed_ps; };
    out.loads.push_back({.forward = ps(OpKind::Forward),
                         .backward = ps(OpKind::Backward),
                         .input_grad = ps(OpKind::InputGrad),
                         .weight_grad = ps(OpKind::WeightGrad)});
    const Hop& f = program.forward_hop[s];
    const Hop& b = program.backward_hop[s];
    out.forward_hop.push_back(f.wire_ps + f.latency_ps);
    out.backward_hop.push_back(b.wire_ps + b.latency_ps);
    out.first_extra.push_back(program.first_extra_ps[s]);
  }
  return out;
}

// Starts by the trace and by the graph, rank by rank in order of time.
bool same_starts(const Run& run, const OrderGraph& graph) {
  const Trace& trace = run.trace();
  std::vector<std::pair<std::int64_t, std::int64_t>> engine;
  std::vector<std::pair<std::int64_t, std::int64_t>> ours;
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    if (static_cast<int>(trace.kind_at(row)) < kComputeKinds)
      engine.emplace_back(trace.start[row], trace.end[row]);
  }
  for (std::uint32_t n = 0; n < graph.nodes(); ++n) ours.emplace_back(graph.start(n), graph.end(n));
  std::sort(engine.begin(), engine.end());
  std::sort(ours.begin(), ours.end());
  return engine == ours;
}

ScenarioText random_scenario(Dice& dice, const std::string& schedule) {
  ScenarioText s;
  const int p = 2 * dice.roll(1, 4);
  s.schedule = schedule;
  s.microbatches = 2 * p * dice.roll(1, 3);
  for (int i = 0; i < p; ++i)
    s.stages.push_back({dice.roll(1, 900) * 0.0137, dice.roll(1, 900) * 0.0211, 0});
  s.latency_us = dice.roll(0, 2000) * 1.37;
  s.bandwidth_GBps = dice.roll(1, 50);
  s.split = dice.roll(1, 9) * 0.1;
  s.simulation =
      std::string("  transfers: ") + (dice.roll(0, 1) == 0 ? "latency" : "bandwidth") + "\n";
  return s;
}

}  // namespace

TEST_SUITE("search/graph") {
  TEST_CASE("every schedule starts every operation when the engine does, to the picosecond") {
    const int rounds = sluice_test::full_run() ? 40 : 6;
    int compared = 0;
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.order == nullptr) continue;
      const std::string name(info.name);
      Dice dice(hash_text(name));
      for (int round = 0; round < rounds; ++round) {
        const ScenarioText s = random_scenario(dice, name);
        const auto run = simulate(s.text());
        if (!run.ok()) continue;
        const Program& program = run.value()->program();
        if (!OrderGraph::supports(*program.plan.order)) continue;
        OrderGraph graph(*program.plan.order, times_of(program));
        REQUIRE(graph.evaluate());
        INFO(name << "\n" << s.text());
        CHECK(same_starts(*run.value(), graph));
        CHECK(graph.makespan() == run.value()->summary().makespan.ps);
        CHECK(graph.order() == sluice_test::without_updates(*program.plan.order));
        ++compared;
      }
    }
    CHECK(compared > 20 * rounds / 2);
  }

  TEST_CASE("O2: after each of 10,000 random exchanges the times are those of timing all anew") {
    Dice dice(7);
    int done = 0;
    int refused = 0;
    while (done < 10'000) {
      const char* names[] = {"1f1b", "zb_h1", "zb_v", "interleaved_1f1b"};
      const ScenarioText s = random_scenario(dice, names[dice.roll(0, 3)]);
      const auto run = simulate(s.text());
      REQUIRE(run.ok());
      const Program& program = run.value()->program();
      const GraphTimes times = times_of(program);
      OrderGraph graph(*program.plan.order, times);
      graph.evaluate();
      for (int i = 0; i < 500; ++i) {
        const auto node =
            static_cast<std::uint32_t>(dice.roll(0, static_cast<int>(graph.nodes()) - 1));
        ++done;
        if (!graph.swap_with_next(node)) {
          // A cycle, or the last of its rank: exchanged all the same, it could not be timed.
          ++refused;
          continue;
        }
        OrderGraph anew(graph.order(), times);
        REQUIRE(anew.evaluate());
        REQUIRE(anew.makespan() == graph.makespan());
        // By rank and place, as nodes are numbered anew.
        std::vector<std::int64_t> a;
        std::vector<std::int64_t> b;
        for (std::uint32_t n = 0; n < graph.nodes(); ++n) {
          a.push_back(graph.start(n));
          b.push_back(anew.start(n));
        }
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        REQUIRE(a == b);
      }
    }
    CHECK(refused > 500);
    CHECK(refused < 9'000);
  }

  TEST_CASE("what is refused really is a cycle, and what is accepted is none") {
    Dice dice(11);
    ScenarioText s = random_scenario(dice, "zb_h1");
    const auto run = simulate(s.text());
    REQUIRE(run.ok());
    const Program& program = run.value()->program();
    const GraphTimes times = times_of(program);
    const Order& order = *program.plan.order;
    OrderGraph graph(order, times);
    graph.evaluate();
    std::uint32_t node = 0;
    for (int r = 0; r < order.ranks(); ++r) {
      const auto list = order.of_rank(r);
      for (std::size_t i = 0; i < list.size(); ++i, ++node) {
        if (i + 1 == list.size()) {
          CHECK_FALSE(graph.swap_with_next(node));
          continue;
        }
        Order exchanged = order;
        std::swap(exchanged.operations[order.begin[static_cast<std::size_t>(r)] + i],
                  exchanged.operations[order.begin[static_cast<std::size_t>(r)] + i + 1]);
        const bool possible = check_order(exchanged).empty();
        OrderGraph mine(order, times);
        mine.evaluate();
        CHECK(mine.swap_with_next(node) == possible);
      }
    }
  }

  TEST_CASE("an instance of a scenario times a layout as the engine times its plan") {
    Dice dice(3);
    for (int round = 0; round < 10; ++round) {
      ScenarioText s = random_scenario(dice, "1f1b");
      const auto loaded = load_scenario(s.text());
      REQUIRE(loaded.ok());
      const auto instance = make_instance(loaded.value(), load_presets(), true);
      REQUIRE(instance.ok());
      CHECK_FALSE(instance.value().movable);
      Layout layout;
      layout.rank_of_stage = instance.value().fixed.front().rank_of_stage;
      const auto order = known_order(instance.value(), layout, "1f1b");
      REQUIRE(order.has_value());
      OrderGraph graph(*order, sluice::times_of(instance.value(), layout));
      REQUIRE(graph.evaluate());
      const auto run = simulate(s.text());
      REQUIRE(run.ok());
      CHECK(graph.makespan() == run.value()->summary().makespan.ps);
    }
  }
}

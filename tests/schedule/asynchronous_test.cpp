// Schedules that never drain: PipeDream, PipeDream-2BW, PACI, AMDP. Numbers and closed forms are of
// the papers (arXiv 1806.03377, 2006.09503, 2606.07881, 2605.29664) and derived from them; A and P
// are the facts' names in this project's specification.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "base/hash.hpp"
#include "io/schedule_json.hpp"
#include "metrics/versions.hpp"
#include "scenario_text.hpp"
#include "schedule/plan.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::equal_stages;
using sluice_test::ScenarioText;
using sluice_test::StageTime;

namespace {

struct Ask {
  std::string name;
  int ranks = 4;
  int microbatches = 4;
  int batches = 1;
  Parameters parameters = {};
  std::vector<StageMeans> costs = {};
};

PlanRequest request_of(const Ask& ask) {
  PlanRequest request;
  request.name = ask.name;
  request.parameters = ask.parameters;
  request.microbatches = ask.microbatches;
  request.batches = ask.batches;
  request.costs = ask.costs;
  for (int r = 0; r < ask.ranks; ++r)
    request.device_of_rank.push_back(DeviceId{static_cast<std::uint32_t>(r)});
  return request;
}

Plan plan_of(const Ask& ask) {
  const PlanRequest request = request_of(ask);
  const Result<Placement> placement = place(request);
  REQUIRE(placement.ok());
  Result<Plan> plan = make_plan(request, placement.value());
  REQUIRE(plan.ok());
  return std::move(plan).value();
}

VersionTable table_of(const Plan& plan) {
  return versions_of(plan, plan.batches_in_order);
}

// One cost a stage of AMDP's placement: the same f and b at every copy.
std::vector<StageMeans> copies_of(const std::vector<StageTime>& stages) {
  std::vector<StageMeans> out;
  for (std::size_t pipe = 0; pipe < stages.size() / 2; ++pipe) {
    for (const StageTime& s : stages)
      out.push_back({s.forward_ms, s.backward_ms, s.backward_ms / 2, s.backward_ms / 2});
  }
  return out;
}

double makespan_ms(const ScenarioText& scenario) {
  const auto run = simulate(scenario.text());
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : run.diagnostics().front().message));
  return to_ms(run.value()->summary().makespan);
}

// One batch of all rounds: nothing is updated before the end, so that times are the order's alone.
ScenarioText rounds_of(int depth, int rounds, double f, double b, const std::string& more = "") {
  ScenarioText s;
  s.schedule = "{name: amdp" + more + "}";
  s.microbatches = depth * rounds;
  s.stages = equal_stages(depth, f, b);
  s.simulation = "  transfers: latency\n";
  return s;
}

double period_of(int depth, double f, double b, double latency_us = 0,
                 const std::string& more = "") {
  ScenarioText many = rounds_of(depth, 12, f, b, more);
  ScenarioText fewer = rounds_of(depth, 8, f, b, more);
  many.latency_us = fewer.latency_us = latency_us;
  return (makespan_ms(many) - makespan_ms(fewer)) / 4;
}

// The part of microbatches and stages with a drift, without the first update's, which has nothing
// before it.
double drifted(const VersionTable& table, std::uint32_t per_update) {
  std::uint64_t with = 0;
  std::uint64_t all = 0;
  for (std::uint32_t m = per_update; m < table.microbatches; ++m) {
    for (std::uint32_t s = 0; s < table.stages; ++s) {
      const std::size_t at = table.at(m, s);
      with += table.backward[at] - table.forward[at];
      ++all;
    }
  }
  return static_cast<double>(with) / static_cast<double>(all);
}

}  // namespace

TEST_SUITE("schedule/asynchronous") {
  // By hand from the construction: placements, keys and cycles.
  TEST_CASE("A1: AMDP's order at depth 4 and 8") {
    const auto four = order_of({"amdp", 4, 8, {{"rounds", {2}}}});
    REQUIRE(four.ok());
    const Order& order = *four.value().order;
    CHECK(rank_text(order, 0) ==
          "F0@0 F2@0 F1@3 B1@3 F3@3 B3@3 B0@0 F4@0 F6@0 B2@0 F5@3 B5@3 F7@3 B7@3 B4@0 B6@0");
    CHECK(rank_text(order, 1) ==
          "F0@1 F1@2 F2@1 F3@2 B1@2 B0@1 B3@2 B2@1 F4@1 F5@2 F6@1 F7@2 B5@2 B4@1 B7@2 B6@1");
    CHECK(rank_text(order, 2) ==
          "F1@1 F0@2 F3@1 F2@2 B0@2 B1@1 B2@2 B3@1 F5@1 F4@2 F7@1 F6@2 B4@2 B5@1 B6@2 B7@1");
    CHECK(rank_text(order, 3) ==
          "F1@0 F3@0 F0@3 B0@3 F2@3 B2@3 B1@0 F5@0 F7@0 B3@0 F4@3 B4@3 F6@3 B6@3 B5@0 B7@0");
    const auto eight = order_of({"amdp", 8, 8, {}});
    REQUIRE(eight.ok());
    CHECK(rank_text(*eight.value().order, 0) ==
          "F0@0 F4@0 F1@3 F2@4 F5@3 F6@4 F3@7 B3@7 F7@7 B7@7 B2@4 B1@3 B6@4 B5@3 B0@0 B4@0");
    CHECK(eight.value().placement.chunks() == 4);
  }

  TEST_CASE("AMDP updates in the first round of the next iteration, and once more at the end") {
    const Plan plan = plan_of({.name = "amdp", .ranks = 4, .microbatches = 4, .batches = 2});
    const Order& order = *plan.order;
    REQUIRE(order.updates.size() == 8);
    const auto before = [&](std::size_t rank, std::size_t which) {
      return order.updates[order.first_update[rank] + which].before - order.begin[rank];
    };
    // F4 F6 B2 F5 B5 | F7: at depth 4 before the edge's last forward.
    CHECK(before(0, 0) == 12);
    // B2 F4 F5 F6 F7 | B5
    CHECK(before(1, 0) == 12);
    CHECK(before(0, 1) == 16);
  }

  TEST_CASE("A2, A6: AMDP's makespan and utilisation in closed form") {
    struct Row {
      int depth;
      double one, two;
    };
    const std::vector<Row> equal{{4, 10, 18}, {8, 18, 34}, {12, 26, 50}, {16, 34, 66}};
    const std::vector<Row> twice{{4, 16, 29}, {8, 28, 53}, {12, 40, 77}, {16, 52, 101}};
    for (const auto& [rows, b] : {std::pair{equal, 1.0}, {twice, 2.0}}) {
      for (const Row& row : rows) {
        CAPTURE(row.depth);
        CHECK(makespan_ms(rounds_of(row.depth, 1, 1, b)) == doctest::Approx(row.one).epsilon(1e-9));
        CHECK(makespan_ms(rounds_of(row.depth, 2, 1, b)) == doctest::Approx(row.two).epsilon(1e-9));
        for (const int rounds : {5, 9}) {
          const double period = row.depth * (1 + b) + (b - 1);
          const double made = makespan_ms(rounds_of(row.depth, rounds, 1, b));
          CHECK(made == doctest::Approx(rounds * period + 1 + b).epsilon(1e-9));
        }
      }
    }
    const double all = makespan_ms(rounds_of(8, 50, 1, 1));
    CHECK(50 * 8 * 2 / all > 0.997);
  }

  TEST_CASE("A2: outside 1 <= b / f <= 2, and with latency, the period is longer") {
    CHECK(period_of(4, 1, 3) == doctest::Approx(19));
    CHECK(period_of(8, 1, 3) == doctest::Approx(35));
    CHECK(period_of(4, 2, 1) == doctest::Approx(14));
    CHECK(period_of(8, 2, 1) == doctest::Approx(26));
    CHECK(period_of(4, 1, 2, 100) == doctest::Approx(13.5));
    CHECK(period_of(4, 1, 2, 250) == doctest::Approx(14.25));
    CHECK(period_of(8, 1, 2, 100) == doctest::Approx(26.3));
    CHECK(period_of(8, 1, 2, 250) == doctest::Approx(28.25));
  }

  TEST_CASE("A3: AMDP's orders are whole and have no cycle, D = 4 to 32") {
    for (int depth = 4; depth <= 32; depth += 2) {
      CAPTURE(depth);
      const Plan plan =
          plan_of({.name = "amdp", .ranks = depth, .microbatches = 2 * depth, .batches = 2});
      CHECK(check_order(*plan.order).empty());
    }
  }

  TEST_CASE("A4: AMDP's drift is one update at most, for exactly this part") {
    for (const int depth : {4, 8, 12}) {
      for (const int rounds : {1, 2, 4}) {
        CAPTURE(depth);
        CAPTURE(rounds);
        const Plan plan =
            plan_of({.name = "amdp", .ranks = depth, .microbatches = depth * rounds, .batches = 5});
        const VersionTable table = table_of(plan);
        const Staleness stale = staleness_of(table, plan);
        CHECK(stale.drift_max == 1);
        CHECK(stale.skew_max <= 1);
        const double expected = depth == 4 ? 0.75 / rounds : (1 - 0.5 / depth) / rounds;
        CHECK(drifted(table, static_cast<std::uint32_t>(depth * rounds)) ==
              doctest::Approx(expected).epsilon(1e-12));
        for (std::uint32_t m = 0; m < table.microbatches; ++m) {
          const std::uint32_t t = m / static_cast<std::uint32_t>(depth * rounds);
          const bool first_round =
              m / static_cast<std::uint32_t>(depth) % static_cast<std::uint32_t>(rounds) == 0;
          for (std::uint32_t s = 0; s < table.stages; ++s) {
            const std::size_t at = table.at(m, s);
            REQUIRE(table.update[at] == t);
            REQUIRE(table.backward[at] <= t);
            if (!first_round) REQUIRE((table.forward[at] == t && table.backward[at] == t));
          }
        }
      }
    }
  }

  TEST_CASE("A4: updating each stage as soon as its gradients are there leaves less drift") {
    struct Row {
      int depth, rounds;
      double part;
    };
    const std::vector<Row> rows{{4, 1, 0.292},  {4, 2, 0.125},   {4, 4, 0.0625}, {8, 1, 0.146},
                                {8, 2, 0.0625}, {8, 4, 0.03125}, {12, 1, 0.097}};
    for (const Row& row : rows) {
      CAPTURE(row.depth);
      CAPTURE(row.rounds);
      const Plan plan = plan_of({.name = "amdp",
                                 .ranks = row.depth,
                                 .microbatches = row.depth * row.rounds,
                                 .batches = 4,
                                 .parameters = {{"variant", {1}}, {"mode", {1}}},
                                 .costs = copies_of(equal_stages(row.depth))});
      const VersionTable table = table_of(plan);
      CHECK(staleness_of(table, plan).drift_max == 1);
      CHECK(std::abs(drifted(table, static_cast<std::uint32_t>(row.depth * row.rounds)) -
                     row.part) < 0.001);
    }
  }

  TEST_CASE("A5: AMDP holds D microbatches on inner ranks and D - 1 on edges, in D / 2 stages") {
    for (const int depth : {4, 8, 12, 16}) {
      const Plan plan = plan_of({.name = "amdp", .ranks = depth, .microbatches = 4 * depth});
      for (int r = 0; r < depth; ++r) {
        int held = 0;
        int most = 0;
        for (const Operation& op : plan.order->of_rank(r)) {
          held += op.kind == OpKind::Forward ? 1 : -1;
          most = std::max(most, held);
        }
        const bool edge = r % 4 == 0 || r % 4 == 3;
        CHECK(most == (edge ? depth - 1 : depth));
        CHECK(std::count(plan.placement.rank_of_stage.begin(), plan.placement.rank_of_stage.end(),
                         r) == depth / 2);
      }
    }
  }

  TEST_CASE("A7: AMDP against 1F1B with a flush, and against PACI") {
    ScenarioText flush;
    flush.stages = equal_stages(8);
    flush.simulation = "  transfers: latency\n";
    flush.microbatches = 8;
    CHECK(makespan_ms(flush) == doctest::Approx(45));
    flush.microbatches = 32;
    CHECK(makespan_ms(flush) == doctest::Approx(117));
    CHECK(period_of(8, 1, 2) == doctest::Approx(25));
    ScenarioText paci = flush;
    paci.schedule = "paci";
    paci.microbatches = 8;
    paci.batches = 30;
    const double thirty = makespan_ms(paci);
    paci.batches = 20;
    CHECK((thirty - makespan_ms(paci)) / 10 == doctest::Approx(24));
  }

  TEST_CASE("A8: the greedy order has the same period, two at a first stage cost one more") {
    for (const int depth : {4, 8, 12, 16}) {
      for (const double b : {1.0, 2.0}) {
        CAPTURE(depth);
        CAPTURE(b);
        const double period = depth * (1 + b) + (b - 1);
        CHECK(period_of(depth, 1, b, 0, ", mode: greedy") == doctest::Approx(period));
        CHECK(makespan_ms(rounds_of(depth, 1, 1, b, ", mode: greedy")) ==
              doctest::Approx(period + 1 + b));
      }
    }
    CHECK(period_of(4, 1, 2, 0, ", mode: strict2") == doctest::Approx(14));
    CHECK(period_of(8, 1, 2, 0, ", mode: strict2") == doctest::Approx(26));
  }

  TEST_CASE("A8: unequal stages: no rank is faster than its work, and the better order is kept") {
    double least = 10;
    double most = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const int depth = seed % 2 == 0 ? 4 : 8;
      std::vector<StageTime> stages;
      double work = 0;
      for (int s = 0; s < depth; ++s) {
        const double f =
            0.6 + 0.8 *
                      static_cast<double>(mix64(seed * 100 + static_cast<std::uint64_t>(s)) >> 11) /
                      9007199254740992.0;
        stages.push_back({f, 2 * f, 0, 0});
        work += 3 * f;
      }
      const auto made = [&](const char* mode) {
        ScenarioText s = rounds_of(depth, 12, 1, 2, std::string(", mode: ") + mode);
        s.stages = stages;
        return makespan_ms(s);
      };
      const double fixed = made("fixed");
      const double greedy = made("greedy");
      CHECK(made("best") == doctest::Approx(std::min(fixed, greedy)));
      // A rank holds every second stage of the model, twice a round each.
      CHECK(std::min(fixed, greedy) > 12 * work * 0.85);
      least = std::min(least, fixed / greedy);
      most = std::max(most, fixed / greedy);
    }
    CHECK(least > 0.90);
    CHECK(most < 1.15);
  }

  TEST_CASE("AMDP refuses what it cannot run, and says what must hold") {
    const auto message = [](const Ask& ask) {
      const Result<Placement> placement = place(request_of(ask));
      REQUIRE_FALSE(placement.ok());
      return placement.diagnostics().front().message;
    };
    CHECK(message({.name = "amdp", .ranks = 8, .microbatches = 12})
              .find("microbatches of a batch must be ranks x rounds") != std::string::npos);
    CHECK(message({.name = "amdp", .ranks = 5, .microbatches = 5}).find("ranks must be even") !=
          std::string::npos);
    CHECK(message({.name = "amdp", .ranks = 6, .microbatches = 6, .parameters = {{"mode", {0}}}})
              .find("mode must be greedy or strict2") != std::string::npos);
    CHECK(message({.name = "amdp", .ranks = 8, .microbatches = 8, .parameters = {{"mode", {-1}}}})
              .find("one of fixed, greedy, strict2, best") != std::string::npos);
    CHECK(message({.name = "pipedream_2bw", .ranks = 8, .microbatches = 4})
              .find("accumulation must be at least ranks") != std::string::npos);
  }

  TEST_CASE("P1, P2: PACI's drift in closed form, every D up to 16 and K up to 39") {
    for (int depth = 1; depth <= 16; ++depth) {
      for (int k = 1; k < 40; ++k) {
        const int n = 4 * k + 2 * depth;
        const Plan plan = plan_of({.name = "paci",
                                   .ranks = depth,
                                   .microbatches = n,
                                   .parameters = {{"accumulation", {static_cast<double>(k)}}}});
        const VersionTable table = table_of(plan);
        const Staleness stale = staleness_of(table, plan);
        for (int s = 0; s < depth; ++s) {
          const int w = std::min(n, depth - 1 - s);
          std::uint64_t drifts = 0;
          for (int i = 0; i < n; ++i) {
            const std::size_t at =
                table.at(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(s));
            REQUIRE(static_cast<int>(table.forward[at]) == std::max(0, i - w) / k);
            REQUIRE(static_cast<int>(table.backward[at]) == i / k);
            // Any K in a row behind the warm-up.
            if (i >= w + 3 && i < w + 3 + k) drifts += table.backward[at] - table.forward[at];
          }
          const StageStaleness& stage = stale.stages[static_cast<std::size_t>(s)];
          REQUIRE(static_cast<int>(stage.drift_max) == (w + k - 1) / k);
          REQUIRE(stage.delay_max == 0);
          REQUIRE(stage.versions == 1);
          REQUIRE(static_cast<int>(drifts) == w);
          REQUIRE(static_cast<int>(stage.updates) == n / k);
        }
        if (k >= depth - 1) REQUIRE(stale.drift_max <= 1);
        REQUIRE(static_cast<int>(stale.skew_max) <= (depth - 1 + k - 1) / k);
      }
    }
  }

  TEST_CASE("P3: PACI's makespan, and what it gains over a flush") {
    struct Row {
      int depth, m;
      double flush, ratio;
    };
    const std::vector<Row> rows{{4, 4, 21, 1.724},   {4, 8, 33, 1.365},    {4, 16, 57, 1.183},
                                {8, 8, 45, 1.843},   {8, 16, 69, 1.425},   {8, 32, 117, 1.213},
                                {16, 16, 93, 1.902}, {16, 32, 141, 1.455}, {16, 64, 237, 1.229}};
    for (const Row& row : rows) {
      CAPTURE(row.depth);
      CAPTURE(row.m);
      ScenarioText s;
      s.stages = equal_stages(row.depth);
      s.simulation = "  transfers: latency\n";
      s.microbatches = row.m;
      const double flush = makespan_ms(s);
      CHECK(flush == doctest::Approx(row.flush).epsilon(1e-12));
      s.schedule = "paci";
      s.batches = 50;
      const double stream = makespan_ms(s);
      CHECK(stream == doctest::Approx((50 * row.m + row.depth - 1) * 3.0).epsilon(1e-12));
      CHECK(50 * flush / stream == doctest::Approx(row.ratio).epsilon(5e-4));
    }
  }

  TEST_CASE("P4: PACI holds what 1F1B holds, to the byte") {
    ScenarioText s;
    s.stages = equal_stages(8);
    s.microbatches = 16;
    s.activation_mb = 7;
    const auto flush = simulate(s.text());
    s.schedule = "paci";
    s.batches = 3;
    const auto stream = simulate(s.text());
    REQUIRE(flush.ok());
    REQUIRE(stream.ok());
    CHECK(flush.value()->summary().peak_memory == stream.value()->summary().peak_memory);
  }

  TEST_CASE("P6: each stage updates every K microbatches, with nothing between the stages") {
    ScenarioText s;
    s.stages = equal_stages(4);
    s.simulation = "  transfers: latency\n";
    s.microbatches = 10;
    s.batches = 2;
    s.schedule = "{name: paci, accumulation: 3}";
    const double without = makespan_ms(s);
    s.sections = "optimizer: {enabled: true, update: 0.5}\n";
    const auto run = simulate(s.text());
    REQUIRE(run.ok());
    const Trace& trace = run.value()->trace();
    std::vector<int> updates(4, 0);
    for (std::size_t row = 0; row < trace.rows(); ++row) {
      if (trace.kind_at(row) != OpKind::Update) continue;
      ++updates[trace.resource[row]];
      // What it began after is of its own rank.
      CHECK(trace.resource[trace.predecessor[row]] == trace.resource[row]);
    }
    for (const int count : updates) CHECK(count == 20 / 3);
    CHECK(to_ms(run.value()->summary().makespan) > without);
  }

  TEST_CASE("P9: so many more microbatches in flight hide a transfer") {
    const auto utilisation = [](double latency_us, int extra) {
      const auto made = [&](int batches) {
        ScenarioText s;
        s.stages = equal_stages(8);
        s.simulation = "  transfers: latency\n";
        s.latency_us = latency_us;
        s.microbatches = 100;
        s.batches = batches;
        s.schedule = "{name: paci, extra_inflight: " + std::to_string(extra) + "}";
        return makespan_ms(s);
      };
      return 200 * 3.0 / (made(6) - made(4));
    };
    CHECK(utilisation(100, 0) == doctest::Approx(0.945).epsilon(1e-3));
    CHECK(utilisation(500, 0) == doctest::Approx(0.774).epsilon(1e-3));
    CHECK(utilisation(1000, 0) == doctest::Approx(0.632).epsilon(1e-3));
    for (const double latency_us : {100.0, 500.0, 1000.0})
      CHECK(utilisation(latency_us, 1) == doctest::Approx(1).epsilon(1e-9));
  }

  TEST_CASE(
      "F024: PipeDream keeps p - r versions and is p - 1 - r updates late; without, it drifts") {
    const Plan kept = plan_of({.name = "pipedream", .ranks = 4, .microbatches = 20});
    const Staleness stale = staleness_of(table_of(kept), kept);
    const Plan newest = plan_of(
        {.name = "pipedream", .ranks = 4, .microbatches = 20, .parameters = {{"stash", {0}}}});
    const Staleness drift = staleness_of(table_of(newest), newest);
    CHECK(kept.weight_copies == 4);
    CHECK(newest.weight_copies == 1);
    for (std::uint32_t s = 0; s < 4; ++s) {
      CHECK(stale.stages[s].versions == 4 - s);
      CHECK(stale.stages[s].delay_max == 3 - s);
      CHECK(stale.stages[s].drift_max == 0);
      CHECK(drift.stages[s].versions == 1);
      CHECK(drift.stages[s].delay_max == 0);
      CHECK(drift.stages[s].drift_max == 3 - s);
    }
  }

  TEST_CASE("F025: PipeDream-2BW keeps two versions and is one update late everywhere") {
    const Plan plan =
        plan_of({.name = "pipedream_2bw", .ranks = 4, .microbatches = 4, .batches = 6});
    const VersionTable table = table_of(plan);
    const Staleness stale = staleness_of(table, plan);
    for (const StageStaleness& stage : stale.stages) {
      CHECK(stage.versions == 2);
      CHECK(stage.delay_max == 1);
      CHECK(stage.drift_max == 0);
    }
    // What it reads is made in time.
    std::vector<std::uint32_t> made(4, 0);
    for (std::uint32_t m = 0; m < table.microbatches; ++m)
      for (std::uint32_t s = 0; s < 4; ++s)
        REQUIRE(table.forward[table.at(m, s)] == (m / 4 == 0 ? 0 : m / 4 - 1));
  }

  TEST_CASE("F026: with a flush there is one version and nothing is stale") {
    for (const char* name : {"gpipe", "1f1b", "zb_h1", "chimera"}) {
      const Plan plan = plan_of({.name = name, .ranks = 4, .microbatches = 8});
      const Staleness stale = staleness_of(versions_of(plan, 3), plan);
      CHECK(stale.drift_max == 0);
      CHECK(stale.delay_max == 0);
      for (const StageStaleness& stage : stale.stages) {
        CHECK(stage.versions == 1);
        CHECK(stage.updates == 3);
      }
    }
  }
}

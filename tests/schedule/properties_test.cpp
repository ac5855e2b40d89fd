// What holds of every schedule, whatever the sizes and times: complete, executable, not faster than
// the bound, and within the memory that it promises.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "base/hash.hpp"
#include "dice.hpp"
#include "scenario_text.hpp"
#include "schedule/registry.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::Dice;
using sluice_test::ScenarioText;

namespace {

/// Most activations a rank may hold, in pieces of one chunk and slice; from the summary table of
/// the schedules' specification, times v (or k). Negative: the table says nothing.
double promised_peak(const std::string& name, int p, int m, int v, int k, int r) {
  const double all = m;
  if (name == "gpipe") return all;
  if (name == "1f1b" || name == "pipedream") return std::min(p - r, m);
  if (name == "eager_1f1b") return std::min(2 * (p - 1 - r) + 1, m);
  if (name == "interleaved_1f1b") return std::min(2 * (p - 1 - r) + (v - 1) * p + 1, m * v);
  if (name == "looped_bfs") return m * v;
  if (name == "zb_h1" || name == "zb_auto") return std::min(p, m);
  if (name == "zb_v" || name == "zb_v_auto" || name == "v_zb") return 2 * std::min(p, m);
  if (name == "v_half") return 2 * ((p + 2) / 2);
  if (name == "v_min") return 2 * ((p + 4) / 3);
  if (name == "dualpipe") return p + 1;
  if (name == "dualpipe_v") return 2 * p + 1;
  if (name == "chimera") return std::min(p, m);
  if (name == "bitpipe") return 2 * p;
  if (name == "hanayo" && m == p) return v * p;
  if (name == "seq_1f1b") return std::min(p - r - 1 + k, m * k);
  if (name == "gems") return 1;
  return -1;
}

}  // namespace

TEST_SUITE("schedule/properties") {
  TEST_CASE("any schedule, any size, any times: complete, executable, above its bound") {
    const int rounds = sluice_test::full_run() ? 60 : 12;
    std::map<std::string, int> played;
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.order == nullptr) continue;
      const std::string name(info.name);
      Dice dice(hash_text(name));
      for (int round = 0; round < rounds; ++round) {
        // Sizes that two directions accept, every other round.
        const bool pairs = round % 2 == 1;
        const int p = pairs ? 2 * dice.roll(1, 8) : dice.roll(1, 16);
        const int unit = pairs ? 2 * p : p;
        const int m =
            round % 3 == 0 ? dice.roll(1, 64) : unit * dice.roll(1, std::max(1, 64 / unit));
        const int v = dice.roll(1, 4);
        const int k = dice.roll(1, 4);
        ScenarioText s;
        s.microbatches = m;
        s.schedule = "{name: " + name;
        const bool interleaved = info.family == "interleaved";
        if (interleaved) s.schedule += ", chunks: " + std::to_string(v);
        if (name == "hanayo") s.schedule += ", waves: " + std::to_string(v);
        if (name == "seq_1f1b") s.schedule += ", slices: " + std::to_string(k);
        s.schedule += "}";
        // F : I : W from 1 : 1 : 1 to 1 : 2 : 3, and uneven stages in every other round.
        const double i = 1 + dice.roll(0, 4) / 4.0;
        const double w = 1 + dice.roll(0, 8) / 4.0;
        s.split = i / (i + w);
        for (int r = 0; r < p; ++r) {
          const double x = round % 4 < 2 ? 1 : dice.roll(2, 8) / 4.0;
          s.stages.push_back({x, x * (i + w), 0});
        }
        s.latency_us = 1000 * dice.roll(0, 4) / 4.0;
        s.simulation = "  transfers: latency\n";
        INFO(s.schedule << " p=" << p << " m=" << m);
        const auto run = simulate(s.text());
        if (!run.ok()) {
          CHECK(run.diagnostics().front().code == Code::ScheduleConstraint);
          continue;
        }
        ++played[name];
        const Order& order = *run.value()->program().plan.order;
        const Diagnostics wrong = check_order(order);
        if (!wrong.empty()) FAIL_CHECK(wrong.front().message);
        const Summary& summary = run.value()->summary();
        CHECK(summary.completed_microbatches == static_cast<std::uint64_t>(m));
        REQUIRE(summary.lower_bound.has_value());
        CHECK(summary.lower_bound->ps <= summary.makespan.ps);
        const int chunks = order.placement.stages() / p;
        // Searches count half of an activation as freed by I, half by W.
        const bool halves = name == "zb_v_auto" || name == "zb_auto";
        const auto& held = halves ? summary.in_flight_half : summary.in_flight_until_weight;
        for (int r = 0; r < p; ++r) {
          const double limit = promised_peak(name, p, m, chunks, order.slices, r);
          if (limit >= 0) CHECK(held[static_cast<std::size_t>(r)] <= limit);
        }
      }
    }
    for (const auto& schedule : played) {
      INFO(schedule.first);
      CHECK(schedule.second >= 3);
    }
  }

  TEST_CASE("ZB-H2 holds 2(p - r) - 1 microbatches until their input gradients") {
    for (const int p : {1, 2, 4, 8}) {
      ScenarioText s;
      s.schedule = "zb_h2";
      s.microbatches = 4 * p;
      s.stages = sluice_test::equal_stages(p);
      const auto run = simulate(s.text());
      REQUIRE(run.ok());
      for (int r = 0; r < p; ++r)
        CHECK(run.value()->summary().in_flight_until_input[static_cast<std::size_t>(r)] ==
              2 * (p - r) - 1);
    }
  }

  TEST_CASE(
      "m below p, m = 1, p = 1, and p = 2 with two chunks run, whatever the schedule allows") {
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.order == nullptr) continue;
      int played = 0;
      for (const auto& size : {std::pair{4, 2}, std::pair{4, 1}, std::pair{1, 4}, std::pair{1, 1},
                               std::pair{2, 4}, std::pair{2, 5}, std::pair{4, 4}}) {
        const int p = size.first;
        const int m = size.second;
        ScenarioText s;
        s.schedule = std::string(info.name);
        s.microbatches = m;
        s.stages = sluice_test::equal_stages(p);
        const auto run = simulate(s.text());
        INFO(info.name << " p=" << p << " m=" << m);
        if (run.ok()) {
          ++played;
          continue;
        }
        const Diagnostic& d = run.diagnostics().front();
        CHECK(d.code == Code::ScheduleConstraint);
        CHECK_FALSE(info.constraints.empty());
      }
      INFO(info.name);
      CHECK(played >= 1);
    }
  }

  TEST_CASE("traffic: the messages of the summary table") {
    const auto messages = [](const std::string& schedule, int p, int m) {
      ScenarioText s;
      s.schedule = schedule;
      s.microbatches = m;
      s.stages = sluice_test::equal_stages(p);
      const auto run = simulate(s.text());
      REQUIRE(run.ok());
      return run.value()->summary().messages;
    };
    const auto u = [](int n) { return static_cast<std::uint64_t>(n); };
    const int p = 4;
    const int m = 8;
    for (const char* name : {"gpipe", "1f1b", "eager_1f1b", "zb_h1", "zb_h2", "zb_auto", "dualpipe",
                             "chimera", "gems"})
      CHECK(messages(name, p, m) == u(2 * (p - 1) * m));
    for (const int v : {2, 3})
      CHECK(messages("{name: interleaved_1f1b, chunks: " + std::to_string(v) + "}", p, m) ==
            u(2 * (p * v - 1) * m));
    for (const char* name :
         {"zb_v", "zb_v_auto", "v_half", "v_min", "v_zb", "dualpipe_v", "bitpipe"})
      CHECK(messages(name, p, m) == u(2 * (2 * p - 2) * m));
    for (const int w : {1, 2})
      CHECK(messages("{name: hanayo, waves: " + std::to_string(w) + "}", p, m) ==
            u(4 * w * (p - 1) * m));
    CHECK(messages("{name: seq_1f1b, slices: 4}", p, m) == u(2 * (p - 1) * m * 4));
  }

  TEST_CASE("a bidirectional schedule exchanges gradients between its two copies") {
    ScenarioText s;
    s.schedule = "chimera";
    s.microbatches = 4;
    s.stages = sluice_test::equal_stages(4);
    s.bandwidth_GBps = 1;
    s.simulation = "  transfers: bandwidth\n";
    s.sections = "optimizer: {enabled: true, gradient_mb: 100, update: 1}\n";
    const auto run = simulate(s.text());
    REQUIRE(run.ok());
    CHECK(run.value()->program().plan.weight_copies == 2);
    // Four stages, each both ways over its own pair of ranks; 100 MiB at 1 GB/s.
    CHECK(to_ms(run.value()->summary().allreduce) == doctest::Approx(8 * 104.8576));
  }
}

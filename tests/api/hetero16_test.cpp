// HopsHetero's own 16 configurations: its verdicts against zero_bubble, without noise and over
// seeds.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "api/run.hpp"
#include "files.hpp"
#include "support.hpp"
#include "tuned.hpp"

using namespace sluice;

namespace {

struct Golden {
  double zero_bubble_ms = 0;
  std::string verdict;
};

std::map<std::string, Golden> golden() {
  std::map<std::string, Golden> out;
  for (const auto& row :
       sluice_test::read_csv(sluice_test::source_path("tests/data/hops/hetero16.csv"))) {
    if (row.at(1) == "zero_bubble") out[row.at(0)].zero_bubble_ms = std::stod(row.at(2));
    if (row.at(1) == "hops_hetero") out[row.at(0)].verdict = row.at(4);
  }
  return out;
}

double makespan_ms(const std::string& text, const std::string& schedule, const Setting& extra) {
  const auto run =
      simulate(text, {{"simulation.physics", "hops"}, {"pipeline.schedule", schedule}, extra});
  REQUIRE(run.ok());
  return to_ms(run.value()->summary().makespan);
}

/// In per cent of zero_bubble; a win or loss is beyond half a per cent. Source: HOPS,
/// hetero_scheduler/evaluate.py.
std::string verdict(double delta_pct) {
  return delta_pct > 0.5 ? "win" : delta_pct < -0.5 ? "loss" : "tie";
}

}  // namespace

TEST_SUITE("api/hetero16") {
  TEST_CASE(
      "5 wins, 11 ties, 0 losses, case by case, without jitter and over seeds; the smallest win is "
      "1.5 %") {
    const auto folder = sluice_test::reference_folder("SLUICE_GOLDEN");
    if (!folder) return;
    const int seeds = sluice_test::full_run() ? 32 : 8;
    // HOPS's ethernet preset without its jitter; the locality penalty still applies.
    const Setting calm{"hardware.links",
                       "[{default: true, bandwidth_GBps: 13.1072, latency_us: 15}]"};
    std::map<std::string, int> counts;
    double smallest_win = 100;
    for (const auto& entry : golden()) {
      const std::string& name = entry.first;
      const auto& expected = entry.second;
      INFO(name);
      const std::string text =
          sluice_test::read_text(*folder + "/hops/hetero16_yaml/" + name + ".yaml");
      const double zb = makespan_ms(text, "zero_bubble", calm);
      const double own = makespan_ms(text, "hops_hetero", calm);
      CHECK(verdict(100 * (zb - own) / zb) == expected.verdict);
      double zb_mean = 0;
      double own_mean = 0;
      for (int seed = 0; seed < seeds; ++seed) {
        const Setting seeded{"simulation.seed", std::to_string(seed)};
        zb_mean += makespan_ms(text, "zero_bubble", seeded) / seeds;
        own_mean += makespan_ms(text, "hops_hetero", seeded) / seeds;
      }
      const double delta = 100 * (zb_mean - own_mean) / zb_mean;
      CHECK(verdict(delta) == expected.verdict);
      CHECK(std::fabs(zb_mean - expected.zero_bubble_ms) < 0.003 * expected.zero_bubble_ms);
      ++counts[verdict(delta)];
      if (delta > 0.5) smallest_win = std::fmin(smallest_win, delta);
    }
    CHECK(counts["win"] == 5);
    CHECK(counts["tie"] == 11);
    CHECK(counts["loss"] == 0);
    CHECK(smallest_win == doctest::Approx(1.5).epsilon(0.04));
  }

  TEST_CASE(
      "adaptive is never slower than 1F1B, ZB-H1, ZB-auto, interleaved or hops_hetero there") {
    const auto folder = sluice_test::reference_folder("SLUICE_GOLDEN");
    if (!folder) return;
    // Under the rules of either physics, without jitter; slow builds try the first of each.
    for (const char* physics : {"sluice", "hops"}) {
      double gain = 0;
      int cases = 0;
      for (const auto& entry : golden()) {
        if (sluice_test::kSlowBuild && cases > 0) break;
        INFO(physics << " " << entry.first);
        const std::string text =
            sluice_test::read_text(*folder + "/hops/hetero16_yaml/" + entry.first + ".yaml");
        const auto played = [&](const char* schedule) {
          const auto run = simulate(
              text,
              {{"simulation.physics", physics},
               {"pipeline.schedule", schedule},
               {"hardware.links", "[{default: true, bandwidth_GBps: 13.1072, latency_us: 15}]"}});
          REQUIRE(run.ok());
          REQUIRE(run.value()->summary().fits);
          return run.value()->summary().makespan;
        };
        const Duration adaptive = played("adaptive");
        for (const char* rival : {"1f1b", "zb_h1", "zb_auto", "interleaved_1f1b", "hops_hetero"})
          CHECK(adaptive <= played(rival));
        // The output layer goes with the last stage, wherever a schedule puts that: no bound may
        // take it for a rank's own.
        const Tuning tuning = sluice_test::tuned(
            text,
            {{"simulation.physics", physics},
             {"hardware.links", "[{default: true, bandwidth_GBps: 13.1072, latency_us: 15}]"}},
            {.evaluations = 50, .axes = {}, .schedules = {}});
        for (const TunedCandidate& c : tuning.candidates()) {
          INFO(c.name);
          if (c.reason.empty()) CHECK(tuning.lower_bound() <= c.makespan);
        }
        gain += 100 * (to_ms(played("hops_hetero")) / to_ms(adaptive) - 1);
        ++cases;
      }
      std::printf("  adaptive over hops_hetero, its own 16 cases, %s: mean %.2f %%\n", physics,
                  gain / cases);
    }
  }
}

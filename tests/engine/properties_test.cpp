// What must hold for every run: completeness, no overlap, dependencies, invariance,
// reproducibility.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "api/run.hpp"
#include "base/hash.hpp"
#include "scenario_text.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::ScenarioText;
using sluice_test::StageTime;

namespace {

double random01(std::uint64_t n) {
  return static_cast<double>(mix64(n) >> 11) * 0x1p-53;
}

/// A small scenario drawn from a number: irregular stages, any schedule and mode.
ScenarioText random_scenario(std::uint64_t n) {
  const std::vector<std::string> schedules{"gpipe",
                                           "1f1b",
                                           "zb_h1",
                                           "hops_hetero",
                                           "hops/1f1b",
                                           "hops/zero_bubble",
                                           "hops/gpipe",
                                           "hops/hetero_wavefill",
                                           "hops/hetero_hybrid"};
  const std::vector<std::string> modes{"latency", "bandwidth", "shared"};
  const std::vector<std::string> shares{"fair", "fifo", "per_pair_at_start"};
  ScenarioText s;
  s.schedule = schedules[n % schedules.size()];
  const int stages = 1 + static_cast<int>(random01(n * 7 + 1) * 6);
  for (int i = 0; i < stages; ++i) {
    const auto k = n * 31 + static_cast<std::uint64_t>(i);
    s.stages.push_back({0.5 + 3 * random01(k), 0.5 + 6 * random01(k + 1000)});
  }
  s.microbatches = 1 + static_cast<int>(random01(n * 7 + 2) * 12);
  s.batches = 1 + static_cast<int>(random01(n * 7 + 3) * 2.5);
  s.latency_us = 400 * random01(n * 7 + 4);
  s.bandwidth_GBps = 0.2 + 4 * random01(n * 7 + 5);
  s.activation_mb = 4 * random01(n * 7 + 6);
  s.simulation = "  seed: " + std::to_string(n) + "\n  transfers: " + modes[n / 9 % 3] +
                 "\n  options: {link_share: " + shares[n / 27 % 3] + "}\n";
  if (n % 2 == 0) s.sections = "optimizer: {enabled: true, update: 0.7, iteration_barrier: 0.2}\n";
  return s;
}

void check_run(const Run& run) {
  const Trace& t = run.trace();
  const Plan& plan = run.program().plan;
  std::map<std::tuple<int, int, std::uint32_t>, std::size_t> rows;
  std::vector<std::int64_t> free_at(run.program().machine.devices.size(), 0);
  std::vector<std::int64_t> began(t.devices + run.program().machine.links.size(), 0);
  std::int64_t busy = 0;
  for (std::size_t row = 0; row < t.rows(); ++row) {
    REQUIRE(t.start[row] <= t.end[row]);
    REQUIRE(t.start[row] >= began[t.resource[row]]);
    began[t.resource[row]] = t.start[row];
    if (t.predecessor[row] != kNoRow) REQUIRE(t.end[t.predecessor[row]] <= t.start[row]);
    if (t.resource[row] >= t.devices) continue;
    // No device does two things at a time; a start was decided by something that ended just then.
    REQUIRE(t.start[row] >= free_at[t.resource[row]]);
    free_at[t.resource[row]] = t.end[row];
    busy += t.end[row] - t.start[row];
    if (!t.per_microbatch(row)) continue;
    const bool first =
        rows.emplace(std::make_tuple(t.kind[row], t.stage[row], t.index[row]), row).second;
    REQUIRE(first);
  }
  CHECK(busy == run.summary().compute.ps);
  const auto at = [&](OpKind kind, int stage, std::uint32_t index) {
    const auto found = rows.find({static_cast<int>(kind), stage, index});
    REQUIRE(found != rows.end());
    return found->second;
  };
  const auto indices = static_cast<std::uint32_t>(plan.microbatches) *
                       static_cast<std::uint32_t>(run.program().simulation.batches);
  const OpKind back = plan.split_backward ? OpKind::InputGrad : OpKind::Backward;
  for (int s = 0; s < plan.stages(); ++s) {
    for (std::uint32_t i = 0; i < indices; ++i) {
      const std::size_t f = at(OpKind::Forward, s, i);
      const std::size_t b = at(back, s, i);
      REQUIRE(t.end[f] <= t.start[b]);
      if (s > 0) REQUIRE(t.end[at(OpKind::Forward, s - 1, i)] <= t.start[f]);
      if (s + 1 < plan.stages()) REQUIRE(t.end[at(back, s + 1, i)] <= t.start[b]);
      if (plan.split_backward) REQUIRE(t.end[b] <= t.start[at(OpKind::WeightGrad, s, i)]);
    }
  }
  CHECK(rows.size() ==
        static_cast<std::size_t>(plan.stages()) * indices * (plan.split_backward ? 3 : 2));
  const Summary& summary = run.summary();
  const double whole = to_ms(summary.makespan) * plan.stages();
  if (run.program().stage_devices.size() == static_cast<std::size_t>(plan.stages())) {
    CHECK(summary.bubble.idle_over_makespan == doctest::Approx(1 - to_ms(summary.compute) / whole));
  }
}

}  // namespace

TEST_SUITE("engine/properties") {
  TEST_CASE("random scenarios: every operation once, no overlap, dependencies hold") {
    const std::uint64_t count = sluice_test::full_run() ? 2000 : 200;
    for (std::uint64_t n = 1; n <= count; ++n) {
      const std::string text = random_scenario(n).text();
      auto run = simulate(text);
      INFO("scenario " << n << "\n" << text);
      REQUIRE(run.ok());
      check_run(*run.value());
    }
  }
  TEST_CASE("step(1) again and again equals one step") {
    for (std::uint64_t n = 1; n <= 20; ++n) {
      const std::string text = random_scenario(n).text();
      const auto whole = simulate(text);
      REQUIRE(whole.ok());
      auto loaded = load_scenario(text);
      REQUIRE(loaded.ok());
      Simulation simulation(std::move(loaded).value());
      while (!simulation.step(1)) {
      }
      const auto stepped = simulation.finish();
      REQUIRE(stepped.ok());
      CHECK(stepped.value()->trace() == whole.value()->trace());
      CHECK(stepped.value()->summary_json() == whole.value()->summary_json());
    }
  }
  TEST_CASE("a trace whose memory is lent by another run is the same trace") {
    auto big = load_scenario(random_scenario(40).text());
    auto small = load_scenario(random_scenario(3).text());
    REQUIRE(big.ok());
    REQUIRE(small.ok());
    const auto play = [](const Program& program, Trace lent) {
      Engine engine(program, std::move(lent));
      while (!engine.step(1'000'000)) {
      }
      return engine.take_trace();
    };
    const Trace fresh = play(small.value().program, {});
    CHECK(play(small.value().program, play(big.value().program, {})) == fresh);
  }
  TEST_CASE("the order in which devices are declared does not matter") {
    for (std::uint64_t n = 1; n <= 30; ++n) {
      ScenarioText s = random_scenario(n);
      s.simulation += "";
      const std::string text = s.text();
      // Reverse the lines of hardware.devices.
      const std::size_t begin = text.find("  devices:\n") + 11;
      const std::size_t end = text.find("  links:\n");
      std::vector<std::string> lines;
      for (std::size_t i = begin; i < end;) {
        const std::size_t next = text.find('\n', i) + 1;
        lines.push_back(text.substr(i, next - i));
        i = next;
      }
      std::string reversed;
      for (auto line = lines.rbegin(); line != lines.rend(); ++line) reversed += *line;
      const auto a = simulate(text);
      const auto b = simulate(text.substr(0, begin) + reversed + text.substr(end));
      REQUIRE(a.ok());
      REQUIRE(b.ok());
      CHECK(a.value()->summary().makespan == b.value()->summary().makespan);
      CHECK(a.value()->summary().rank_utilization == b.value()->summary().rank_utilization);
      CHECK(a.value()->summary().transfer == b.value()->summary().transfer);
    }
  }
  TEST_CASE("doubling every rate halves every time exactly") {
    for (std::uint64_t n = 1; n <= 30; ++n) {
      ScenarioText s = random_scenario(n);
      s.sections = "";
      // Times that are whole numbers of 2 ps stay exact when halved.
      const auto even = [](double ms) { return std::floor(ms * 1e6) / 1e6; };
      for (StageTime& t : s.stages) t = {even(t.forward_ms), even(t.backward_ms)};
      s.latency_us = std::floor(s.latency_us);
      s.bandwidth_GBps = 1;
      s.activation_mb = 1;
      s.split = 0.5;
      const auto slow = simulate(s.text());
      for (StageTime& t : s.stages) t = {t.forward_ms / 2, t.backward_ms / 2};
      s.latency_us /= 2;
      s.bandwidth_GBps = 2;
      const auto fast = simulate(s.text());
      REQUIRE(slow.ok());
      REQUIRE(fast.ok());
      CHECK(slow.value()->summary().makespan.ps == 2 * fast.value()->summary().makespan.ps);
    }
  }
  TEST_CASE("adding a device that nothing uses leaves every random duration alone") {
    ScenarioText s = random_scenario(5);
    std::string text = s.text();
    const auto noisy = [](std::string t) {
      for (std::size_t at = 0;
           (at = t.find("compute: {mode: explicit, distribution: ", at)) != std::string::npos;) {
        at += 40;
        const std::size_t end = t.find('}', at);
        t.replace(at, end - at, "{type: normal, mean: " + t.substr(at, end - at) + ", std: 0.3}");
      }
      return t;
    };
    const auto plain = simulate(noisy(text));
    text.insert(text.find("  devices:\n") + 11,
                "    - {id: spare, gpu: h100, node: other, socket: 0}\n");
    const auto more = simulate(noisy(text));
    REQUIRE(plain.ok());
    REQUIRE(more.ok());
    CHECK(plain.value()->summary().makespan == more.value()->summary().makespan);
  }
  TEST_CASE("a jittered makespan has the mean and spread of its sum") {
    // One stage: m forwards of N(2, 0.3) and m backwards of N(4, 0.6), all independent.
    constexpr int kMicrobatches = 16;
    ScenarioText s;
    s.microbatches = kMicrobatches;
    s.stages = {{1, 2}};
    std::string text = s.text();
    text.replace(text.find("distribution: 1}"), 16,
                 "distribution: {type: normal, mean: 2, std: 0.3}}");
    text.replace(text.find("distribution: 2}"), 16,
                 "distribution: {type: normal, mean: 4, std: 0.6}}");
    constexpr int kSeeds = 400;
    double mean = 0;
    std::vector<double> values;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const auto run = simulate(text, {{"simulation.seed", std::to_string(seed)}});
      REQUIRE(run.ok());
      values.push_back(to_ms(run.value()->summary().makespan));
      mean += values.back() / kSeeds;
    }
    double variance = 0;
    for (const double v : values) variance += (v - mean) * (v - mean) / (kSeeds - 1);
    const double expected = kMicrobatches * 6.0;
    const double expected_variance = kMicrobatches * (0.09 + 0.36);
    CHECK(std::fabs(mean - expected) < 3 * std::sqrt(expected_variance / kSeeds));
    // A normal's sample variance has standard error variance sqrt(2 / (n - 1)).
    CHECK(std::fabs(variance - expected_variance) <
          3 * expected_variance * std::sqrt(2.0 / (kSeeds - 1)));
  }
}

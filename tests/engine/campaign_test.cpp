// Campaigns against renewal theory, by hand, and against the engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "api/campaign.hpp"
#include "api/run.hpp"
#include "base/hash.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

FailureComponent part(const std::string& name, double mtbf_hours, double repair_hours,
                      double shape = 1) {
  FailureComponent c;
  c.name = name;
  c.key = hash_text(name);
  c.shape = shape;
  c.mtbf_ms = mtbf_hours * 3.6e6;
  c.scale_ms = c.mtbf_ms / std::tgamma(1 + 1 / shape);
  c.repair_ps = static_cast<std::int64_t>(repair_hours * 3.6e15);
  return c;
}

CampaignPlan plan_of(std::vector<FailureComponent> parts, double hours, double step_s,
                     std::uint64_t seed) {
  CampaignPlan p;
  p.working.assign(parts.size(), 1);
  p.components = std::move(parts);
  p.step_lengths = {{static_cast<std::int64_t>(step_s * kSecond)}};
  p.duration = {static_cast<std::int64_t>(hours * kHour)};
  p.seed = seed;
  return p;
}

CampaignResult play(CampaignPlan plan) {
  Campaign c(std::move(plan));
  while (!c.step(1000)) {
  }
  return c.result();
}

struct Mean {
  double sum = 0;
  double squares = 0;
  int n = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  [[nodiscard]] double value() const { return sum / n; }
  [[nodiscard]] double error() const {
    return std::sqrt((squares / n - value() * value()) / (n - 1));
  }
};

/// Goodput of one interval, over several seeds.
double goodput(double interval_s, double cost_s, double mtbf_s, double restart_s) {
  double sum = 0;
  constexpr int kSeeds = 24;
  for (int seed = 0; seed < kSeeds; ++seed) {
    CampaignPlan p = plan_of({part("device d0", mtbf_s / 3600, 1e-9)}, 20000, 1,
                             static_cast<std::uint64_t>(seed));
    p.failure.recovery = Recovery::Checkpoint;
    p.failure.restart_s = restart_s;
    p.failure.checkpoint.interval_s = interval_s;
    p.failure.checkpoint.cost_s = cost_s;
    sum += play(p).goodput();
  }
  return sum / kSeeds;
}

}  // namespace

TEST_SUITE("engine/campaign") {
  TEST_CASE("by hand: steps, checkpoints and one failure") {
    // Steps of 10 s, saved every 3 steps for 2 s: saved at 32. Failing at 45: 13 s are lost, repair
    // 5, restart 1: on at 51. Steps until 81, saved at 83, then 93, 103; over at 110.
    CampaignPlan p = plan_of({}, 110.0 / 3600, 10, 1);
    FailureComponent c = part("device d0", 1, 5.0 / 3600);
    c.scale_ms = 0;
    c.at_ps = {45 * kPsPerSecond};
    p.components = {c};
    p.working = {1};
    p.failure.recovery = Recovery::Checkpoint;
    p.failure.restart_s = 1;
    p.failure.checkpoint.every_steps = 3;
    p.failure.checkpoint.cost_s = 2;
    const CampaignResult r = play(p);
    CHECK(r.steps == 3 + 3 + 2);
    CHECK(r.checkpoints == 2);
    CHECK(r.lost.ns == 13 * kSecond);
    CHECK(r.recovering.ns == 6 * kSecond);
    CHECK(r.saving.ns == 4 * kSecond);
    CHECK(r.goodput() == doctest::Approx(1 - 23.0 / 110));
    // Without a checkpoint only the step is lost: 5 s; 4 steps before, 5 from 51 on.
    p.failure.recovery = Recovery::Step;
    const CampaignResult step = play(p);
    CHECK(step.lost.ns == 5 * kSecond);
    CHECK(step.steps == 4 + 5);
    // Nor that: it goes on where it was, 5 s late. 105 s of work are ten steps.
    p.failure.recovery = Recovery::Operation;
    const CampaignResult on = play(p);
    CHECK(on.steps == 10);
    CHECK(on.stalled.ns == 5 * kSecond);
  }
  TEST_CASE("renewal: failures, downtime and goodput of one part over 100,000 hours") {
    // Alternating renewal: T / (M + R) failures, a share R / (M + R) of downtime.
    for (const double shape : {1.0, 0.7, 2.0}) {
      Mean failures;
      Mean good;
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const CampaignResult r = play(plan_of({part("device d0", 50, 2, shape)}, 100000, 60, seed));
        failures.add(static_cast<double>(r.failures));
        good.add(r.goodput());
      }
      INFO("shape " << shape);
      CHECK(std::fabs(failures.value() - 100000.0 / 52) < 3 * failures.error() + 1);
      CHECK(std::fabs(good.value() - 50.0 / 52) < 3 * good.error());
    }
  }
  TEST_CASE("renewal: many parts fail as one that fails as often as all together") {
    // Spares without end: each failure costs the restart R = 0.5 h and what was done of a step of
    // one hour. The rate is 64/6400 an hour. A step of length s takes M e^(R/M) (e^(s/M) - 1)
    // hours.
    Mean steps;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      std::vector<FailureComponent> parts;
      for (int i = 0; i < 64; ++i) parts.push_back(part("device d" + std::to_string(i), 6400, 1));
      CampaignPlan p = plan_of(std::move(parts), 100000, 3600, seed);
      p.failure.recovery = Recovery::Step;
      p.failure.restart_s = 1800;
      p.failure.spares = 1000;
      steps.add(static_cast<double>(play(p).steps));
    }
    const double m = 100;
    const double hours = m * std::exp(0.5 / m) * (std::exp(1 / m) - 1);
    CHECK(std::fabs(steps.value() - 100000 / hours) < 3 * steps.error());
  }
  TEST_CASE("the best checkpoint interval is Young's and Daly's") {
    // C = 60 s, M = 6 h, R = 120 s: Young 1,610 s, Daly 1,570 s.
    const double cost = 60;
    const double mtbf = 6 * 3600;
    const double daly = daly_interval(cost, mtbf);
    CHECK(young_interval(cost, mtbf) == doctest::Approx(1610.0).epsilon(0.001));
    CHECK(daly == doctest::Approx(1570.2).epsilon(0.001));
    // Near its optimum the curve is flat: a parabola through points around it finds the top.
    double best = 0;
    double sum_x = 0;
    std::vector<double> x;
    std::vector<double> y;
    for (double factor = 0.5; factor < 2.01; factor *= std::pow(2.0, 0.125)) {
      x.push_back(std::log(factor));
      y.push_back(goodput(daly * factor, cost, mtbf, 120));
      sum_x += x.back();
    }
    // Least squares of y = a + b x + c x^2 over points that lie evenly around x = 0.
    REQUIRE(std::fabs(sum_x) < 1e-9 * static_cast<double>(x.size()) + 1e-6);
    double s2 = 0;
    double s4 = 0;
    double sy = 0;
    double sxy = 0;
    double sx2y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      s2 += x[i] * x[i];
      s4 += std::pow(x[i], 4);
      sy += y[i];
      sxy += x[i] * y[i];
      sx2y += x[i] * x[i] * y[i];
    }
    const auto n = static_cast<double>(x.size());
    const double c = (n * sx2y - s2 * sy) / (n * s4 - s2 * s2);
    const double b = sxy / s2;
    CHECK(c < 0);
    best = daly * std::exp(-b / (2 * c));
    INFO("best " << best << " s");
    CHECK(std::fabs(best / daly - 1) < 0.1);
    // And the goodput there is what the formula of Daly's model gives.
    const double hand = daly / (mtbf * std::exp(120 / mtbf) * (std::exp((daly + cost) / mtbf) - 1));
    CHECK(goodput(daly, cost, mtbf, 120) == doctest::Approx(hand).epsilon(0.005));
  }
  TEST_CASE("both scales tell of the same hour") {
    // 1,800 steps of about 2 s: two stages, F = B = 200 ms, four microbatches: 5 * 400 ms.
    for (const char* recovery : {"operation", "step", "checkpoint"}) {
      ScenarioText s;
      s.microbatches = 4;
      s.batches = 1800;
      s.stages = {{200, 200}, {200, 200}};
      const bool saves = std::string(recovery) == "checkpoint";
      s.sections = std::string("failure:\n  enabled: true\n  recovery: ") + recovery +
                   "\n  sources: [{devices: all, mtbf_hours: 0.2, repair_s: 20}]\n" +
                   (saves ? "  checkpoint: {interval_s: 100, cost_s: 3}\n" : "") +
                   (std::string(recovery) != "operation" ? "  restart_s: 5\n" : "") +
                   "campaign: {steps: 1800}\n";
      const auto run = simulate(s.text());
      if (!run.ok()) FAIL(run.diagnostics().front().message);
      const Summary& fine = run.value()->summary();
      const auto loaded = load_scenario(s.text());
      REQUIRE(loaded.ok());
      const auto report = run_campaign(loaded.value());
      if (!report.ok()) FAIL(report.diagnostics().front().message);
      const CampaignResult& coarse = report.value().result;
      INFO(recovery);
      CHECK(report.value().step_ms == doctest::Approx(2000).epsilon(1e-4));
      CHECK(coarse.steps == 1800);
      CHECK(fine.failures > 4);
      // A device that fails while the other one computes stops less than the whole pipeline; where
      // all is begun anew, both say the same.
      const double slack = std::string(recovery) == "operation" ? 0.03 : 2e-4;
      CHECK(to_hours(coarse.time) * 3.6e6 == doctest::Approx(to_ms(fine.makespan)).epsilon(slack));
      if (std::string(recovery) == "operation") continue;
      CHECK(coarse.failures == fine.failures);
      CHECK(coarse.rollbacks == fine.rollbacks);
      CHECK(coarse.checkpoints == fine.checkpoints);
      CHECK(coarse.goodput() == doctest::Approx(*fine.goodput).epsilon(1e-3));
    }
  }
  TEST_CASE("a century, and units do not matter") {
    CampaignPlan p = plan_of({part("device d0", 1000, 1)}, 876600, 7.5, 3);
    p.step_lengths.push_back({8 * kSecond});
    p.step_lengths.push_back({9 * kSecond});
    p.duration = {876600 * kHour / 100};
    p.failure.recovery = Recovery::Step;
    Campaign one(p);
    while (!one.step(1)) {
    }
    Campaign many(p);
    while (!many.step(1U << 20U)) {
    }
    CHECK(one.result().steps == many.result().steps);
    CHECK(one.result().lost == many.result().lost);
    CHECK(one.done() == Campaign::total());
    p.step_lengths.resize(1);
    p.duration = {876600 * kHour};
    const CampaignResult r = play(p);
    CHECK(to_hours(r.time) == doctest::Approx(876600));
    CHECK(std::fabs(static_cast<double>(r.failures) - 876600.0 / 1001) < 4 * std::sqrt(876.0));
  }
}

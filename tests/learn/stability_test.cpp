// Which learning rates a delay allows: the closed form on a quadratic (C7 of convergence.md) and
// the statement on the residual network (C12), which is about this toy and not about large models.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "learn/arms.hpp"
#include "support.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

// x[t+1] = x[t] - rate * curvature * x[t - delay], with x = 1 before the start.
bool stable(std::uint32_t delay, double curvature, double rate) {
  constexpr std::uint32_t kSteps = 6000;
  const auto late = [=](std::uint32_t i, std::uint32_t) { return i < delay ? 0 : i - delay; };
  const auto training = trained(quadratic_arm(table(1, kSteps, 1, late, late), curvature, rate));
  return !training.diverged() && std::fabs(*training.weights(0)) < 1;
}

// Mean and spread over seeds.
struct Spread {
  int diverged = 0;
  int runs = 0;
  double sum = 0;
  double squares = 0;

  void add(std::optional<double> value) {
    ++runs;
    if (!value) {
      ++diverged;
      return;
    }
    sum += *value;
    squares += *value * *value;
  }
  [[nodiscard]] std::string text() const {
    const int n = runs - diverged;
    if (n == 0) return "diverged in all " + std::to_string(runs);
    const double mean = sum / n;
    const double spread = n > 1 ? std::sqrt(std::max(0.0, squares - n * mean * mean) / (n - 1)) : 0;
    return std::to_string(mean) + " +- " + std::to_string(spread) + ", diverged in " +
           std::to_string(diverged) + " of " + std::to_string(runs);
  }
};

}  // namespace

TEST_SUITE("learn/stability") {
  TEST_CASE("C7: delayed descent is stable below 2 sin(pi / (2 (2 tau + 1))), within 1 %") {
    for (const std::uint32_t delay : {0U, 1U, 2U, 7U}) {
      for (const double curvature : {1.0, 3.0}) {
        double low = 0;
        double high = 4 / curvature;
        for (int round = 0; round < 12; ++round) {
          const double middle = (low + high) / 2;
          (stable(delay, curvature, middle) ? low : high) = middle;
        }
        const double expected = 2 * std::sin(std::numbers::pi / (2 * (2.0 * delay + 1)));
        INFO("delay " << delay << ": found " << low * curvature << ", expected " << expected);
        CHECK(std::fabs(low * curvature - expected) < 0.01 * expected);
      }
    }
  }

  TEST_CASE("C12: at rate 0.05 momentum diverges one update late, and not under PACI") {
    constexpr std::uint32_t kStages = 8;
    constexpr double kRate = 0.05;
    const std::uint32_t microbatches = full_run() ? 4096 : kSlowBuild ? 512 : 1024;
    const int seeds = full_run() || !kSlowBuild ? 5 : 2;
    Spread late, rounds, now, ahead;
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto run = [&](VersionTable versions) {
        return trained(mlp_arm(std::move(versions), kRate, static_cast<std::uint64_t>(seed)))
            .test_loss();
      };
      late.add(run(two_buffers(kStages, microbatches, 8)));
      rounds.add(run(amdp(kStages, microbatches, 1)));
      now.add(run(sync(kStages, microbatches, 8)));
      ahead.add(run(paci(kStages, microbatches, 8)));
    }
    MESSAGE("2BW " << late.text() << "; AMDP " << rounds.text() << "; sync " << now.text()
                   << "; PACI " << ahead.text());
    CHECK(late.diverged >= seeds - 1);
    CHECK(rounds.diverged >= seeds - 1);
    CHECK(now.diverged == 0);
    CHECK(ahead.diverged == 0);
  }

  // Convergence.md, section 5, has two seeds; of its gaps these are above three standard errors
  // with five. PACI's are not, and are not stated.
  TEST_CASE("where nothing diverges, one update late still costs loss") {
    if (!full_run() || kSlowBuild) return;
    constexpr std::uint32_t kStages = 8;
    constexpr std::uint32_t kMicrobatches = 4096;
    struct Cell {
      std::string name;
      learn::OptimizerKind kind;
      double rate;
      VersionTable late;
      VersionTable now;
    };
    const VersionTable sync8 = sync(kStages, kMicrobatches, 8);
    const VersionTable sync32 = sync(kStages, kMicrobatches, 32);
    const VersionTable amdp8 = amdp(kStages, kMicrobatches, 1);
    const VersionTable amdp32 = amdp(kStages, kMicrobatches, 4);
    const VersionTable late8 = two_buffers(kStages, kMicrobatches, 8);
    for (const Cell& cell :
         {Cell{"momentum, AMDP, K = 8", learn::OptimizerKind::Momentum, 0.02, amdp8, sync8},
          Cell{"momentum, 2BW, K = 8", learn::OptimizerKind::Momentum, 0.02, late8, sync8},
          Cell{"momentum, AMDP, K = 32", learn::OptimizerKind::Momentum, 0.05, amdp32, sync32},
          Cell{"AdamW, AMDP, K = 8", learn::OptimizerKind::AdamW, 0.003, amdp8, sync8},
          Cell{"AdamW, 2BW, K = 8", learn::OptimizerKind::AdamW, 0.003, late8, sync8}}) {
      Spread gap;
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto loss = [&](const VersionTable& versions) {
          auto arm = mlp_arm(versions, cell.rate, seed);
          arm.optimizer.kind = cell.kind;
          return trained(std::move(arm)).test_loss();
        };
        const auto late = loss(cell.late);
        const auto now = loss(cell.now);
        REQUIRE(late.has_value());
        REQUIRE(now.has_value());
        gap.add(*late - *now);
      }
      MESSAGE(cell.name << ": " << gap.text());
      CHECK(gap.sum > 0);
    }
  }

  TEST_CASE("4096 microbatches of the residual network take about a second") {
    const std::uint32_t microbatches = full_run() ? 4096 : kSlowBuild ? 64 : 512;
    auto training = started(mlp_arm(paci(8, microbatches, 8), 0.02, 1));
    const auto begin = std::chrono::steady_clock::now();
    training.step(microbatches);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 4096 /
        microbatches;
    MESSAGE("4096 microbatches would take " << seconds << " s");
    if (!kSlowBuild) CHECK(seconds < 15);
  }
}

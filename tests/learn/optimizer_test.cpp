// Each optimizer against its formula, by hand.
#include "learn/optimizer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "learn/arms.hpp"
#include "learn/finite_differences.hpp"
#include "learn/matmul.hpp"

using namespace sluice_test;
using namespace sluice::learn;

namespace {

// One weight of 1, two updates with gradients 0.5 and -0.25.
struct Two {
  float first = 0;
  float second = 0;
};

Two two_updates(const OptimizerSpec& spec) {
  StageParameters parameters;
  parameters.add({.name = "w", .kind = ParameterKind::Vector, .rows = 1, .columns = 1});
  Optimizer optimizer(spec, parameters);
  Two out;
  const float start = 1;
  float change = 0;
  float gradient = 0.5F;
  optimizer.step(1, &gradient, &start, &out.first, &change);
  gradient = -0.25F;
  optimizer.step(1, &gradient, &out.first, &out.second, &change);
  CHECK(change == doctest::Approx(double{out.first} - double{out.second}).epsilon(1e-4));
  return out;
}

OptimizerSpec spec(OptimizerKind kind, double rate) {
  OptimizerSpec out;
  out.kind = kind;
  out.rate = rate;
  return out;
}

}  // namespace

TEST_SUITE("learn/optimizer") {
  TEST_CASE("SGD and momentum") {
    const Two sgd = two_updates(spec(OptimizerKind::Sgd, 0.1));
    CHECK(sgd.first == doctest::Approx(0.95));
    CHECK(sgd.second == doctest::Approx(0.975));
    // m = 0.5, then 0.9 * 0.5 - 0.25 = 0.2.
    const Two momentum = two_updates(spec(OptimizerKind::Momentum, 0.1));
    CHECK(momentum.first == doctest::Approx(0.95));
    CHECK(momentum.second == doctest::Approx(0.93));
  }

  TEST_CASE("AdamW: means without bias, decay beside them") {
    OptimizerSpec s = spec(OptimizerKind::AdamW, 0.1);
    // First: 0.5 / 0.5. Then m = (0.9 * 0.05 - 0.025) / 0.19, v = (0.99 * 0.0025 + 0.000625) /
    // 0.0199.
    const double second = (0.02 / 0.19) / std::sqrt(0.0031 / 0.0199);
    Two adam = two_updates(s);
    CHECK(adam.first == doctest::Approx(0.9));
    CHECK(adam.second == doctest::Approx(0.9 - 0.1 * second));
    s.decay = 0.5;
    StageParameters parameters;
    parameters.add({.name = "w", .rows = 1, .columns = 1});
    Optimizer optimizer(s, parameters);
    const float start = 1;
    float next = 0;
    float change = 0;
    float gradient = 0.5F;
    optimizer.step(1, &gradient, &start, &next, &change);
    CHECK(next == doctest::Approx(0.95 - 0.1));
  }

  TEST_CASE("NAdam looks one step ahead in the mean") {
    OptimizerSpec s = spec(OptimizerKind::NAdam, 0.1);
    s.beta1 = 0.99;
    // First: 0.99 * 0.005 / (1 - 0.99^2) + 0.01 * 0.5 / 0.01, over 0.5.
    const double first = (0.99 * 0.005 / 0.0199 + 0.5) / 0.5;
    CHECK(two_updates(s).first == doctest::Approx(1 - 0.1 * first));
  }

  TEST_CASE("a stage's gradient is clipped to a norm") {
    OptimizerSpec s = spec(OptimizerKind::Sgd, 1);
    s.clip = 2.5;
    StageParameters parameters;
    parameters.add({.name = "w", .rows = 1, .columns = 2});
    Optimizer optimizer(s, parameters);
    const float start[2] = {0, 0};
    float next[2];
    float change[2];
    float gradient[2] = {3, 4};
    optimizer.step(1, gradient, start, next, change);
    CHECK(next[0] == doctest::Approx(-1.5));
    CHECK(next[1] == doctest::Approx(-2));
    float small[2] = {0.3F, 0.4F};
    optimizer.step(1, small, start, next, change);
    CHECK(next[1] == -0.4F);
  }

  TEST_CASE("Muon's step has singular values near 1, whichever side is longer") {
    for (const std::size_t rows : {std::size_t{6}, std::size_t{20}}) {
      const std::size_t columns = 26 - rows;
      StageParameters parameters;
      parameters.add({.name = "w", .rows = rows, .columns = columns});
      Optimizer optimizer(spec(OptimizerKind::Muon, 1), parameters);
      const auto random = noise(rows * columns, 3);
      std::vector<float> gradient(random.begin(), random.end());
      std::vector<float> start(gradient.size());
      std::vector<float> next(gradient.size());
      std::vector<float> change(gradient.size());
      optimizer.step(1, gradient.data(), start.data(), next.data(), change.data());
      // The Gram matrix of the shorter side, without the factor for its aspect.
      const bool wide = rows < columns;
      const double aspect = wide ? static_cast<double>(columns) / static_cast<double>(rows) : 1;
      const std::size_t side = wide ? rows : columns;
      std::vector<float> turned(change.size());
      std::vector<float> gram(side * side);
      transpose(change.data(), columns, rows, columns, turned.data());
      if (wide) {
        multiply<float>({change.data(), columns}, {turned.data(), rows}, {gram.data(), side}, side,
                        columns, side);
      } else {
        multiply<float>({turned.data(), rows}, {change.data(), columns}, {gram.data(), side}, side,
                        rows, side);
      }
      // The five iterations put singular values between 0.68 and 1.13: the trace is near `side`.
      double trace = 0;
      for (std::size_t k = 0; k < side; ++k) {
        trace += gram[k * side + k] / aspect;
        CHECK(gram[k * side + k] / aspect < 1.13 * 1.13 + 0.02);
      }
      CHECK(trace / static_cast<double>(side) > 0.68 * 0.68);
      CHECK(trace / static_cast<double>(side) < 1.13 * 1.13);
    }
  }

  TEST_CASE("every optimizer trains the residual network") {
    struct Rate {
      OptimizerKind kind;
      double rate;
    };
    for (const Rate rate : {Rate{OptimizerKind::Sgd, 0.2}, Rate{OptimizerKind::Momentum, 0.02},
                            Rate{OptimizerKind::AdamW, 0.003}, Rate{OptimizerKind::NAdam, 0.003},
                            Rate{OptimizerKind::Muon, 0.02}}) {
      ArmSpec arm = mlp_arm(paci(4, 512, 8), rate.rate, 1);
      arm.optimizer.kind = rate.kind;
      const Training training = trained(arm);
      REQUIRE(training.test_loss().has_value());
      MESSAGE("optimizer " << static_cast<int>(rate.kind) << ": test loss "
                           << *training.test_loss());
      CHECK(*training.test_loss() < 2.8);
    }
  }

  TEST_CASE("settings that cannot be are refused") {
    OptimizerSpec s;
    CHECK(check(s).empty());
    s.rate = std::nan("");
    s.beta1 = 1;
    s.beta2 = -0.1;
    s.momentum = 2;
    s.epsilon = 0;
    s.decay = -1;
    s.clip = -1;
    s.vector_rate = -1;
    CHECK(check(s).size() == 8);
  }
}

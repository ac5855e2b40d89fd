// The replay itself. C1, C3, C5, C6, C11 of convergence.md, and what it refuses.
#include "learn/training.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "learn/arms.hpp"

using namespace sluice;
using namespace sluice_test;
using learn::ArmSpec;
using learn::OptimizerKind;
using learn::Training;

namespace {

std::vector<float> weights_of(const Training& training, std::uint32_t stage) {
  const float* begin = training.weights(stage);
  return {begin, begin + training.model().stages()[stage].size()};
}

// The gradient of every stage for samples first .. first + count - 1, at the given weights.
std::vector<std::vector<float>> gradients(const learn::Model<float>& model,
                                          const std::vector<std::vector<float>>& weights,
                                          std::uint64_t seed, std::uint32_t first,
                                          std::uint32_t count) {
  const auto stages = static_cast<std::uint32_t>(weights.size());
  learn::Workspace<float> work(model.workspace(count));
  learn::Batch<float> batch;
  model.load(seed, first, count, batch);
  std::vector<float> x(count * model.boundary());
  std::vector<float> y(x.size());
  std::vector<std::vector<float>> kept;
  for (std::uint32_t s = 0; s < stages; ++s) {
    kept.emplace_back(count * model.kept(s));
    model.forward(s, batch, x.data(), weights[s].data(), kept[s].data(), y.data(), work);
    x.swap(y);
  }
  std::vector<std::vector<float>> out;
  for (const auto& stage : weights) out.emplace_back(stage.size());
  for (std::uint32_t s = stages; s-- > 0;) {
    model.backward(s, batch, x.data(), kept[s].data(), weights[s].data(), y.data(), out[s].data(),
                   work);
    x.swap(y);
  }
  return out;
}

std::vector<std::vector<float>> first_weights(const learn::Model<float>& model,
                                              std::uint64_t seed) {
  std::vector<std::vector<float>> out;
  for (std::uint32_t s = 0; s < model.stages().size(); ++s) {
    out.emplace_back(model.stages()[s].size());
    model.stages()[s].initialise(seed, s, out[s].data());
  }
  return out;
}

const Diagnostics refusal(const ArmSpec& arm) {
  const auto result = Training::start(arm);
  REQUIRE_FALSE(result.ok());
  return result.diagnostics();
}

}  // namespace

TEST_SUITE("learn/training") {
  TEST_CASE("C1: a table without drift is plain accumulation of gradients, bit by bit") {
    for (const learn::ModelSpec& spec : {learn::char_mlp_model(4), learn::transformer_model(2)}) {
      ArmSpec arm = mlp_arm(sync(spec.stages, 40, 8), 0.05, 7);
      arm.model = spec;
      arm.optimizer.kind = OptimizerKind::Sgd;
      const std::uint32_t batch = spec.batch;
      const learn::Model<float> model(spec);
      auto weights = first_weights(model, arm.seed);
      const auto rate = static_cast<float>(arm.optimizer.rate);
      for (std::uint32_t u = 0; u < 5; ++u) {
        auto sum = gradients(model, weights, arm.seed, u * 8 * batch, batch);
        for (std::uint32_t i = 1; i < 8; ++i) {
          const auto more = gradients(model, weights, arm.seed, (u * 8 + i) * batch, batch);
          for (std::size_t s = 0; s < sum.size(); ++s)
            for (std::size_t k = 0; k < sum[s].size(); ++k) sum[s][k] += more[s][k];
        }
        for (std::size_t s = 0; s < sum.size(); ++s)
          for (std::size_t k = 0; k < sum[s].size(); ++k)
            weights[s][k] -= rate * (sum[s][k] / 8.0F);
      }
      const Training training = trained(arm);
      for (std::uint32_t s = 0; s < spec.stages; ++s) CHECK(weights_of(training, s) == weights[s]);
      // It has learned: below what guessing every character alike would cost.
      CHECK(*training.test_loss() < training.curve().front().train);
    }
  }

  TEST_CASE("C3: at rate 0 no optimizer changes a bit of the weights") {
    for (const auto kind : {OptimizerKind::Sgd, OptimizerKind::Momentum, OptimizerKind::AdamW,
                            OptimizerKind::NAdam, OptimizerKind::Muon}) {
      ArmSpec arm = mlp_arm(paci(3, 16, 2), 0, 8);
      arm.optimizer.kind = kind;
      arm.optimizer.vector_rate = 0;
      const std::uint64_t before = started(arm).weights_hash();
      CHECK(trained(arm).weights_hash() == before);
    }
  }

  TEST_CASE("C5: stashing matters from two stages on, for one linear layer a stage from three") {
    const auto differ = [](learn::ModelSpec model) {
      std::uint64_t hash[2];
      for (const bool stash : {false, true}) {
        ArmSpec arm = mlp_arm(pipedream(model.stages, 24, stash), 0.005, 9);
        arm.model = model;
        hash[stash ? 1 : 0] = trained(arm).weights_hash();
      }
      return hash[0] != hash[1];
    };
    CHECK_FALSE(differ(learn::char_mlp_model(1)));
    CHECK(differ(learn::char_mlp_model(2)));
    CHECK_FALSE(differ(learn::linear_model(1)));
    CHECK_FALSE(differ(learn::linear_model(2)));
    CHECK(differ(learn::linear_model(3)));
  }

  TEST_CASE("C6: 2BW on a quadratic is gradient descent with the weights before the last") {
    constexpr std::uint32_t kPerUpdate = 5;
    constexpr float kCurvature = 1.7F;
    constexpr float kRate = 0.3F;
    const auto arm = quadratic_arm(two_buffers(1, 20 * kPerUpdate, kPerUpdate),
                                   static_cast<double>(kCurvature), static_cast<double>(kRate));
    float before = 1;
    float now = 1;
    for (int u = 0; u < 20; ++u) {
      float sum = kCurvature * before;
      for (std::uint32_t j = 1; j < kPerUpdate; ++j) sum += kCurvature * before;
      const float next = now - kRate * (sum / static_cast<float>(kPerUpdate));
      before = now;
      now = next;
    }
    CHECK(*trained(arm).weights(0) == now);
  }

  TEST_CASE("C11, E6: pipelines with 5 and 3 samples weigh 5/8 and 3/8, in their order") {
    ArmSpec arm = mlp_arm(sync(3, 2, 2), 0.1, 10);
    arm.optimizer.kind = OptimizerKind::Sgd;
    arm.samples = {5, 3};
    arm.weights = {0.625F, 0.375F};
    const learn::Model<float> model(arm.model);
    const auto weights = first_weights(model, arm.seed);
    const auto five = gradients(model, weights, arm.seed, 0, 5);
    const auto three = gradients(model, weights, arm.seed, 5, 3);
    const auto eight = gradients(model, weights, arm.seed, 0, 8);
    const Training training = trained(arm);
    const auto rate = static_cast<float>(arm.optimizer.rate);
    for (std::uint32_t s = 0; s < 3; ++s) {
      std::vector<float> expected = weights[s];
      bool near_one_batch = true;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const float sum = 0.625F * five[s][k] + 0.375F * three[s][k];
        expected[k] -= rate * sum;
        near_one_batch = near_one_batch && std::fabs(sum - eight[s][k]) < 1e-6F;
      }
      CHECK(weights_of(training, s) == expected);
      CHECK(near_one_batch);
    }
  }

  TEST_CASE("one microbatch at a time gives what all at once do") {
    ArmSpec arm = mlp_arm(paci(4, 50, 4), 0.05, 11);
    arm.test_every = 16;
    Training once = started(arm);
    CHECK(once.step(50));
    Training slowly = started(arm);
    for (std::uint32_t i = 0; i < 50; ++i) CHECK(slowly.step(1) == (i == 49));
    CHECK(slowly.weights_hash() == once.weights_hash());
    CHECK(slowly.curve() == once.curve());
    REQUIRE(once.curve().size() == 4);
    CHECK(once.curve()[0].samples == 128);
    CHECK(once.curve().back().samples == 400);
    CHECK(once.test_loss() == once.curve().back().test);
    CHECK(once.curve().back().test < once.curve()[0].test);
  }

  TEST_CASE("a predicted forward reads w - delay times the last change") {
    constexpr float kRate = 0.05F;
    ArmSpec arm = quadratic_arm(
        table(
            1, 30, 1, [](std::uint32_t i, std::uint32_t) { return i < 2 ? 0 : i - 2; },
            [](std::uint32_t i, std::uint32_t) { return i; }),
        1, static_cast<double>(kRate));
    arm.optimizer.kind = OptimizerKind::Momentum;
    arm.optimizer.predict = true;
    std::vector<float> x{1};
    std::vector<float> change{0};
    float mean = 0;
    for (std::size_t i = 0; i < 30; ++i) {
      const std::size_t read = i < 2 ? 0 : i - 2;
      const float seen = x[read] - static_cast<float>(i - read) * change[read];
      mean = 0.9F * mean + seen;
      change.push_back(kRate * mean);
      x.push_back(x.back() - change.back());
    }
    CHECK(*trained(arm).weights(0) == x.back());
  }

  TEST_CASE("the rate rises over the warm-up, and is lower where forwards are behind") {
    ArmSpec arm = quadratic_arm(sync(1, 4, 1), 1, 0.25);
    arm.optimizer.warm_up = 4;
    // 1 - 1/16, 1 - 2/16, 1 - 3/16, 1 - 4/16: exact in binary.
    CHECK(*trained(arm).weights(0) == 0.9375F * 0.875F * 0.8125F * 0.75F);
    ArmSpec behind = quadratic_arm(two_buffers(1, 4, 1), 1, 0.25);
    behind.optimizer.scale_by_delay = true;
    // Three of four forwards are one update behind.
    const auto rate = static_cast<float>(0.25 / 1.75);
    float before = 1;
    float now = 1;
    for (int u = 0; u < 4; ++u) {
      const float next = now - rate * before;
      before = now;
      now = next;
    }
    CHECK(*trained(behind).weights(0) == now);
  }

  TEST_CASE("a run that is lost says so, and stops") {
    const Training training = trained(mlp_arm(sync(8, 2048, 8), 2, 12));
    CHECK(training.diverged());
    CHECK(training.over());
    CHECK(training.done() < 1024);
    CHECK_FALSE(training.test_loss().has_value());
  }

  TEST_CASE("what does not fit together is refused, with where and why") {
    ArmSpec arm = mlp_arm(sync(4, 8, 4), 0.1, 1);
    arm.model.stages = 3;
    CHECK(refusal(arm)[0].path == "versions");
    arm = mlp_arm(sync(4, 8, 4), 0.1, 1);
    arm.samples = {8, 8};
    arm.weights = {1};
    CHECK(refusal(arm).size() == 2);
    arm = mlp_arm(sync(4, 8, 4), -1, 1);
    CHECK(refusal(arm)[0].path == "optimizer.rate");
    arm = mlp_arm(sync(4, 8, 4), 0.1, 1);
    arm.model.width = 0;
    CHECK(refusal(arm)[0].path == "model.width");
    arm = mlp_arm(sync(4, 8, 4), 0.1, 1);
    arm.table.forward[9] = 1;
    CHECK(refusal(arm)[0].path == "versions.forward[9]");
    // Every version of a transformer is asked for until the end: 4,000 of them.
    arm = mlp_arm(table(
                      1, 4000, 1, [](std::uint32_t, std::uint32_t) { return 0; },
                      [](std::uint32_t, std::uint32_t) { return 0; }),
                  0.1, 1);
    arm.model = learn::transformer_model(1);
    arm.model.width = 128;
    CHECK(refusal(arm)[0].code == Code::CapacityExceeded);
  }
}

// Models as chains of stages: gradients (C10 of convergence.md), samples, and how they begin.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learn/arms.hpp"
#include "learn/corpus.hpp"
#include "learn/finite_differences.hpp"
#include "learn/model.hpp"

using namespace sluice_test;
using namespace sluice::learn;

namespace {

// A model in double with its weights, one batch of samples, and what its passes need.
class Chain {
 public:
  explicit Chain(const ModelSpec& spec) : model(spec), work_(model.workspace(spec.batch)) {
    model.load(5, 0, spec.batch, batch);
    for (std::uint32_t s = 0; s < spec.stages; ++s) {
      weights.emplace_back(model.stages()[s].size());
      model.stages()[s].initialise(5, s, weights[s].data());
      kept_.emplace_back(spec.batch * model.kept(s));
    }
    x_.resize(spec.batch * model.boundary());
    y_.resize(x_.size());
  }

  double loss() {
    double out = 0;
    for (std::uint32_t s = 0; s < weights.size(); ++s) {
      out =
          model.forward(s, batch, x_.data(), weights[s].data(), kept_[s].data(), y_.data(), work_);
      x_.swap(y_);
    }
    return out;
  }

  std::vector<std::vector<double>> gradients() {
    loss();
    std::vector<std::vector<double>> out;
    for (const auto& stage : weights) out.emplace_back(stage.size());
    for (auto s = static_cast<std::uint32_t>(weights.size()); s-- > 0;) {
      model.backward(s, batch, x_.data(), kept_[s].data(), weights[s].data(), y_.data(),
                     out[s].data(), work_);
      x_.swap(y_);
    }
    return out;
  }

  Model<double> model;
  Batch<double> batch;
  std::vector<std::vector<double>> weights;

 private:
  Workspace<double> work_;
  std::vector<std::vector<double>> kept_;
  std::vector<double> x_;
  std::vector<double> y_;
};

void check_gradients(ModelSpec spec, std::size_t stride) {
  for (const std::uint32_t stages : {1U, 3U}) {
    if (spec.kind == ModelKind::Quadratic && stages > 1) continue;
    spec.stages = stages;
    REQUIRE(check(spec).empty());
    Chain chain(spec);
    const auto gradients = chain.gradients();
    for (std::uint32_t s = 0; s < stages; ++s) {
      const auto loss = [&] { return chain.loss(); };
      CHECK(gradient_error(loss, chain.weights[s].data(), gradients[s], stride) < 1e-5);
    }
  }
}

}  // namespace

TEST_SUITE("learn/models") {
  TEST_CASE("C10: quadratic and linear chain") {
    check_gradients(quadratic_model(2.5, 3), 1);
    ModelSpec linear = linear_model(1);
    linear.width = 6;
    linear.batch = 4;
    check_gradients(linear, 1);
  }
  TEST_CASE("C10: residual network") {
    ModelSpec spec = char_mlp_model(1);
    spec.width = 8;
    spec.batch = 5;
    check_gradients(spec, 3);
  }
  TEST_CASE("C10: transformer") {
    ModelSpec spec = transformer_model(1);
    spec.width = 8;
    spec.heads = 2;
    spec.context = 6;
    spec.batch = 2;
    check_gradients(spec, 5);
  }

  TEST_CASE("a sample depends on the seed and on its number, not on what is loaded with it") {
    for (const ModelSpec& spec : {char_mlp_model(2), transformer_model(2), linear_model(2)}) {
      const Model<float> model(spec);
      Batch<float> several;
      Batch<float> one;
      Batch<float> other;
      model.load(1, 40, 3, several);
      model.load(1, 42, 1, one);
      model.load(2, 42, 1, other);
      const auto end_of = [](const auto& values, const auto& end) {
        return std::equal(end.begin(), end.end(), values.end() - static_cast<int>(end.size()));
      };
      CHECK(end_of(several.tokens, one.tokens));
      CHECK(end_of(several.targets, one.targets));
      CHECK(end_of(several.inputs, one.inputs));
      CHECK_FALSE((one.tokens == other.tokens && one.inputs == other.inputs));
    }
  }

  TEST_CASE("the text is always the same, and its characters say much about the next") {
    const Corpus corpus = make_corpus();
    CHECK(corpus.train == make_corpus().train);
    CHECK(std::all_of(corpus.train.begin(), corpus.train.end(),
                      [](std::uint8_t c) { return c < kVocabulary; }));
    // Counts of what follows each pair of (class, character): bits of surprise, in nats.
    std::vector<double> counts(3 * kVocabulary * kVocabulary);
    std::vector<double> rows(3 * kVocabulary);
    for (std::size_t k = 2; k < corpus.train.size(); ++k) {
      const std::size_t row = corpus.train[k - 2] % 3 * kVocabulary + corpus.train[k - 1];
      counts[row * kVocabulary + corpus.train[k]] += 1;
      rows[row] += 1;
    }
    double surprise = 0;
    for (std::size_t k = 2; k < corpus.test.size(); ++k) {
      const std::size_t row = corpus.test[k - 2] % 3 * kVocabulary + corpus.test[k - 1];
      surprise -= std::log((counts[row * kVocabulary + corpus.test[k]] + 0.1) / (rows[row] + 3.2));
    }
    const double mean = surprise / static_cast<double>(corpus.test.size() - 2);
    MESSAGE("counting gives a test loss of " << mean << "; guessing " << std::log(32.0));
    CHECK(mean < 1.75);
    CHECK(mean > 1.2);
  }

  TEST_CASE("a model begins near the loss of guessing, and a transformer learns") {
    ArmSpec arm = mlp_arm(sync(2, 96, 4), 0, 1);
    arm.model = transformer_model(2);
    arm.optimizer.kind = OptimizerKind::AdamW;
    arm.optimizer.rate = 0.003;
    arm.test_every = 48;
    const Training training = trained(arm);
    REQUIRE(training.curve().size() == 2);
    CHECK(training.curve()[0].train < 1.2 * std::log(32.0));
    CHECK(training.curve()[1].test < training.curve()[0].test);
    CHECK(training.curve()[1].test < 2.9);
    std::size_t weights = 0;
    const Model<float> eight(transformer_model(8));
    for (const StageParameters& stage : eight.stages()) weights += stage.size();
    CHECK(weights > 390'000);
    CHECK(weights < 420'000);
  }

  TEST_CASE("sizes that cannot be are refused") {
    ModelSpec spec = transformer_model(4);
    spec.heads = 7;
    CHECK(check(spec)[0].path == "model.heads");
    spec = quadratic_model(1);
    spec.stages = 2;
    CHECK(check(spec)[0].path == "model.stages");
    spec = quadratic_model(-1);
    CHECK(check(spec)[0].path == "model.curvature");
    CHECK(check(char_mlp_model(8)).empty());
  }
}

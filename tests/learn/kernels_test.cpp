// Each kernel: its order of summation, and its gradients (C10 of convergence.md).
#include "learn/kernels.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "learn/attention.hpp"
#include "learn/finite_differences.hpp"

using namespace sluice_test;
using namespace sluice::learn;

namespace {

using Values = std::vector<double>;
constexpr double kEnough = 1e-5;

}  // namespace

TEST_SUITE("learn/kernels") {
  TEST_CASE("a product of any shape is summed from the first to the last, bit by bit") {
    struct Shape {
      std::size_t rows, inner, columns;
    };
    for (const Shape shape : {Shape{1, 1, 1}, Shape{5, 7, 3}, Shape{8, 32, 64}, Shape{9, 33, 70}}) {
      const Values noise_a = noise(shape.rows * shape.inner, 1);
      const Values noise_b = noise(shape.inner * shape.columns, 2);
      const std::vector<float> a(noise_a.begin(), noise_a.end());
      const std::vector<float> b(noise_b.begin(), noise_b.end());
      std::vector<float> expected(shape.rows * shape.columns);
      for (std::size_t i = 0; i < shape.rows; ++i) {
        for (std::size_t j = 0; j < shape.columns; ++j) {
          float sum = 0;
          for (std::size_t l = 0; l < shape.inner; ++l)
            sum += a[i * shape.inner + l] * b[l * shape.columns + j];
          expected[i * shape.columns + j] = sum;
        }
      }
      std::vector<float> c(expected.size(), 1);
      linear<float>(a.data(), b.data(), shape.rows, shape.inner, shape.columns, c.data());
      CHECK(c == expected);
      linear<float>(a.data(), b.data(), shape.rows, shape.inner, shape.columns, c.data(),
                    Into::Add);
      for (float& e : expected) e += e;
      CHECK(c == expected);
      // Both turned: (b^T a^T)^T.
      std::vector<float> turned(a.size());
      transpose(a.data(), shape.inner, shape.rows, shape.inner, turned.data());
      std::vector<float> d(c.size());
      multiply<float>({b.data(), 1, shape.columns}, {turned.data(), shape.rows},
                      {d.data(), 1, shape.columns}, shape.columns, shape.inner, shape.rows);
      for (float& e : d) e += e;
      CHECK(d == expected);
    }
  }

  TEST_CASE("C10: linear") {
    Values x = noise(5 * 7, 1);
    Values w = noise(7 * 3, 2);
    const Values dy = noise(5 * 3, 3);
    const auto loss = [&] {
      Values y(15);
      linear<double>(x.data(), w.data(), 5, 7, 3, y.data());
      return sum_of_products(y, dy);
    };
    Values dw(w.size());
    Values dx(x.size());
    Values turned(w.size());
    linear_weights<double>(x.data(), dy.data(), 5, 7, 3, dw.data());
    linear_input<double>(dy.data(), w.data(), 5, 7, 3, dx.data(), turned.data());
    CHECK(gradient_error(loss, w.data(), dw) < kEnough);
    CHECK(gradient_error(loss, x.data(), dx) < kEnough);
  }

  TEST_CASE("C10: RMS norm and gains") {
    Values x = noise(4 * 11, 1);
    Values gains = noise(11, 2);
    const Values dy = noise(x.size(), 3);
    Values plain(x.size());
    Values inverse(4);
    const auto loss = [&] {
      Values y(x.size());
      rms_norm(x.data(), 4, 11, plain.data(), inverse.data());
      gain(plain.data(), gains.data(), 4, 11, y.data());
      return sum_of_products(y, dy);
    };
    loss();
    Values dgains(11);
    Values dplain(x.size());
    Values dx(x.size());
    gain_weights(plain.data(), dy.data(), 4, 11, dgains.data());
    gain(dy.data(), gains.data(), 4, 11, dplain.data());
    rms_norm_input(dplain.data(), plain.data(), inverse.data(), 4, 11, dx.data(), Into::Store);
    CHECK(gradient_error(loss, gains.data(), dgains) < kEnough);
    CHECK(gradient_error(loss, x.data(), dx) < kEnough);
  }

  TEST_CASE("C10: ReLU and GELU") {
    Values x = noise(64, 1);
    const Values dy = noise(64, 2);
    const auto relu_loss = [&] {
      Values y = x;
      relu(y.data(), y.size());
      return sum_of_products(y, dy);
    };
    Values y = x;
    Values dx = dy;
    relu(y.data(), y.size());
    relu_input(y.data(), y.size(), dx.data());
    CHECK(gradient_error(relu_loss, x.data(), dx) < kEnough);

    Values bend(64);
    const auto gelu_loss = [&] {
      gelu(x.data(), x.size(), y.data(), bend.data());
      return sum_of_products(y, dy);
    };
    gelu_loss();
    dx = dy;
    gelu_input(x.data(), bend.data(), x.size(), dx.data());
    CHECK(gradient_error(gelu_loss, x.data(), dx) < kEnough);
    // Far out it is 0 or x: tanh saturates, and nothing overflows into what is not a number.
    Values far{-300, 300};
    gelu(far.data(), 2, y.data(), bend.data());
    CHECK(y[0] == 0);
    CHECK(y[1] == 300);
  }

  TEST_CASE("C10: cross-entropy") {
    Values x = noise(3 * 6, 1);
    const std::vector<std::uint8_t> targets{5, 0, 2};
    Values probabilities;
    const auto loss = [&] {
      probabilities = x;
      return cross_entropy(probabilities.data(), targets.data(), 3, 6);
    };
    loss();
    Values dx(x.size());
    cross_entropy_input(probabilities.data(), targets.data(), 3, 6, dx.data());
    CHECK(gradient_error(loss, x.data(), dx) < kEnough);
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      const double kept = x[8];
      x[8] = bad;
      CHECK(std::isfinite(loss()) == (bad < 0));
      x[8] = kept;
    }
    // All alike: log 6.
    x.assign(x.size(), 4);
    CHECK(loss() == doctest::Approx(std::log(6.0)));
  }

  TEST_CASE("C10: embedding") {
    Values rows = noise(5 * 4, 1);
    const std::vector<std::uint8_t> tokens{3, 1, 3, 0};
    const Values dy = noise(4 * 4, 2);
    const auto loss = [&] {
      Values y(16);
      embed(rows.data(), tokens.data(), 4, 4, y.data());
      return sum_of_products(y, dy);
    };
    Values drows(rows.size());
    embed_weights(dy.data(), tokens.data(), 4, 4, drows.data());
    CHECK(gradient_error(loss, rows.data(), drows) < kEnough);
  }

  TEST_CASE("C10: causal attention, which sees nothing that comes after") {
    const AttentionShape shape{.positions = 7, .heads = 2, .width = 6};
    const std::size_t size = 42;
    Values q = noise(size, 1);
    Values k = noise(size, 2);
    Values v = noise(size, 3);
    const Values dy = noise(size, 4);
    Values probabilities(shape.kept());
    Values y(size);
    Workspace<double> work(shape.workspace());
    const auto loss = [&] {
      work.clear();
      attention(shape, q.data(), k.data(), v.data(), probabilities.data(), y.data(), work);
      return sum_of_products(y, dy);
    };
    loss();
    Values dq(size);
    Values dk(size);
    Values dv(size);
    work.clear();
    attention_input(shape, q.data(), k.data(), v.data(), probabilities.data(), dy.data(), dq.data(),
                    dk.data(), dv.data(), work);
    CHECK(gradient_error(loss, q.data(), dq) < kEnough);
    CHECK(gradient_error(loss, k.data(), dk) < kEnough);
    CHECK(gradient_error(loss, v.data(), dv) < kEnough);
    loss();
    const Values before = y;
    for (std::size_t c = 0; c < shape.width; ++c) v[5 * shape.width + c] += 1;
    loss();
    for (std::size_t c = 0; c < 5 * shape.width; ++c) CHECK(y[c] == before[c]);
    CHECK(y[5 * shape.width] != before[5 * shape.width]);
  }
}

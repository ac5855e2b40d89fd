// Times and sizes of transformer stages, by hand.
#include "cost/transformer.hpp"

#include <doctest/doctest.h>

using namespace sluice;

namespace {

// A device of 1 TFLOP/s and 1 GB/s, and a calibration in which only what is set costs anything.
Device slow_device() {
  Device d;
  d.preset = "slow";
  d.peak = {1e12};
  d.memory_bandwidth = {1e9};
  return d;
}

Calibration bare() {
  Calibration c;
  c.otherwise.matmul_efficiency = 1;
  c.otherwise.bandwidth_efficiency = 1;
  return c;
}

ModelShape small() {
  ModelShape m;
  m.hidden_dim = 100;
  m.seq_len = 10;
  m.vocab_size = 1000;
  m.heads = 4;
  return complete(m);
}

TransformerStage layers(int n, bool first = false, bool last = false) {
  return {n, first, last};
}

}  // namespace

TEST_SUITE("cost/transformer") {
  TEST_CASE("a layer's parameters: 12 h^2 of matrices and 13 h of norms and biases") {
    CHECK(stage_parameters(small(), layers(3)) == 3 * (12 * 1e4 + 13 * 100));
    CHECK(stage_parameters(small(), layers(0, true)) == 1000 * 100);
    CHECK(stage_parameters(small(), layers(0, true, true)) == 2 * 1000 * 100);
    ModelShape tied = small();
    tied.tied_embeddings = true;
    CHECK(stage_parameters(tied, layers(0, true, true)) == 1000 * 100);
    // Grouped queries and a gated block: h (2 q + 2 kv) + 3 h ffn, and two norms without biases.
    ModelShape m = small();
    m.kv_heads = 1;
    m.gated = true;
    m.ffn_dim = 300;
    CHECK(stage_parameters(m, layers(1)) == 100 * (2 * 100 + 2 * 25) + 3 * 100 * 300 + 200);
  }
  TEST_CASE("arithmetic: two operations a weight and token, attention's products, twice backward") {
    // 2 * 10 tokens * 120,000 weights + 4 * 10 * 10 * 100.
    CHECK(stage_flops(small(), layers(1), 1) == 2.4e6 + 4e4);
    const auto ms = [](OpPart part) {
      return stage_time(part, small(), layers(1), slow_device(), bare(), 1).ms;
    };
    CHECK(ms(OpPart::Forward) == doctest::Approx(2.44e-3));
    CHECK(ms(OpPart::Backward) == doctest::Approx(4.88e-3));
    CHECK(ms(OpPart::InputGrad) + ms(OpPart::WeightGrad) == doctest::Approx(ms(OpPart::Backward)));
    CHECK(ms(OpPart::WeightGrad) == doctest::Approx(2.4e-3));
  }
  TEST_CASE("a tensor-parallel group divides the work and adds two sums a layer and direction") {
    TransformerStage stage = layers(1);
    stage.tensor = {.size = 2, .bandwidth = {1e6}, .latency = Time{1'000'000}};
    const auto time = [&](OpPart part, Recompute recompute) {
      return stage_time(part, small(), stage, slow_device(), bare(), 1, recompute);
    };
    // 2 S b h bytes of two devices over 1 MB/s, and two messages of 1 us.
    const double sum = 2 * 10 * 100 / 1e6 * 1e3 + 2 * 1e-3;
    CHECK(all_reduce_ms(2000, 2, {1e6}, Time{1'000'000}) == doctest::Approx(sum));
    CHECK(all_reduce_ms(2000, 4, {1e6}, Time{}) == doctest::Approx(1.5 * 2));
    CHECK(all_reduce_ms(2000, 1, {1e6}, Time{1'000'000}) == 0);
    CHECK(time(OpPart::Forward, Recompute::None).ms == doctest::Approx(2.44e-3 / 2 + 2 * sum));
    CHECK(time(OpPart::Backward, Recompute::None).ms == doctest::Approx(4.88e-3 / 2 + 2 * sum));
    CHECK(time(OpPart::WeightGrad, Recompute::None).ms == doctest::Approx(2.4e-3 / 2));
    CHECK(time(OpPart::InputGrad, Recompute::None).terms.tensor_parallel_ms ==
          doctest::Approx(2 * sum));
    // A layer made again sums up again.
    CHECK(time(OpPart::Backward, Recompute::Full).ms == doctest::Approx(7.32e-3 / 2 + 4 * sum));
  }
  TEST_CASE("element-wise work of a group: what is not divided every device does, 10 of 34") {
    Calibration c = bare();
    c.constants.elementwise_forward_bytes = 1000;
    TransformerStage stage = layers(1);
    stage.tensor.size = 4;
    stage.tensor.bandwidth = {1e9};
    const auto elementwise = [&] {
      return stage_time(OpPart::Forward, small(), stage, slow_device(), c, 1).terms.elementwise_ms;
    };
    CHECK(elementwise() == doctest::Approx((10 + 24.0 / 4) / 34));
    stage.tensor.sequence = true;
    CHECK(elementwise() == doctest::Approx(1.0 / 4));
  }
  TEST_CASE("a host slower than the device decides, and a mixed stage is neither sum nor maximum") {
    Calibration c = bare();
    c.otherwise.host_forward_ms = 6;
    // Six launches of 1 ms, work of next to nothing behind each.
    CHECK(stage_time(OpPart::Forward, small(), layers(1), slow_device(), c, 1).ms ==
          doctest::Approx(6 + 2.44e-3 / 6));
    // Host-bound layers, then a head of two halves whose work outlasts its launches: it begins with
    // the first of them, at 6.5, and takes 100.002.
    c.constants.head_forward_ms = 1;
    c.constants.logits_forward_bytes = 1e4;
    const PartTime t =
        stage_time(OpPart::Forward, small(), layers(1, false, true), slow_device(), c, 1);
    CHECK(t.terms.head_ms == doctest::Approx(100.002));
    CHECK(t.ms == doctest::Approx(6.5 + 100.002));
    CHECK(t.terms.dispatch_ms == doctest::Approx(7));
  }
  TEST_CASE("what fits the cache is faster by its gain, and twice the samples are twice the work") {
    Calibration c = bare();
    c.constants.elementwise_forward_bytes = 1000;
    c.constants.cache_share = 0.5;
    c.constants.cache_gain = 8;
    const auto elementwise = [&](double samples) {
      return stage_time(OpPart::Forward, small(), layers(1), slow_device(), c, samples)
          .terms.elementwise_ms;
    };
    // 1000 B x 10 x 100 at 1 GB/s.
    CHECK(elementwise(1) == doctest::Approx(1));
    CHECK(elementwise(2) == doctest::Approx(2));
    // The tensor has 2 x 10 x 400 B; half of 8 kB holds half of it.
    c.otherwise.l2_MB = 0.008;
    CHECK(elementwise(1) == doctest::Approx(0.5 + 0.5 / 8));
  }
}

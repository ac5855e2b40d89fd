// Operators made again one by one: bytes freed, time paid, working set, by hand.
#include "cost/recompute.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

#include "cost/memory.hpp"
#include "cost/transformer.hpp"

using namespace sluice;

namespace {

// GPT-3 175B as in Korthikanti et al. 2022: a S is 16 h.
ModelShape gpt3(AttentionKind attention = AttentionKind::Unfused) {
  ModelShape m;
  m.hidden_dim = 12288;
  m.seq_len = 2048;
  m.heads = 96;
  m.vocab_size = 51200;
  m.attention = attention;
  return complete(m);
}

constexpr std::int64_t kX = 2048LL * 12288;

Recompute of(std::initializer_list<Operator> operators,
             std::int64_t layers = Recompute::kAllLayers) {
  Recompute r{.kind = Recompute::Kind::Operators, .layers = {}};
  for (const Operator o : operators) r.layers[static_cast<std::size_t>(o)] = layers;
  return r;
}

StageMemory memory(const Recompute& recompute, int layers = 1, int ranks = 1,
                   AttentionKind attention = AttentionKind::Unfused) {
  TransformerStage stage{.layers = layers};
  stage.tensor.size = ranks;
  return stage_memory(gpt3(attention), stage, Precision::Bf16, 1, recompute, Bytes{0});
}

// In units of S b h.
double freed(const Recompute& recompute, int layers = 1, int ranks = 1,
             AttentionKind attention = AttentionKind::Unfused) {
  return static_cast<double>(memory(Recompute::None, layers, ranks, attention).activation.value -
                             memory(recompute, layers, ranks, attention).activation.value) /
         static_cast<double>(kX);
}

// 1 TFLOP/s and 1 GB/s, all of it reached; nothing but arithmetic and what is made again takes
// time.
double paid_ms(OpPart part, const Recompute& recompute,
               AttentionKind attention = AttentionKind::Unfused) {
  Device d;
  d.peak = {1e12};
  d.memory_bandwidth = {1e9};
  Calibration c;
  c.otherwise.matmul_efficiency = c.otherwise.bandwidth_efficiency = 1;
  const TransformerStage stage{.layers = 1};
  const auto ms = [&](const Recompute& r) {
    return stage_time(part, gpt3(attention), stage, d, c, 1, r).ms;
  };
  return ms(recompute) - ms(Recompute::None);
}

double flop_ms(double flops) {
  return flops / 1e12 * 1e3;
}
double moved_ms(double bytes) {
  return bytes / 1e9 * 1e3;
}

}  // namespace

TEST_SUITE("cost/recompute") {
  TEST_CASE("bytes freed: X a norm twice, 6 X, 2 X, 8 X, and 5 a S^2 b of scores in three parts") {
    CHECK(freed(of({Operator::Norm1})) == 2);
    CHECK(freed(of({Operator::Norm2})) == 2);
    CHECK(freed(of({Operator::Queries})) == 6);
    CHECK(freed(of({Operator::Context})) == 2);
    CHECK(freed(of({Operator::Inner})) == 8);
    CHECK(freed(of({Operator::Nonlinear})) == 8);
    CHECK(freed(of({Operator::Softmax})) == 2 * 16);
    CHECK(freed(of({Operator::Dropout})) == 2 * 16);
    CHECK(freed(of({Operator::DropoutMask})) == 16);
    CHECK(freed(of({Operator::Scores})) == 0);
    // Together with the mask: 70 % of GPT-3's activations, Megatron's selective recomputation.
    CHECK(freed(of({Operator::Softmax, Operator::Dropout, Operator::DropoutMask})) == 80);
    CHECK(freed(Recompute::Selective) == 80);
  }
  TEST_CASE("a tensor-parallel rank frees its part of what the ranks divide") {
    CHECK(freed(of({Operator::Queries}), 1, 8) == 6.0 / 8);
    CHECK(freed(of({Operator::Norm1}), 1, 8) == 2);
  }
  TEST_CASE("in so many of a stage's layers, from its first on") {
    CHECK(freed(of({Operator::Softmax}, 2), 3) == 2 * 32);
    CHECK(freed(of({Operator::Softmax}, 5), 3) == 3 * 32);
  }
  TEST_CASE("time: each operator once, with what it needs and nothing keeps") {
    const double s = 2048;
    const double h = 12288;
    const double score_bytes = 96 * s * s;
    const auto backward = [&](const Recompute& r) { return paid_ms(OpPart::Backward, r); };
    CHECK(backward(of({Operator::Queries})) == doctest::Approx(flop_ms(6 * s * h * h)));
    CHECK(backward(of({Operator::Inner})) == doctest::Approx(flop_ms(8 * s * h * h)));
    CHECK(backward(of({Operator::Context})) == doctest::Approx(flop_ms(2 * s * s * h)));
    CHECK(backward(of({Operator::Norm1})) == doctest::Approx(moved_ms(4 * s * h)));
    CHECK(backward(of({Operator::Nonlinear})) == doctest::Approx(moved_ms(16 * s * h)));
    CHECK(backward(of({Operator::Dropout})) == doctest::Approx(moved_ms(4 * score_bytes)));
    CHECK(backward(of({Operator::DropoutMask})) == doctest::Approx(0));
    const double softmax = flop_ms(2 * s * s * h) + moved_ms(6 * score_bytes);
    CHECK(backward(of({Operator::Softmax})) == doctest::Approx(softmax));
    // Its scores are in it already.
    CHECK(backward(of({Operator::Softmax, Operator::Scores})) == doctest::Approx(softmax));
    CHECK(backward(of({Operator::Softmax, Operator::Queries})) ==
          doctest::Approx(softmax + flop_ms(6 * s * h * h)));
  }
  TEST_CASE("fused attention keeps no scores: they free and cost nothing, the context all of it") {
    const Recompute scores = of({Operator::Softmax, Operator::Dropout, Operator::DropoutMask});
    CHECK(freed(scores, 1, 1, AttentionKind::Flash) == 0);
    CHECK(paid_ms(OpPart::Backward, scores, AttentionKind::Flash) == doctest::Approx(0));
    CHECK(paid_ms(OpPart::Backward, of({Operator::Context}), AttentionKind::Flash) ==
          doctest::Approx(flop_ms(4.0 * 2048 * 2048 * 12288)));
  }
  TEST_CASE(
      "a split backward pays before I; norms once more before W, other outputs stay until W") {
    const Recompute inner = of({Operator::Inner});
    CHECK(paid_ms(OpPart::InputGrad, inner) ==
          doctest::Approx(flop_ms(8.0 * 2048 * 12288 * 12288)));
    CHECK(paid_ms(OpPart::WeightGrad, inner) == doctest::Approx(0));
    CHECK(memory(inner).kept_for_weights.value == 32 * kX);
    const Recompute norms = of({Operator::Norm1, Operator::Norm2});
    for (const OpPart part : {OpPart::InputGrad, OpPart::WeightGrad})
      CHECK(paid_ms(part, norms) == doctest::Approx(moved_ms(8.0 * 2048 * 12288)));
    CHECK(memory(norms).kept_for_weights.value == (32 - 4) * kX);
    CHECK(memory(norms).working.weight_grad.value == 4 * kX);
  }
  TEST_CASE("#25 torchtitan#773: split, a whole layer is made again before I and before W") {
    const double forward = flop_ms(24.0 * 2048 * 12288 * 12288 + 4.0 * 2048 * 2048 * 12288);
    CHECK(paid_ms(OpPart::Backward, Recompute::Full) == doctest::Approx(forward));
    CHECK(paid_ms(OpPart::InputGrad, Recompute::Full) == doctest::Approx(forward));
    CHECK(paid_ms(OpPart::WeightGrad, Recompute::Full) == doctest::Approx(forward));
    // In between its input, 2 S b h, and the gradients behind its matrices: 6 + 2 + 8 + 2.
    CHECK(memory(Recompute::Full).activation.value == 2 * kX);
    CHECK(memory(Recompute::Full).kept_for_weights.value == (2 + 18) * kX);
  }
  TEST_CASE("what is made again is there while its layer's backward runs") {
    const auto flash = [](const Recompute& r) {
      return memory(r, 2, 1, AttentionKind::Flash).working.backward.value;
    };
    CHECK(flash(of({Operator::Inner})) == (9 + 8) * kX);
    // The second layer's scores, 80, and behind it the block's gradients, 18.
    CHECK(memory(of({Operator::Softmax, Operator::Dropout, Operator::DropoutMask}), 2)
              .working.backward.value == (80 + 18) * kX);
  }
}

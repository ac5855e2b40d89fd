// What is worth making again: the hull of all sets of operators.
#include "cost/recompute_menu.hpp"

#include <doctest/doctest.h>

#include "cost/memory.hpp"
#include "io/model_presets.hpp"
#include "io/presets.hpp"

using namespace sluice;

namespace {

ModelShape shape(std::int64_t hidden, std::int64_t heads, std::int64_t seq, bool unfused) {
  ModelShape m;
  m.hidden_dim = hidden;
  m.heads = heads;
  m.seq_len = seq;
  m.layers = 8;
  m.attention = unfused ? AttentionKind::Unfused : AttentionKind::Flash;
  return complete(m);
}

Device device(double tflops, double GBps) {
  Device d;
  d.peak = {tflops * 1e12};
  d.memory_bandwidth = {GBps * 1e9};
  return d;
}

double value(const MenuEntry& a, const MenuEntry& b) {
  return (b.extra_ms - a.extra_ms) / (b.freed - a.freed);
}

}  // namespace

TEST_SUITE("cost/recompute_menu") {
  TEST_CASE("no set of operators lies below the line through its neighbours in the menu") {
    const Calibration& arithmetic = *load_presets().calibration("arithmetic");
    for (const bool unfused : {false, true}) {
      for (const int tensor : {1, 8}) {
        const ModelShape model = shape(4096, 32, 4096, unfused);
        TransformerStage stage{.layers = 3};
        stage.tensor = {.size = tensor, .sequence = false, .bandwidth = {1e11}, .latency = {}};
        const Device d = device(376, 1200);
        const auto hull = recompute_hull(model, stage, d, arithmetic, Precision::Bf16, 2);
        REQUIRE(hull.size() > 2);
        CHECK(hull.front() == MenuEntry{});
        for (std::size_t i = 1; i < hull.size(); ++i) {
          CHECK(hull[i].freed > hull[i - 1].freed);
          if (i > 1) CHECK(value(hull[i - 1], hull[i]) > value(hull[i - 2], hull[i - 1]));
        }
        // By brute force over all of them.
        stage.layers = 1;
        const Bytes kept =
            stage_memory(model, stage, Precision::Bf16, 2, Recompute::None, Bytes{0}).activation;
        for (unsigned set = 0; set < 1U << kOperators; ++set) {
          Recompute r{.kind = Recompute::Kind::Operators, .layers = {}};
          set_again(r, static_cast<OperatorSet>(set), Recompute::kAllLayers);
          const double ms =
              stage_time(OpPart::Backward, model, stage, d, arithmetic, 2, r).ms -
              stage_time(OpPart::Backward, model, stage, d, arithmetic, 2, Recompute::None).ms;
          const double freed = static_cast<double>(
              (kept - stage_memory(model, stage, Precision::Bf16, 2, r, Bytes{0}).activation)
                  .value);
          for (std::size_t i = 1; i < hull.size(); ++i) {
            if (freed < hull[i - 1].freed || freed > hull[i].freed) continue;
            const double line =
                hull[i - 1].extra_ms + (freed - hull[i - 1].freed) * value(hull[i - 1], hull[i]);
            CHECK(ms >= line - 1e-9);
          }
        }
      }
    }
  }

  TEST_CASE("of the models and devices of the tables nothing is lost by nested sets") {
    const Calibration& arithmetic = *load_presets().calibration("arithmetic");
    for (const double tflops : {376.0, 280.0, 312.0, 80.0}) {
      for (const std::int64_t seq : {1024, 2048, 8192}) {
        for (const int tensor : {1, 2, 4, 8}) {
          TransformerStage stage{.layers = 1};
          stage.tensor = {.size = tensor, .sequence = false, .bandwidth = {1e11}, .latency = {}};
          const ModelShape model = shape(5120, 40, seq, true);
          const Device d = device(tflops, 1200);
          CAPTURE(tflops);
          CAPTURE(seq);
          CAPTURE(tensor);
          CHECK(recompute_menu(model, stage, d, arithmetic, Precision::Bf16, 1) ==
                recompute_hull(model, stage, d, arithmetic, Precision::Bf16, 1));
        }
      }
    }
  }

  TEST_CASE("the mask and dropout go before softmax, and matrices last: bytes for their price") {
    const Calibration& arithmetic = *load_presets().calibration("arithmetic");
    const auto menu = recompute_menu(shape(4096, 32, 8192, true), {.layers = 1}, device(376, 1200),
                                     arithmetic, Precision::Bf16, 1);
    // A = a S^2, X = S h; 188 TFLOP/s and 1.2 TB/s.
    const double a = 32.0 * 8192 * 8192;
    const double x = 8192.0 * 4096;
    const auto ms = [](double flops, double bytes) { return flops / 188e9 + bytes / 1.2e9; };
    REQUIRE(menu.size() == 6);
    // The mask costs nothing.
    CHECK(menu[1] == MenuEntry{bit(Operator::DropoutMask), 0, a});
    // What only moves bytes: norms, dropout and the non-linearity free a byte for two, which they
    // read and write.
    CHECK(menu[2].freed == 3 * a + 12 * x);
    CHECK(menu[2].extra_ms == doctest::Approx(ms(0, 4 * a + 24 * x)));
    // Softmax, with the product of queries and keys.
    CHECK(menu[3].freed - menu[2].freed == 2 * a);
    CHECK(menu[3].extra_ms - menu[2].extra_ms ==
          doctest::Approx(ms(2.0 * 8192 * 8192 * 4096, 6 * a)));
    // Queries, keys and values and the first feed-forward matrix have one price; the context is
    // dearest.
    CHECK(menu[4].freed - menu[3].freed == 14 * x);
    CHECK(menu[4].extra_ms - menu[3].extra_ms == doctest::Approx(ms(14 * x * 4096, 0)));
    CHECK(menu[5].freed - menu[4].freed == 2 * x);
    CHECK(menu[5].extra_ms - menu[4].extra_ms == doctest::Approx(ms(2.0 * 8192 * 8192 * 4096, 0)));
  }
}

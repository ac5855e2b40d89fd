// Bytes of stages, against the closed forms.
#include "cost/memory.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "api/run.hpp"

using namespace sluice;

namespace {

// GPT-3 175B as in Korthikanti et al. 2022.
ModelShape gpt3() {
  ModelShape m;
  m.hidden_dim = 12288;
  m.seq_len = 2048;
  m.heads = 96;
  m.vocab_size = 51200;
  m.attention = AttentionKind::Unfused;
  return complete(m);
}

std::int64_t layer_bytes(const ModelShape& m, Recompute recompute,
                         Precision precision = Precision::Bf16, double samples = 1) {
  return stage_memory(m, {.layers = 1, .first = false, .last = false}, precision, samples,
                      recompute, Bytes{0})
      .activation.value;
}

}  // namespace

TEST_SUITE("cost/memory") {
  TEST_CASE("a layer's activations: S b h (34 + 5 a S / h), to the byte") {
    const std::int64_t x = 2048LL * 12288;
    CHECK(layer_bytes(gpt3(), Recompute::None) == 34 * x + 5 * 96 * 2048 * 2048);
    CHECK(layer_bytes(gpt3(), Recompute::Selective) == 34 * x);
    CHECK(layer_bytes(gpt3(), Recompute::Full) == 2 * x);
    CHECK(layer_bytes(gpt3(), Recompute::None, Precision::Bf16, 4) ==
          4 * layer_bytes(gpt3(), Recompute::None));
    CHECK(layer_bytes(gpt3(), Recompute::None, Precision::Fp32) ==
          2 * layer_bytes(gpt3(), Recompute::None));
    // Selective recomputation saves 70 % of it: 80 of 114.
    CHECK(5.0 * 96 * 2048 / 12288 == 80);
    ModelShape flash = gpt3();
    flash.attention = AttentionKind::Flash;
    CHECK(layer_bytes(flash, Recompute::None) == 34 * x);
  }
  TEST_CASE(
      "a tensor-parallel device: S b h (10 + 24 / t + 5 a S / (h t)), over t along the sequence") {
    const std::int64_t x = 2048LL * 12288;
    const auto bytes = [](bool sequence, Recompute recompute) {
      const TransformerStage stage{
          .layers = 1, .tensor = {.size = 8, .sequence = sequence, .bandwidth = {}, .latency = {}}};
      return stage_memory(gpt3(), stage, Precision::Bf16, 1, recompute, Bytes{0}).activation.value;
    };
    // 5 a S / h is 80.
    CHECK(bytes(false, Recompute::None) == (10 + 3 + 10) * x);
    CHECK(bytes(false, Recompute::Selective) == 13 * x);
    CHECK(bytes(true, Recompute::None) == (34 + 80) * x / 8);
    CHECK(bytes(false, Recompute::Full) == 2 * x);
    CHECK(bytes(true, Recompute::Full) == 2 * x / 8);
  }
  TEST_CASE("its parameters are divided by t, and the optimizer's 12 bytes by the replicas") {
    TransformerStage stage{.layers = 8};
    const double n = stage_parameters(gpt3(), stage);
    stage.tensor.size = 8;
    const auto resident = [&](std::int64_t shards) {
      return stage_memory(gpt3(), stage, Precision::Bf16, 1, Recompute::None, Bytes{0}, shards)
          .resident();
    };
    CHECK(resident(1).value == static_cast<std::int64_t>(18 * n / 8));
    CHECK(resident(4).value == static_cast<std::int64_t>((6 + 12.0 / 4) * n / 8));
  }
  TEST_CASE("a gated layer with grouped queries keeps 34 S b h, by hand, and 2 a S of scores") {
    // Llama 3 8B: norms 8 h; queries, keys, values and context 2 (2 x 4096 + 2 x 1024); gate, up
    // and product 6 x 14336: 139,264 bytes a token, which happens to be 34 h.
    ModelShape m;
    m.hidden_dim = 4096;
    m.ffn_dim = 14336;
    m.gated = true;
    m.heads = 32;
    m.kv_heads = 8;
    m.seq_len = 8192;
    m = complete(m);
    CHECK(layer_bytes(m, Recompute::None) == 8192LL * 139264);
    CHECK(139264 == 34 * 4096);
    m.attention = AttentionKind::Unfused;
    CHECK(layer_bytes(m, Recompute::None) == 8192LL * (139264 + 2 * 32 * 8192));
  }
  TEST_CASE("18 bytes a parameter under bf16, 16 under fp16 and in fp32") {
    const TransformerStage stage{.layers = 2, .first = true, .last = true};
    const double n = stage_parameters(gpt3(), stage);
    CHECK(stage_memory(gpt3(), stage, Precision::Bf16, 1, Recompute::None, Bytes{0})
              .resident()
              .value == static_cast<std::int64_t>(18 * n));
    CHECK(stage_memory(gpt3(), stage, Precision::Fp32, 1, Recompute::None, Bytes{0})
              .resident()
              .value == static_cast<std::int64_t>(16 * n));
    // Weights and gradients 2, master and moments 12; the update makes an fp32 copy of gradients.
    const StageMemory fp16 =
        stage_memory(gpt3(), stage, Precision::Fp16, 1, Recompute::None, Bytes{0});
    CHECK(fp16.resident().value == static_cast<std::int64_t>(16 * n));
    CHECK(fp16.working.update.value == static_cast<std::int64_t>(4 * n));
  }
  TEST_CASE("logits and the last norm: 4 S b (h + V) on the last stage alone") {
    const auto of = [](bool last) {
      return stage_memory(gpt3(), {.layers = 0, .first = false, .last = last}, Precision::Bf16, 1,
                          Recompute::None, Bytes{0})
          .activation.value;
    };
    CHECK(of(false) == 0);
    CHECK(of(true) == 4LL * 2048 * (12288 + 51200));
  }
  TEST_CASE("a run's peak: what rests, and min(p - r, m) microbatches of activations") {
    const std::string head =
        "simulation: {microbatches: 8, transfers: latency}\npipeline:\n  schedule: ";
    const std::string rest =
        "\n  precision: bf16\n  recompute: RECOMPUTE\n  model: {hidden_dim: 1024, seq_len: 512, "
        "heads: 16, vocab_size: 32000, attention: unfused}\n  stages:\n"
        "    - {device: d0, layers: 3}\n    - {device: d1, layers: 3}\n"
        "    - {device: d2, layers: 3}\n    - {device: d3, layers: 3}\n"
        "hardware:\n  devices:\n"
        "    - {id: d0, gpu: a100, node: n0, socket: 0}\n    - {id: d1, gpu: a100, node: n1, "
        "socket: 0}\n"
        "    - {id: d2, gpu: a100, node: n2, socket: 0}\n    - {id: d3, gpu: l4, node: n3, socket: "
        "0}\n"
        "  links: [{default: true, bandwidth_GBps: 10}]\n";
    const auto parts = [&](const std::string& schedule, const std::string& recompute) {
      std::string text = head + schedule + rest;
      text.replace(text.find("RECOMPUTE"), 9, recompute);
      const auto run = simulate(text);
      if (!run.ok()) FAIL(run.diagnostics().front().message);
      return nlohmann::json::parse(run.value()->summary_json())["memory"]["parts_bytes"];
    };
    const std::int64_t layer = 512LL * 1024 * 34 + 5LL * 16 * 512 * 512;
    const auto one_f = parts("1f1b", "none");
    for (int r = 0; r < 3; ++r)
      CHECK(one_f["d" + std::to_string(r)]["activations"] == (4 - r) * 3 * layer);
    CHECK(one_f["d3"]["activations"] == 3 * layer);
    CHECK(one_f["d3"]["logits"] == 4LL * 512 * (1024 + 32000));
    CHECK(parts("gpipe", "none")["d0"]["activations"] == 8 * 3 * layer);
    CHECK(parts("1f1b", "full")["d1"]["activations"] == 3 * 3 * 2LL * 512 * 1024);
    // ZB-H1 keeps the inputs of its late weight gradients, 32 of 34 + 5 a S / h: rank 3 has one
    // whole microbatch and three such rests.
    const auto zb_h1 = parts("zb_h1", "none");
    CHECK(zb_h1["d2"]["activations"].get<std::int64_t>() +
              zb_h1["d2"]["kept_for_weights"].get<std::int64_t>() >
          one_f["d2"]["activations"]);
    // Weights 2, gradients 4, optimizer 12 bytes.
    CHECK(one_f["d1"]["gradients"] == 2 * one_f["d1"]["weights"].get<std::int64_t>());
    CHECK(one_f["d1"]["optimizer"] == 6 * one_f["d1"]["weights"].get<std::int64_t>());
  }
  TEST_CASE("recomputing layers costs a forward more in the backward") {
    Device d;
    d.peak = {1e12};
    d.memory_bandwidth = {1e9};
    Calibration c;
    c.otherwise.matmul_efficiency = c.otherwise.bandwidth_efficiency = 1;
    const TransformerStage stage{.layers = 1, .first = false, .last = false};
    const auto ms = [&](OpPart part, Recompute recompute) {
      return stage_time(part, gpt3(), stage, d, c, 1, recompute).ms;
    };
    const double forward = ms(OpPart::Forward, Recompute::None);
    CHECK(ms(OpPart::Backward, Recompute::Full) ==
          doctest::Approx(ms(OpPart::Backward, Recompute::None) + forward));
    // Split, both parts pay it (torchtitan#773).
    CHECK(ms(OpPart::InputGrad, Recompute::Full) + ms(OpPart::WeightGrad, Recompute::Full) ==
          doctest::Approx(4 * forward));
    // Scores alone: two products of S^2 h.
    CHECK(ms(OpPart::Backward, Recompute::Selective) - ms(OpPart::Backward, Recompute::None) ==
          doctest::Approx(4.0 * 2048 * 2048 * 12288 / 1e12 * 1e3));
  }
}

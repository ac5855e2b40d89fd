// Replicas that divide experts: exchange, parameters, load, by hand; and what is refused.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "api/run.hpp"
#include "cost/memory.hpp"
#include "cost/transformer.hpp"
#include "io/refused.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

// Eight experts of 300 x 100 and back, two active, on 10 tokens.
ModelShape mixture(double imbalance = 1) {
  ModelShape m;
  m.hidden_dim = 100;
  m.seq_len = 10;
  m.heads = 2;
  m.gated = true;
  m.experts = {.count = 8, .active = 2, .shared = 0, .ffn_dim = 300};
  m.experts.imbalance = imbalance;
  return complete(m);
}

constexpr double kExperts = 8 * 3 * 100.0 * 300;

TransformerStage divided(int devices) {
  TransformerStage stage{.layers = 1};
  stage.experts = {.size = devices, .bandwidth = {1e6}, .latency = Time{1'000'000}};
  return stage;
}

PartTime time(OpPart part, const ModelShape& model, int devices,
              const Recompute& recompute = Recompute::None) {
  Device d;
  d.peak = {1e12};
  d.memory_bandwidth = {1e15};
  Calibration c;
  c.otherwise.matmul_efficiency = c.otherwise.bandwidth_efficiency = 1;
  return stage_time(part, model, divided(devices), d, c, 1, recompute);
}

std::string scenario(const std::string& pipeline, const std::string& model = "") {
  return "simulation: {microbatches: 4}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n" +
         pipeline + "  model: {hidden_dim: 512, seq_len: 256, heads: 8, gated: true" + model +
         "}\n  stages: [{device: a, layers: 4}]\nhardware:\n"
         "  devices: [{id: a, gpu: h100, node: n, socket: 0}]\n"
         "  interconnect: {same_node: nvlink4, cross_node: ib-ndr}\noptimizer: {enabled: true}\n";
}

constexpr const char* kMixture = ", experts: {count: 8, active: 2, ffn_dim: 1024}";

}  // namespace

TEST_SUITE("cost/experts") {
  TEST_CASE("an all-to-all: (n - 1) / n of the bytes, a message to each other") {
    CHECK(all_to_all_ms(1e9, 4, {1e9}, Time{1'000'000'000}) == doctest::Approx(750 + 3));
    CHECK(all_to_all_ms(1e9, 1, {1e9}, Time{1'000'000'000}) == 0);
  }
  TEST_CASE("tokens go to their experts and back in the forward, gradients in the input gradient") {
    // 10 tokens, two copies of 200 bytes, three quarters of them to others at 1 MB/s; 3 us.
    const double exchange = 0.75 * 10 * 2 * 200 / 1e6 * 1e3 + 3e-3;
    const ModelShape m = mixture();
    CHECK(time(OpPart::Forward, m, 4).terms.expert_parallel_ms == doctest::Approx(2 * exchange));
    CHECK(time(OpPart::Backward, m, 4).terms.expert_parallel_ms == doctest::Approx(2 * exchange));
    CHECK(time(OpPart::InputGrad, m, 4).terms.expert_parallel_ms == doctest::Approx(2 * exchange));
    CHECK(time(OpPart::WeightGrad, m, 4).terms.expert_parallel_ms == 0);
    CHECK(time(OpPart::Forward, m, 4).ms - time(OpPart::Forward, m, 1).ms ==
          doctest::Approx(2 * exchange));
    // Made again, the forward's two come once more.
    CHECK(time(OpPart::Backward, m, 4, Recompute::Full).terms.expert_parallel_ms ==
          doctest::Approx(4 * exchange));
  }
  TEST_CASE("each holds its part of the experts, and the whole of everything else") {
    const double all = stage_parameters(mixture(), divided(4));
    CHECK(routed_parameters(mixture(), divided(4)) == kExperts / 4);
    CHECK(device_parameters(mixture(), divided(4)) == all - kExperts + kExperts / 4);
    // The optimizer's 12 bytes over 8 replicas; experts have two.
    const StageMemory m =
        stage_memory(mixture(), divided(4), Precision::Bf16, 1, Recompute::None, Bytes{0}, 8);
    CHECK(m.optimizer.value ==
          static_cast<std::int64_t>(12 * (all - kExperts) / 8 + 12 * (kExperts / 4) / 2));
  }
  TEST_CASE("the most loaded device works and keeps for so many more tokens, if devices divide") {
    // 10 tokens, two experts of three matrices, 2 FLOPs a weight; half of it more.
    const double routed = 10 * 2 * (2 * 3 * 100.0 * 300) / 1e12 * 1e3;
    const auto matmul = [](const ModelShape& m, int devices) {
      return time(OpPart::Forward, m, devices).terms.matmul_ms;
    };
    CHECK(matmul(mixture(1.5), 4) - matmul(mixture(), 4) == doctest::Approx(0.5 * routed));
    CHECK(matmul(mixture(1.5), 1) == matmul(mixture(), 1));
    CHECK(time(OpPart::Forward, mixture(1.5), 4).terms.expert_parallel_ms ==
          doctest::Approx(2 * (1.5 * 0.75 * 10 * 2 * 200 / 1e6 * 1e3 + 3e-3)));
    const auto kept = [](const ModelShape& m) {
      return stage_memory(m, divided(4), Precision::Bf16, 1, Recompute::None, Bytes{0})
          .activation.value;
    };
    // Of each token and expert three values of 300, and a copy each way of 100, 2 bytes each.
    CHECK(kept(mixture(1.5)) - kept(mixture()) == 10 * (2 * 3 * 2 * 300 + 2 * 2 * 2 * 100) / 2);
  }
  TEST_CASE("in a scenario: less memory, exchanges in the terms, experts reduced over fewer") {
    const auto summary = [](const std::string& text) {
      const auto run = simulate(text);
      REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : listing(run.diagnostics())));
      return nlohmann::json::parse(run.value()->summary_json());
    };
    const auto whole = summary(scenario("  data_parallel: 8\n", kMixture));
    const auto parts = summary(scenario("  data_parallel: 8\n  expert_parallel: 4\n", kMixture));
    const std::int64_t experts = 4LL * 8 * 3 * 512 * 1024;
    CHECK(whole["memory"]["parts_bytes"]["a"]["weights"].get<std::int64_t>() -
              parts["memory"]["parts_bytes"]["a"]["weights"].get<std::int64_t>() ==
          2 * experts * 3 / 4);
    CHECK(whole["stage_terms"][0]["forward"]["expert_parallel_ms"] == 0);
    CHECK(parts["stage_terms"][0]["forward"]["expert_parallel_ms"] > 0);
    CHECK(parts["replicas"]["gradient_reduction_ms"] < whole["replicas"]["gradient_reduction_ms"]);
  }
  TEST_CASE("refused: replicas that experts or data_parallel cannot be divided among") {
    const auto code = [](const std::string& text) {
      const auto run = simulate(text);
      REQUIRE(!run.ok());
      CHECK(run.diagnostics().front().path == "pipeline.expert_parallel");
      return run.diagnostics().front().code;
    };
    CHECK(code(scenario("  data_parallel: 6\n  expert_parallel: 3\n", kMixture)) ==
          Code::ValueRange);
    CHECK(code(scenario("  data_parallel: 2\n  expert_parallel: 2\n")) == Code::ValueRange);
    CHECK(code(scenario("  data_parallel: 2\n  expert_parallel: 4\n", kMixture)) ==
          Code::KeyConflict);
  }
}

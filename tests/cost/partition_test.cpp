// Layers over stages: none is ever lost.
#include "cost/partition.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "api/load.hpp"
#include "base/hash.hpp"
#include "io/print_scenario.hpp"

using namespace sluice;

namespace {

std::string scenario(const std::string& partition, int layers, const std::vector<std::string>& gpus,
                     int vocabulary = 1000) {
  std::string text =
      "simulation: {microbatches: 2}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n"
      "  model: {hidden_dim: 2048, seq_len: 2048, heads: 16, vocab_size: " +
      std::to_string(vocabulary) + ", layers: " + std::to_string(layers) +
      "}\n  partition: " + partition + "\n  stages:\n";
  for (std::size_t s = 0; s < gpus.size(); ++s)
    text += "    - {device: d" + std::to_string(s) + "}\n";
  text += "hardware:\n  devices:\n";
  for (std::size_t s = 0; s < gpus.size(); ++s)
    text += "    - {id: d" + std::to_string(s) + ", gpu: " + gpus[s] + ", node: n, socket: 0}\n";
  return text + "  links: [{default: true, bandwidth_GBps: 10}]\n";
}

std::vector<std::int64_t> layers_of(const std::string& text) {
  const auto loaded = load_scenario(text);
  if (!loaded.ok()) FAIL(loaded.diagnostics().front().message);
  std::vector<std::int64_t> out;
  for (const StageSpec& s : loaded.value().scenario.pipeline.stages) out.push_back(*s.layers);
  return out;
}

using Layers = std::vector<std::int64_t>;

}  // namespace

TEST_SUITE("cost/partition") {
  TEST_CASE("F027, X018: 30 layers on 4 stages are 8, 8, 7, 7, not 28 (Megatron-LM#1304)") {
    CHECK(layers_of(scenario("uniform", 30, {"a100", "a100", "a100", "a100"})) ==
          Layers{8, 8, 7, 7});
  }
  TEST_CASE("whatever the numbers, the sum is the model's") {
    for (std::uint64_t i = 0; i < 60; ++i) {
      const int layers = 1 + static_cast<int>(mix64(i) % 90);
      const auto stages = 1 + mix64(i * 3 + 1) % 9;
      std::vector<std::string> gpus;
      for (std::uint64_t s = 0; s < stages; ++s)
        gpus.emplace_back(mix64(i * 7 + s) % 2 == 0 ? "a100" : "l4");
      for (const char* kind : {"uniform", "balanced"}) {
        const Layers found = layers_of(scenario(kind, layers, gpus));
        CHECK(std::accumulate(found.begin(), found.end(), std::int64_t{0}) == layers);
      }
    }
  }
  TEST_CASE(
      "#7 Megatron-LM#1303: a heavy output layer, or a slow device, gets fewer when balanced") {
    const Layers equal = layers_of(scenario("balanced", 24, {"a100", "a100", "a100", "a100"}));
    const Layers heavy =
        layers_of(scenario("balanced", 24, {"a100", "a100", "a100", "a100"}, 500000));
    CHECK(heavy[3] < equal[3]);
    const Layers mixed = layers_of(scenario("balanced", 24, {"h100", "h100", "l4", "l4"}));
    CHECK(mixed[0] > mixed[2]);
  }
  TEST_CASE("balanced stays within memory where it can: by hand") {
    // Four layers of 1 ms forward and 2 ms backward, 10 MiB a microbatch each, 1F1B with two in
    // flight on the first stage and one on the second. Even: 2 and 2, 40 MiB and 20 MiB. With room
    // for less than 40 MiB the first stage takes one layer; with room for no cut at all, as before.
    const auto text = [](const char* first, const char* second) {
      return std::string(
                 "simulation: {microbatches: 4}\npipeline:\n  schedule: 1f1b\n"
                 "  activation_mb: 1\n  partition: balanced\n  layer_costs:\n"
                 "    - {count: 4, forward: 1, input_grad: 1, weight_grad: 1, "
                 "activation_mb: 10}\n"
                 "  stages: [{device: d0}, {device: d1}]\nhardware:\n  devices:\n"
                 "    - {id: d0, gpu: a100, node: n, socket: 0, memory_GiB: ") +
             first + "}\n    - {id: d1, gpu: a100, node: n, socket: 0, memory_GiB: " + second +
             "}\n  links: [{default: true, bandwidth_GBps: 10}]\n";
    };
    CHECK(layers_of(text("1", "1")) == Layers{2, 2});
    CHECK(layers_of(text("0.038", "1")) == Layers{1, 3});
    CHECK(layers_of(text("1", "0.015")) == Layers{3, 1});
    CHECK(layers_of(text("0.001", "0.001")) == Layers{2, 2});
  }
  TEST_CASE("the resolved scenario names the layers that came out, and plays as before") {
    const auto loaded = load_scenario(scenario("balanced", 9, {"h100", "l4"}));
    REQUIRE(loaded.ok());
    const Loaded& l = loaded.value();
    const std::string text = print_resolved(l.scenario, l.places, l.network);
    CHECK(text.find("partition") == std::string::npos);
    CHECK(layers_of(text) == layers_of(scenario("balanced", 9, {"h100", "l4"})));
  }
  TEST_CASE("with several stages a rank, layers are spread over all stages in the model's order") {
    // Eight stages of V-shaped or looped placement for six layers: the last two get none.
    const auto chunks = [](const char* schedule, const std::string& partition) {
      std::string text = scenario(partition, 6, {"a100", "a100", "a100", "a100"});
      text.replace(text.find("schedule: 1f1b"), 14, std::string("schedule: ") + schedule);
      const auto loaded = load_scenario(text, {{"simulation.microbatches", "8"}});
      if (!loaded.ok()) FAIL(loaded.diagnostics().front().message);
      std::vector<Layers> out;
      for (const StageSpec& s : loaded.value().scenario.pipeline.stages)
        out.push_back(s.chunk_layers);
      return out;
    };
    const char* loop = "{name: interleaved_1f1b, chunks: 2}";
    CHECK(chunks(loop, "uniform") == std::vector<Layers>{{1, 1}, {1, 1}, {1, 0}, {1, 0}});
    CHECK(chunks("zb_v", "uniform") == std::vector<Layers>{{1, 0}, {1, 0}, {1, 1}, {1, 1}});
    CHECK(chunks(loop, "[0, 1, 1, 1, 1, 1, 1, 0]") ==
          std::vector<Layers>{{0, 1}, {1, 1}, {1, 1}, {1, 0}});
    // One number a rank is spread over its stages.
    CHECK(chunks(loop, "[2, 2, 1, 1]") == std::vector<Layers>(4));
  }
  TEST_CASE("a stage's layers may be written one by one, and must be as many as it holds") {
    const auto text = [](const std::string& layers) {
      std::string s = scenario("uniform", 4, {"a100", "a100"});
      s.replace(s.find("  partition: uniform\n"), 21, "");
      s.replace(s.find("{device: d0}"), 12, "{device: d0, layers: " + layers + "}");
      s.replace(s.find("{device: d1}"), 12, "{device: d1, layers: [2, 0]}");
      s.replace(s.find("schedule: 1f1b"), 14, "schedule: {name: interleaved_1f1b, chunks: 2}");
      return s;
    };
    const auto loaded = load_scenario(text("[0, 2]"));
    REQUIRE(loaded.ok());
    const Costs& costs = loaded.value().costs;
    // Stages 0 and 3 hold none: embedding and output layer alone.
    CHECK(costs.stages[0].forward_terms->matmul_ms == 0);
    CHECK(costs.stages[3].forward_terms->matmul_ms == 0);
    CHECK(costs.stages[1].forward_terms == costs.stages[2].forward_terms);
    const auto again = load_scenario(
        print_resolved(loaded.value().scenario, loaded.value().places, loaded.value().network));
    REQUIRE(again.ok());
    CHECK(again.value().scenario.pipeline.stages[0].chunk_layers == Layers{0, 2});
    const auto refused = load_scenario(text("[1, 1, 0]"));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.diagnostics().front().code == Code::ValueRange);
    CHECK(refused.diagnostics().front().path == "pipeline.stages[0].layers");
    CHECK(refused.diagnostics().front().line > 0);
  }
  TEST_CASE("a list is taken as it is, if it fits") {
    CHECK(layers_of(scenario("[10, 5]", 15, {"a100", "a100"})) == Layers{10, 5});
    const auto refusal = [](const std::string& text) {
      const auto loaded = load_scenario(text);
      REQUIRE_FALSE(loaded.ok());
      return loaded.diagnostics().front();
    };
    CHECK(refusal(scenario("[10, 4]", 15, {"a100", "a100"})).code == Code::ValueRange);
    CHECK(refusal(scenario("[15]", 15, {"a100", "a100"})).code == Code::ValueRange);
    std::string both = scenario("uniform", 15, {"a100", "a100"});
    both.replace(both.find("{device: d0}"), 12, "{device: d0, layers: 3}");
    CHECK(refusal(both).code == Code::KeyUnknown);
    std::string none = scenario("uniform", 15, {"a100", "a100"});
    none.replace(none.find(", layers: 15"), 12, "");
    CHECK(refusal(none).code == Code::KeyMissing);
  }
}

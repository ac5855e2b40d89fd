// Reports of users of other tools that concern memory, each with what Sluice does about it. Those
// that count microbatches stand in schedule/facts_test and schedule/reports_test.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/compare.hpp"
#include "api/run.hpp"

using namespace sluice;

namespace {

// A GPT of hidden size 1024 and 512 tokens, bf16, fused attention, one A100 a stage.
std::string scenario(const std::string& schedule, int microbatches,
                     const std::vector<int>& layers) {
  std::string out = "simulation: {microbatches: " + std::to_string(microbatches) +
                    ", transfers: latency}\npipeline:\n  schedule: " + schedule +
                    "\n  precision: bf16\n"
                    "  model: {hidden_dim: 1024, seq_len: 512, heads: 16, vocab_size: 32000}\n"
                    "  stages:\n";
  std::string devices;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    const std::string id = "d" + std::to_string(s);
    out += "    - {device: " + id + ", layers: " + std::to_string(layers[s]) + "}\n";
    devices += "    - {id: " + id + ", gpu: a100, node: n" + std::to_string(s) + ", socket: 0}\n";
  }
  return out + "hardware:\n  devices:\n" + devices +
         "  links: [{default: true, bandwidth_GBps: 10}]\n";
}

nlohmann::json memory(const std::string& text) {
  const auto run = simulate(text);
  if (!run.ok()) FAIL(run.diagnostics().front().message);
  return nlohmann::json::parse(run.value()->summary_json())["memory"];
}

// S b h (34) a layer, and V h and 12 h^2 + 13 h parameters at 18 bytes.
constexpr std::int64_t kLayerActivation = 34LL * 512 * 1024;
constexpr std::int64_t kLayerParameters = 12LL * 1024 * 1024 + 13LL * 1024;
constexpr std::int64_t kVocabularyParameters = 32000LL * 1024;

}  // namespace

TEST_SUITE("metrics/memory_reports") {
  TEST_CASE("#8 Megatron-Bridge#5077: a run's peak is that of its heaviest rank, not the mean") {
    // In flight 4, 3, 2, 1 by layers 1, 2, 2, 3: 4, 6, 4 and 3 layers' activations. A mean of 4.25
    // would be 29 % below what rank 1 needs.
    const std::string text = scenario("1f1b", 8, {1, 2, 2, 3});
    const nlohmann::json m = memory(text);
    const std::vector<std::int64_t> held{4, 6, 4, 3};
    const std::vector<std::int64_t> layers{1, 2, 2, 3};
    std::int64_t most = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      INFO("rank ", r);
      const std::string id = "d" + std::to_string(r);
      const std::int64_t ends = r == 0 || r == 3 ? kVocabularyParameters : 0;
      const nlohmann::json& parts = m["parts_bytes"][id];
      const std::int64_t weights = 2 * (layers[r] * kLayerParameters + ends);
      CHECK(parts["weights"] == weights);
      CHECK(parts["gradients"] == 2 * weights);
      CHECK(parts["optimizer"] == 6 * weights);
      if (r < 3) CHECK(parts["activations"] == held[r] * kLayerActivation);
      most = std::max(most, m["peak_bytes"][id].get<std::int64_t>());
    }
    auto comparison = Comparison::make(text);
    REQUIRE(comparison.ok());
    while (!comparison.value().step(1)) {
    }
    for (const ComparedSchedule& row : comparison.value().ranked()) {
      if (row.name == "1f1b") CHECK(row.peak_memory.value == most);
    }
  }
  TEST_CASE("#9 DeepSpeed#2800: rank r of 1F1B holds min(p - r, m) microbatches, not one more") {
    for (const int m : {1, 2, 3, 4, 9}) {
      const nlohmann::json parts = memory(scenario("1f1b", m, {2, 2, 2, 2}))["parts_bytes"];
      for (int r = 0; r < 3; ++r) {
        INFO(m, " microbatches, rank ", r);
        CHECK(parts["d" + std::to_string(r)]["activations"] ==
              std::min(4 - r, m) * 2 * kLayerActivation);
      }
    }
  }
  TEST_CASE("#10 DeepSpeed#4602: memory grows with accumulation up to p microbatches, then stays") {
    const auto first = [](int m) {
      return memory(scenario("1f1b", m, {2, 2, 2, 2}))["peak_bytes"]["d0"].get<std::int64_t>();
    };
    const std::int64_t each = 2 * kLayerActivation;
    CHECK(first(2) - first(1) == each);
    CHECK(first(4) - first(1) == 3 * each);
    CHECK(first(8) == first(4));
  }
  TEST_CASE("#11 marin#6532: gradients are held once a stage, however many microbatches add up") {
    const std::int64_t weights = 2 * (2 * kLayerParameters);
    for (const char* schedule : {"1f1b", "gpipe", "zb_h1"}) {
      for (const int m : {4, 16, 64}) {
        INFO(schedule, ", ", m);
        const nlohmann::json parts = memory(scenario(schedule, m, {2, 2, 2, 2}))["parts_bytes"];
        CHECK(parts["d1"]["gradients"] == 2 * weights);
      }
    }
    // So beyond p microbatches nothing grows but what GPipe keeps.
    const auto peak = [](const char* schedule, int m) {
      return memory(scenario(schedule, m, {2, 2, 2, 2}))["peak_bytes"];
    };
    for (const char* schedule : {"1f1b", "zb_h1"}) CHECK(peak(schedule, 8) == peak(schedule, 64));
    CHECK(peak("gpipe", 64)["d1"].get<std::int64_t>() -
              peak("gpipe", 8)["d1"].get<std::int64_t>() ==
          56 * 2 * kLayerActivation);
    // A rank with two stages holds those of both, once each.
    const nlohmann::json parts =
        memory(scenario("{name: interleaved_1f1b, chunks: 2}", 8, {2, 2, 2, 2}))["parts_bytes"];
    CHECK(parts["d1"]["gradients"] == 2 * weights);
  }
}

// What would make a scenario fit: each change that is named must do so when it is made.
#include "api/fit_advice.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;

namespace {

std::shared_ptr<const Run> advised(const std::string& text) {
  Result<Loaded> loaded = load_scenario(text);
  if (!loaded.ok()) FAIL(loaded.diagnostics().front().message);
  Simulation simulation(std::move(loaded).value());
  while (!simulation.step(1 << 20)) {
  }
  return simulation.finish().value();
}

const Diagnostic& capacity(const Run& run) {
  for (const Diagnostic& d : run.diagnostics()) {
    if (d.code == Code::CapacityExceeded) return d;
  }
  FAIL("nothing is said about capacity");
  return run.diagnostics().front();
}

bool fits(const std::string& text, const std::vector<Setting>& settings) {
  const auto run = simulate(text, settings);
  return run.ok() && run.value()->summary().fits;
}

bool names(const Run& run, const std::string& words) {
  return capacity(run).hint.find(words) != std::string::npos;
}

// 4 GPT layers of 4096 on each of two ranks of `gib` GiB: 4 x 201.4 M parameters and 131 M of an
// embedding of 32000, 18 bytes each, are 15.7 GiB; a layer keeps 34 x 2048 x 4096 bytes, 0.266 GiB
// (bf16, fused attention, one sample).
std::string by_layers(const std::string& gib, const std::string& schedule, const std::string& rest,
                      const std::string& interconnect = "") {
  std::string out =
      "simulation: {microbatches: 16, transfers: latency}\npipeline:\n  schedule: " + schedule +
      "\n  precision: bf16\n" + rest +
      "  model: {hidden_dim: 4096, seq_len: 2048, heads: 32, vocab_size: 32000}\n"
      "  stages: [{device: a, layers: 4}, {device: b, layers: 4}]\n"
      "hardware:\n  devices:\n";
  for (const char* id : {"a", "b"})
    out += std::string("    - {id: ") + id + ", gpu: a100, node: " + id +
           ", socket: 0, memory_GiB: " + gib + "}\n";
  return out + "  links: [{default: true, bandwidth_GBps: 10}]\n" + interconnect;
}

}  // namespace

TEST_SUITE("api/fit_advice") {
  TEST_CASE("which device, by how much and in which operation; 1F1B holds less than GPipe") {
    // GPipe: 16 x 4 x 0.266 GiB over the 15.7 that rest; 1F1B two microbatches of four layers.
    const std::string text = by_layers("24", "gpipe", "");
    const auto run = advised(text);
    CHECK(!run->summary().fits);
    CHECK(capacity(*run).message.starts_with("\"a\" would need 32."));
    CHECK(capacity(*run).message.find(" of 24 GiB, 8.") != std::string::npos);
    CHECK(capacity(*run).message.find(" GiB too much, in B0@0") != std::string::npos);
    CHECK(names(*run, "schedule: 1f1b"));
    CHECK(fits(text, {{"pipeline.schedule", "1f1b"}}));
    // Whole layers made again: 16 x 4 inputs of 2 S b h are 1 GiB; rank b's 16 logits of 4 S b V 4.
    CHECK(names(*run, "recompute: full"));
    CHECK(fits(text, {{"pipeline.recompute", "full"}}));
    // Half the samples of one: not to be had.
    CHECK(!names(*run, "micro_batch_size"));
  }
  TEST_CASE("under 1F1B: a smaller micro-batch of the same step") {
    // Eight samples: 2 x 4 x 8 x 0.266 GiB are 17; half of it fits.
    const std::string text = by_layers("30", "1f1b", "  micro_batch_size: 8\n");
    const auto run = advised(text);
    CHECK(names(*run, "micro_batch_size: 4 and microbatches: 32"));
    CHECK(fits(text, {{"pipeline.micro_batch_size", "4"}, {"simulation.microbatches", "32"}}));
    CHECK(!names(*run, "schedule: 1f1b"));
  }
  TEST_CASE("where weights alone are too much: two devices a stage, if something joins them") {
    const std::string joined =
        by_layers("14", "1f1b", "", "  interconnect: {same_node: nvlink3}\n");
    const auto run = advised(joined);
    CHECK(names(*run, "fits with tensor_parallel: 2"));
    CHECK(fits(joined, {{"pipeline.stages[0].tensor_parallel", "2"},
                        {"pipeline.stages[1].tensor_parallel", "2"}}));
    // Nothing joins them: nothing is promised.
    CHECK(!names(*advised(by_layers("14", "1f1b", "")), "fits with"));
  }
  TEST_CASE("where one change is not enough, as many together as it takes") {
    // 15.7 GiB rest, and GPipe's 16 microbatches of 4 samples keep 4 x 16 x 4 x 2 S b h = 4 GiB
    // even when all is made again; 1F1B's two of whole layers 8.5.
    const std::string text = by_layers("18.5", "gpipe", "  micro_batch_size: 4\n");
    const auto run = advised(text);
    CHECK(names(*run, "fits with schedule: 1f1b, recompute: full ("));
    CHECK(fits(text, {{"pipeline.schedule", "1f1b"}, {"pipeline.recompute", "full"}}));
    CHECK(!fits(text, {{"pipeline.schedule", "1f1b"}}));
    CHECK(!fits(text, {{"pipeline.recompute", "full"}}));
  }
  TEST_CASE("sweeps and comparisons get no advice, nor do runs that fit") {
    const std::string text = by_layers("20", "gpipe", "");
    CHECK(!names(*simulate(text).value(), "fits with"));
    CHECK(fit_advice(load_scenario(text).value()).starts_with("fits with "));
  }
  TEST_CASE("a share of every device's memory can be kept free") {
    const std::string text = by_layers("20", "1f1b", "", "  memory_reserve: 0.08\n");
    const auto run = advised(text);
    // 15.7 and 2 x 4 x 0.266 GiB fit into 20, but not into 18.4 with what a backward needs.
    const std::int64_t reserve = run->summary().memory_parts[0].reserve.value;
    CHECK(reserve == static_cast<std::int64_t>(0.08 * 20 * 1024 * 1024 * 1024));
    CHECK(run->summary().peak_memory[0] == run->summary().memory_parts[0].total());
    CHECK(fits(by_layers("20", "1f1b", ""), {}));
  }
}

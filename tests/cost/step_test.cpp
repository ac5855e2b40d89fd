// What a step takes beside the stages' operations.
#include "cost/step.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "api/load.hpp"
#include "io/presets.hpp"

using namespace sluice;

namespace {

// A chain of cards, one a node, with tied embeddings.
std::string chain(const std::vector<std::string>& gpus, const std::string& links) {
  std::string text =
      "simulation: {microbatches: 2}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n"
      "  model: {hidden_dim: 1000, seq_len: 128, heads: 8, vocab_size: 50000, tied_embeddings: "
      "true}\n  stages:\n";
  std::string devices;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string id = "d" + std::to_string(i);
    text += "    - {device: " + id + ", layers: 2}\n";
    devices += "    - {id: " + id + ", gpu: " + gpus[i] + ", node: n" + std::to_string(i) +
               ", socket: 0}\n";
  }
  return text + "optimizer: {enabled: true}\nhardware:\n  devices:\n" + devices + "  links:\n" +
         links;
}

Costs costs_of(const std::string& text) {
  const auto loaded = load_scenario(text);
  if (!loaded.ok()) FAIL(loaded.diagnostics().front().message);
  return loaded.value().costs;
}

constexpr const char* kDefault = "    - {default: true, bandwidth_GBps: 5}\n";

}  // namespace

TEST_SUITE("cost/step") {
  TEST_CASE("tied gradients go at the measured rate of the cards where the calibration has one") {
    const Calibration& c = *load_presets().calibration(kLocalCalibration);
    const Costs costs = costs_of(chain({"a10g", "l4"}, kDefault));
    REQUIRE(costs.tied);
    CHECK(costs.tied->rate == *c.reduction_rate("a10g", "l4"));
  }
  TEST_CASE("between cards that nobody measured they still take their time: over the link") {
    const double share =
        load_presets().calibration(kLocalCalibration)->constants.reduction_efficiency;
    for (const auto& gpus : {std::vector<std::string>{"v100", "v100"}, {"a10g", "v100"}}) {
      const Costs costs = costs_of(chain(gpus, kDefault));
      REQUIRE(costs.tied);
      CHECK(costs.tied->rate == doctest::Approx(5e9 * share));
    }
  }
  TEST_CASE("where no link joins the first to the last: over the slower of their own") {
    const double share =
        load_presets().calibration(kLocalCalibration)->constants.reduction_efficiency;
    const Costs costs = costs_of(chain({"v100", "v100", "v100"},
                                       "    - {from: d0, to: d1, bandwidth_GBps: 3}\n"
                                       "    - {from: d1, to: d2, bandwidth_GBps: 2}\n"));
    REQUIRE(costs.tied);
    CHECK(costs.tied->rate == doctest::Approx(2e9 * share));
  }
}

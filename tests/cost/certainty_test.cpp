#include "cost/certainty.hpp"

#include <doctest/doctest.h>

#include <string>

#include "api/load.hpp"
#include "io/presets.hpp"
#include "scenario_text.hpp"

using namespace sluice;

namespace {

// Two stages of a small model on the given cards.
std::string by_layers(const std::string& first, const std::string& second) {
  return "simulation: {microbatches: 4}\npipeline:\n  schedule: 1f1b\n  precision: fp16\n"
         "  model: {layers: 8, hidden_dim: 1024, heads: 16, seq_len: 1024}\n"
         "  stages: [{device: a, layers: 4}, {device: b, layers: 4}]\n"
         "hardware:\n  devices:\n    - {id: a, gpu: " +
         first + ", node: n0, socket: 0}\n    - {id: b, gpu: " + second +
         ", node: n0, socket: 0}\n  interconnect: {same_node: nvlink}\n";
}

Loaded loaded(const std::string& text) {
  auto result = load_scenario(text);
  if (!result) FAIL(result.diagnostics().front().message);
  return std::move(result).value();
}

}  // namespace

TEST_SUITE("cost/certainty") {
  TEST_CASE("layers on devices that the calibration was fitted on carry its error") {
    const Certainty c = loaded(by_layers("h100", "l4")).costs.certainty;
    CHECK(c.compute == Basis::Calibrated);
    CHECK(c.calibration == kLocalCalibration);
    CHECK(c.uncalibrated.empty());
    CHECK(c.memory_from_layers);
    REQUIRE(c.period);
    CHECK(*c.period == *load_presets().calibration(kLocalCalibration)->error);
  }
  TEST_CASE("one device without runs makes the whole run one of data sheets, and is named once") {
    const Loaded l = loaded(by_layers("h100", "v100"));
    CHECK(l.costs.certainty.compute == Basis::DataSheet);
    CHECK(l.costs.certainty.uncalibrated == std::vector<std::string>{"v100"});
    CHECK(*l.costs.certainty.period ==
          *load_presets().calibration(kLocalCalibration)->error_otherwise);
    int said = 0;
    for (const Diagnostic& d : l.diagnostics) {
      if (d.code != Code::PresetUncertain) continue;
      CHECK(d.severity == Severity::Info);
      CHECK(d.path == "hardware.devices[1].gpu");
      CHECK(d.line > 0);
      said += 1;
    }
    CHECK(said == 1);
  }
  TEST_CASE("times that are written are as sure as who wrote them; work and peaks are not") {
    sluice_test::ScenarioText s;
    s.stages = sluice_test::equal_stages(2);
    const Certainty given = loaded(s.text()).costs.certainty;
    CHECK(given.compute == Basis::Given);
    CHECK(given.calibration.empty());
    CHECK_FALSE(given.period);
    CHECK_FALSE(given.memory_from_layers);
    std::string text = s.text();
    const std::string time = "{mode: explicit, distribution: 1}";
    text.replace(text.find(time), time.size(), "{mode: analytical, tflop: 1}");
    CHECK(loaded(text).costs.certainty.compute == Basis::DataSheet);
  }
  TEST_CASE("a link is measured by points, given when its pair is written, else its preset's") {
    Link link;
    CHECK(link_basis(link) == Basis::DataSheet);
    link.explicit_pair = true;
    CHECK(link_basis(link) == Basis::Given);
    link.points = {{1, 1}};
    CHECK(link_basis(link) == Basis::Measured);
    CHECK(basis_text(Basis::Measured) == "measured");
  }
}

// What `tune` says of plans, bounds and reasons; how good its plans are is held in search/octopipe.
#include "api/tune.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "api/compare.hpp"
#include "scenario_text.hpp"
#include "tuned.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

Tuning tuned(const std::string& text, Axes axes = {}) {
  TuneRequest request;
  request.evaluations = 200;
  request.axes = axes;
  request.ablation = false;
  return sluice_test::tuned(text, {}, request);
}

const TunedCandidate* find(const Tuning& job, const std::string& name) {
  for (const TunedCandidate& c : job.candidates()) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

std::string layers(const std::string& schedule) {
  return "simulation: {microbatches: 8}\npipeline:\n  schedule: " + schedule +
         "\n  activation_mb: 1\n  layer_costs:\n    - {count: 8, forward: 1, input_grad: 1, "
         "weight_grad: 1, activation_mb: 1}\n  partition: uniform\n  stages: [{device: d0}, "
         "{device: d1}]\nhardware:\n  devices:\n"
         "    - {id: d0, gpu: a100, node: n, socket: 0}\n"
         "    - {id: d1, gpu: a100, node: n, socket: 0}\n"
         "  links: [{default: true, bandwidth_GBps: 100}]\n";
}

}  // namespace

TEST_SUITE("api/tune") {
  TEST_CASE(
      "no candidate is below the bound: stages that differ, in two directions and in slices") {
    // F = 1 and 10, B = 2 and 20, 8 microbatches: 264 in all, 132 a rank where each stage stands
    // on both; with each on one rank the longer does 240.
    ScenarioText s;
    s.stages = {{1, 2, 0}, {10, 20, 0}};
    const Tuning uneven = tuned(s.text());
    CHECK(to_ms(uneven.lower_bound()) == doctest::Approx(132));
    CHECK(to_ms(uneven.whole_layers_bound()) == doctest::Approx(240));
    ScenarioText one;
    one.stages = sluice_test::equal_stages(4);
    one.microbatches = 1;
    const Tuning slices = tuned(one.text());
    for (const Tuning* job : {&uneven, &slices}) {
      for (const TunedCandidate& c : job->candidates()) {
        INFO(c.name);
        if (c.reason.empty()) CHECK(job->lower_bound() <= c.makespan);
      }
    }
  }

  TEST_CASE("a plan with several stages a rank can be tuned and compared again") {
    const std::string text = layers("{name: interleaved_1f1b, chunks: 2}");
    const auto own = load_scenario(text);
    REQUIRE(own.ok());
    REQUIRE(own.value().scenario.pipeline.stages[0].chunk_layers.size() == 2);
    std::string written = text;
    written.replace(written.find("  partition: uniform\n"), 21, "");
    written.replace(written.find("{device: d0}"), 12, "{device: d0, layers: [3, 1]}");
    written.replace(written.find("{device: d1}"), 12, "{device: d1, layers: [2, 2]}");
    const Tuning job = tuned(written);
    REQUIRE(find(job, "as written") != nullptr);
    CHECK(find(job, "as written")->reason == "");
    CHECK(find(job, "1f1b")->reason == "");
    auto comparison = Comparison::make(written, {});
    REQUIRE(comparison.ok());
    while (!comparison.value().step(100)) {
    }
    int played = 0;
    for (const ComparedSchedule& row : comparison.value().ranked()) played += row.reason.empty();
    CHECK(played > 10);
  }

  TEST_CASE("where only the order may change, stages stay on their ranks") {
    const Tuning job =
        tuned(layers("1f1b"), {.partition = false, .placement = false, .schedule = true});
    REQUIRE(job.best().has_value());
    const Placement& placement = job.best()->run->program().plan.placement;
    CHECK(placement == loop_placement(2, 1));
    REQUIRE(find(job, "zb_v") != nullptr);
    CHECK(find(job, "zb_v")->reason.find("another placement") != std::string::npos);
  }

  TEST_CASE(
      "what is written and cannot run is a candidate with its reason; the plan expects nothing") {
    const std::string expect = "expect:\n  - {path: fits, value: 1}\n";
    const Tuning job = tuned(layers("{name: interleaved_1f1b, chunks: 3}") + expect);
    const TunedCandidate& own = job.candidates().front();
    CHECK(own.name == "as written");
    CHECK(job.plan_yaml().find("expect") == std::string::npos);
    const Tuning wrong = tuned(layers("nonsense"));
    CHECK(wrong.candidates().front().name == "as written");
    CHECK(wrong.candidates().front().reason.find("nonsense") != std::string::npos);
    CHECK(wrong.best().has_value());
  }
}

// Scenario -> YAML: what is printed reads back as the same scenario, odd names included.
#include "io/print_scenario.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include "scenario_text.hpp"

#include <string>
#include <vector>

#include "api/run.hpp"
#include "io/maximal.hpp"
#include "io/reader.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

Scenario read(const std::string& text) {
  const Result<YamlTree> tree = parse_yaml(text);
  REQUIRE_MESSAGE(tree.ok(), (tree.ok() ? "" : listing(tree.diagnostics()) + text));
  const Result<ReadScenario> scenario = read_scenario(*tree.value());
  REQUIRE_MESSAGE(scenario.ok(), (scenario.ok() ? "" : listing(scenario.diagnostics()) + text));
  return scenario.value().scenario;
}

void check_round_trip(const Scenario& scenario) {
  const std::string text = print_scenario(scenario);
  CAPTURE(text);
  const Scenario back = read(text);
  CHECK(back == scenario);
  CHECK(print_scenario(back) == text);
}

}  // namespace

TEST_SUITE("io/print_scenario") {
  TEST_CASE("the summary says where each value came from") {
    sluice_test::ScenarioText text;
    text.stages = sluice_test::equal_stages(1);
    const auto run = simulate(text.text(), {{"simulation.seed", "5"}});
    REQUIRE(run.ok());
    const auto origins = nlohmann::json::parse(run.value()->summary_json())["origins"];
    CHECK(origins["simulation.microbatches"] == "written");
    CHECK(origins["simulation.seed"] == "written");
    CHECK(origins["simulation.physics"] == "default");
    CHECK(origins["pipeline.stages[0].compute.distribution"] == "written");
    CHECK(origins["hardware.devices[0].memory_GiB"] == "preset");
  }

  TEST_CASE("a model's preset gives what is not written, and the resolved text prints it") {
    const std::string text =
        "simulation: {microbatches: 2}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n"
        "  model: {preset: mixtral-8x7b, seq_len: 512, vocab_size: 1000, experts: {active: 3}}\n"
        "  partition: uniform\n  stages: [{device: a}, {device: b}]\nhardware:\n  devices:\n"
        "    - {id: a, gpu: h100, node: n, socket: 0}\n    - {id: b, gpu: h100, node: n, socket: "
        "0}\n"
        "  links: [{default: true, bandwidth_GBps: 10}]\n";
    const auto run = simulate(text);
    REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : listing(run.diagnostics())));
    const Loaded& loaded = run.value()->loaded();
    const ModelShape& m = *loaded.scenario.pipeline.model;
    CHECK(m.hidden_dim == 4096);
    CHECK(m.kv_heads == 8);
    CHECK(m.gated);
    CHECK(m.vocab_size == 1000);
    CHECK(m.experts ==
          ExpertShape{.count = 8, .active = 3, .shared = 0, .ffn_dim = 14336, .dense_layers = 0});
    CHECK(loaded.scenario.pipeline.stages[1].layers == 16);
    const std::string resolved = run.value()->resolved_yaml();
    CAPTURE(resolved);
    CHECK(resolved.find("preset: mixtral-8x7b\n") != std::string::npos);
    CHECK(resolved.find("hidden_dim: 4096  # preset\n") != std::string::npos);
    CHECK(resolved.find("vocab_size: 1000\n") != std::string::npos);
    CHECK(resolved.find("ffn_dim: 14336  # preset\n") != std::string::npos);
    check_round_trip(loaded.scenario);
    const auto again = simulate(resolved);
    REQUIRE(again.ok());
    CHECK(again.value()->trace_hash() == run.value()->trace_hash());
    CHECK(again.value()->loaded().scenario_hash == loaded.scenario_hash);
    const auto origins = nlohmann::json::parse(run.value()->summary_json())["origins"];
    CHECK(origins["pipeline.model.layers"] == "preset");
    CHECK(origins["pipeline.model.seq_len"] == "written");
    CHECK(origins["pipeline.model.experts.count"] == "preset");
    CHECK(origins["pipeline.model.experts.active"] == "written");
    CHECK(origins["pipeline.model.attention"] == "default");
    // From outside too.
    const auto other = simulate(text, {{"pipeline.model.preset", "qwen3-30b-a3b"}});
    REQUIRE_MESSAGE(other.ok(), (other.ok() ? "" : listing(other.diagnostics())));
    CHECK(other.value()->loaded().scenario.pipeline.model->experts.ffn_dim == 768);
  }

  TEST_CASE("the printed text of every example is the same scenario and the same run") {
    const std::vector<std::string> files = example_files();
    CHECK(files.size() >= 15);
    for (const std::string& file : files) {
      CAPTURE(file);
      const std::string text = read_text(source_path(file));
      const Result<std::shared_ptr<const Run>> first = simulate(text);
      REQUIRE_MESSAGE(first.ok(), (first.ok() ? "" : listing(first.diagnostics())));
      const Loaded& loaded = first.value()->loaded();
      check_round_trip(loaded.scenario);
      for (const std::string& printed :
           {print_scenario(loaded.scenario), first.value()->resolved_yaml()}) {
        const Result<std::shared_ptr<const Run>> second = simulate(printed);
        REQUIRE_MESSAGE(second.ok(), (second.ok() ? "" : listing(second.diagnostics())));
        CHECK(second.value()->loaded().scenario == loaded.scenario);
        CHECK(second.value()->loaded().scenario_hash == loaded.scenario_hash);
        CHECK(second.value()->trace_hash() == first.value()->trace_hash());
      }
    }
  }

  TEST_CASE("a scenario that says everything survives, with every form of schedule") {
    check_round_trip(read(std::string(kMaximal)));
    check_round_trip(
        read(changed(kMaximal, {{std::string(kTimedStage), std::string(kLayersStage)}})));
    for (const std::string_view other : kOtherSchedules) {
      check_round_trip(
          read(changed(kMaximal, {{std::string(kNamedSchedule), std::string(other)}})));
    }
  }

  TEST_CASE("single options are printed, and count in the hash of the scenario") {
    const std::string warn = changed(
        kGood, {{"seed: 1", "physics: hops\n  options: {capacity: warn}"}, {"nvlink3", "nvlink"}});
    const std::string plain = changed(kGood, {{"seed: 1", "physics: hops"}, {"nvlink3", "nvlink"}});
    const Result<Loaded> a = load_scenario(warn);
    const Result<Loaded> b = load_scenario(plain);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    CHECK(print_scenario(a.value().scenario).find("capacity: warn") != std::string::npos);
    CHECK(print_scenario(b.value().scenario).find("capacity: error") != std::string::npos);
    CHECK(a.value().scenario_hash != b.value().scenario_hash);
  }

  TEST_CASE("what is switched off keeps its figures") {
    check_round_trip(
        read(changed(kMaximal, {{"optimizer:\n  enabled: true", "optimizer:\n  enabled: false"},
                                {"failure:\n  enabled: true", "failure:\n  enabled: false"}})));
    check_round_trip(read(std::string(kGood)));
  }

  TEST_CASE("names that look like something else survive") {
    for (const char* name : {"true",
                             "False",
                             "null",
                             "Null",
                             "NULL",
                             "~",
                             "yes",
                             "No",
                             "on",
                             "off",
                             "y",
                             "1e5",
                             "010",
                             "0x10",
                             "1_000",
                             ".5",
                             ".inf",
                             ".nan",
                             "-",
                             "-a",
                             "- a",
                             "--",
                             "?",
                             "? a",
                             ":",
                             "a:",
                             "a: b",
                             "a:b",
                             "#",
                             "a #b",
                             "#a",
                             "[a]",
                             "{a}",
                             "a,b",
                             "a]",
                             "&a",
                             "*a",
                             "!a",
                             "|",
                             ">",
                             "%a",
                             "@a",
                             "`a`",
                             "'",
                             "''",
                             "\"",
                             "a\"b",
                             "\\",
                             "a\\nb",
                             "\\u0041",
                             " a",
                             "a ",
                             " ",
                             "<<",
                             "=",
                             "a=b",
                             "a/b",
                             "a.b",
                             "a[0]",
                             "---",
                             "...",
                             "gpu 0",
                             "\xC3\xBC",
                             "\xE6\xA9\x9F\xE6\xA2\xB0",
                             "\xF0\x9F\x98\x80",
                             "\xE2\x80\xA8",
                             "\xEF\xBB\xBF"
                             "a",
                             "<script>alert(1)</script>"}) {
      CAPTURE(std::string(name));
      Scenario scenario = read(std::string(kGood));
      scenario.hardware.devices[0].id = name;
      scenario.hardware.devices[0].node = name;
      scenario.hardware.devices[0].socket = name;
      scenario.pipeline.stages[0].device = name;
      scenario.pipeline.schedule.name = name;
      scenario.output.trace_csv = name;
      scenario.ui = {name};
      check_round_trip(scenario);
    }
  }

  TEST_CASE("numbers survive to the last bit") {
    for (const double value :
         {0.1, 1.0 / 3, 1e-300, 123456789.123456789, 5e-321, 999999999999999.9}) {
      Scenario scenario = read(std::string(kGood));
      scenario.pipeline.stages[0].weights_mb = value;
      const double ms = value / 1024;
      scenario.pipeline.stages[0].compute.distribution = {DistributionKind::Normal, -ms, ms};
      check_round_trip(scenario);
    }
  }

  TEST_CASE("the resolved text marks what was not written") {
    const Result<std::shared_ptr<const Run>> run = simulate(kGood);
    REQUIRE(run.ok());
    const std::string text = run.value()->resolved_yaml();
    CHECK(text.find("microbatches: 4\n") != std::string::npos);
    CHECK(text.find("batches: 1  # default\n") != std::string::npos);
    CHECK(text.find("backward_factor: 2  # default\n") != std::string::npos);
    // The preset of an A100 has 156 TFLOP/s for fp32.
    CHECK(text.find("simulated with 156 TFLOP/s") != std::string::npos);
  }
}

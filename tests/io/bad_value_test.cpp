// Wrong values and missing keys: each is refused with the right code, path and place.
// A mark `@` in a change says where the problem must be placed.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/refused.hpp"

using namespace sluice;
using namespace sluice_test;

TEST_SUITE("io/bad_value") {
  TEST_CASE("the small scenario that the table changes is itself accepted") {
    const Result<Loaded> loaded = load_scenario(kGood);
    REQUIRE(loaded.ok());
    CHECK(listing(loaded.value().diagnostics) == "");
  }

  TEST_CASE("values of a wrong type are refused where they stand") {
    check_table({
        {"text for a number",
         {{"microbatches: 4", "microbatches: @many"}},
         Code::TypeNumber,
         "simulation.microbatches"},
        {"a list for a number",
         {{"microbatches: 4", "microbatches: @[4]"}},
         Code::TypeNumber,
         "simulation.microbatches"},
        {"a mapping for a number",
         {{"microbatches: 4", "microbatches: @{n: 4}"}},
         Code::TypeNumber,
         "simulation.microbatches"},
        {"a boolean for a number", {{kSeed, "seed: @true"}}, Code::TypeNumber, "simulation.seed"},
        {"a number in quotes",
         {{"microbatches: 4", "microbatches: @\"4\""}},
         Code::TypeNumber,
         "simulation.microbatches",
         "4"},
        {"a tagged text",
         {{"microbatches: 4", "microbatches: !!str @4"}},
         Code::TypeNumber,
         "simulation.microbatches",
         "4"},
        {"a fraction for a count",
         {{"microbatches: 4", "microbatches: @4.5"}},
         Code::TypeInteger,
         "simulation.microbatches"},
        {"a number for a boolean",
         {{kSeed, "step_barrier: @1"}},
         Code::TypeBoolean,
         "simulation.step_barrier",
         "true"},
        {"yes for true",
         {{kSeed, "step_barrier: @yes"}},
         Code::TypeBoolean,
         "simulation.step_barrier",
         "true"},
        {"a boolean in quotes",
         {{kSeed, "step_barrier: @'false'"}},
         Code::TypeBoolean,
         "simulation.step_barrier",
         "false"},
        {"a list for a boolean",
         {{kSeed, "step_barrier: @[]"}},
         Code::TypeBoolean,
         "simulation.step_barrier"},
        {"a list for text",
         {{"device: a", "device: @[a]"}},
         Code::TypeText,
         "pipeline.stages[0].device"},
        {"a mapping for text",
         {{"device: b", "device: @{id: b}"}},
         Code::TypeText,
         "pipeline.stages[1].device"},
        {"a scalar for a mapping",
         {{kCompute, "compute: @fast"}},
         Code::TypeMapping,
         "pipeline.stages[0].compute"},
        {"a list for a mapping",
         {{kCompute, "compute: @[10]"}},
         Code::TypeMapping,
         "pipeline.stages[0].compute"},
        {"a mapping for a list",
         {{kLinks, "  links: @{from: a}\n" + kLinks}},
         Code::TypeList,
         "hardware.links"},
        {"a scalar for a list",
         {{kLinks, kLinks + "  links: @all\n"}},
         Code::TypeList,
         "hardware.links"},
        {"a scalar for an item that is a mapping",
         {{kLinks, with_link("@fast")}},
         Code::TypeMapping,
         "hardware.links[0]"},
        {"an empty item", {{kLinks, with_link("@~")}}, Code::TypeMapping, "hardware.links[0]"},
        {"a list for a schedule",
         {{"schedule: 1f1b", "schedule: @[1f1b]"}},
         Code::TypeMapping,
         "pipeline.schedule"},
        {"a list for a distribution",
         {{"distribution: 10", "distribution: @[10]"}},
         Code::TypeMapping,
         "pipeline.stages[0].compute.distribution"},
        {"text for a distribution",
         {{"distribution: 10", "distribution: @fast"}},
         Code::TypeNumber,
         "pipeline.stages[0].compute.distribution"},
        {"a section that is a scalar",
         {{"hardware:", "optimizer: @off\nhardware:"}},
         Code::TypeMapping,
         "optimizer"},
        {"empty text",
         {{"device: a", "device: @''"}},
         Code::ValueEmpty,
         "pipeline.stages[0].device"},
        {"an empty list where one entry is due",
         {{"", "failure: {}\nui: []\n"}, {"schedule: 1f1b", "schedule: {policy: {rules: @[]}}"}},
         Code::ValueEmpty,
         "pipeline.schedule.policy.rules"},
    });
  }

  TEST_CASE("numbers follow one decimal grammar, and units are not part of them") {
    const std::string path = "pipeline.activation_mb";
    struct Number {
      const char* text;
      Code code;
    };
    for (const Number& n :
         std::vector<Number>{{"8MB", Code::NumberSyntax},   {"3 ms", Code::NumberSyntax},
                             {"0x10", Code::NumberSyntax},  {"010", Code::NumberSyntax},
                             {"0o10", Code::NumberSyntax},  {"1_000", Code::NumberSyntax},
                             {"1,5", Code::NumberSyntax},   {".inf", Code::NumberSyntax},
                             {"-.inf", Code::NumberSyntax}, {".nan", Code::NumberSyntax},
                             {"NaN", Code::TypeNumber},     {"inf", Code::TypeNumber},
                             {"1e", Code::NumberSyntax},    {"1.2.3", Code::NumberSyntax},
                             {"--1", Code::NumberSyntax},   {"1:30", Code::NumberSyntax},
                             {"10%", Code::NumberSyntax},   {"1e400", Code::NumberRange},
                             {"-1e400", Code::NumberRange}, {"1e-400", Code::NumberRange}}) {
      check_refused(
          n.text, changed(kGood, {{"activation_mb: 8", "activation_mb: @" + std::string(n.text)}}),
          n.code, path);
    }
    check_refused(
        "450GB/s",
        changed(kGood, {{kLinks, with_link("{from: a, to: b, bandwidth_GBps: @450GB/s}")}}),
        Code::NumberSyntax, "hardware.links[0].bandwidth_GBps");
  }

  TEST_CASE("the message for a wrong number says what to write instead") {
    const auto first = [](const char* value) {
      const Result<Loaded> loaded = load_scenario(
          changed(kGood, {{"activation_mb: 8", "activation_mb: " + std::string(value)}}));
      REQUIRE(!loaded.ok());
      return loaded.diagnostics().front();
    };
    CHECK(first("8MB").message.find("`activation_mb`") != std::string::npos);
    CHECK(first("8MB").message.find("\"8MB\"") != std::string::npos);
    CHECK(first("8MB").hint.find("MiB") != std::string::npos);
    CHECK(first("1_000").hint.find("1000") != std::string::npos);
    CHECK(first("1,5").hint.find("point") != std::string::npos);
    CHECK(first("010").hint.find("decimal") != std::string::npos);
    CHECK(first("-8").message.find("0 MiB or more") != std::string::npos);
    CHECK(first("'8'").hint.find("quotes") != std::string::npos);
  }

  TEST_CASE("values out of range are refused, and the range is named") {
    const auto distribution = [](const std::string& d) {
      return Changes{{"distribution: 10", "distribution: {" + d + "}"}};
    };
    const std::string at = "pipeline.stages[0].compute.distribution.";
    const std::string std_at = at + "std";
    const std::string alpha_at = at + "alpha";
    const std::string lam_at = at + "lam";
    check_table({
        {"negative weights",
         {{"weights_mb: 100", "weights_mb: @-1"}},
         Code::ValueRange,
         "pipeline.stages[0].weights_mb"},
        {"no microbatch",
         {{"microbatches: 4", "microbatches: @0"}},
         Code::ValueRange,
         "simulation.microbatches"},
        {"negative microbatches",
         {{"microbatches: 4", "microbatches: @-4"}},
         Code::ValueRange,
         "simulation.microbatches"},
        {"no batch", {{kSeed, "batches: @0"}}, Code::ValueRange, "simulation.batches"},
        {"negative seed", {{kSeed, "seed: @-1"}}, Code::ValueRange, "simulation.seed"},
        {"seed beyond 2^53",
         {{kSeed, "seed: @9007199254740993000"}},
         Code::ValueRange,
         "simulation.seed"},
        {"fraction above 1",
         {{"schedule: 1f1b",
           "schedule: 1f1b\n  backward_split: {activation_grad_fraction: @1.01}"}},
         Code::ValueRange,
         "pipeline.backward_split.activation_grad_fraction"},
        {"backward factor 0",
         {{"schedule: 1f1b", "schedule: 1f1b\n  backward_factor: @0"}},
         Code::ValueRange,
         "pipeline.backward_factor"},
        {"negative activation",
         {{"activation_mb: 8", "activation_mb: @-0.5"}},
         Code::ValueRange,
         "pipeline.activation_mb"},
        {"model without size",
         {{"schedule: 1f1b", "schedule: 1f1b\n  model: {hidden_dim: @0, seq_len: 1}"}},
         Code::ValueRange,
         "pipeline.model.hidden_dim"},
        {"negative deviation", distribution("type: normal, mean: 1, std: @-1"), Code::ValueRange,
         std_at},
        {"tail index 0", distribution("type: heavy_tailed, base: 1, alpha: @0"), Code::ValueRange,
         alpha_at},
        {"negative lambda", distribution("type: poisson, lam: @-1"), Code::ValueRange, lam_at},
        {"probability 2",
         {{"",
           "failure: {enabled: true, check_interval_ms: 1, device_failure_probability: @2, "
           "link_failure_probability: 0, recovery_time_ms: 1}\n"}},
         Code::ValueRange,
         "failure.device_failure_probability"},
        {"check interval 0",
         {{"",
           "failure: {enabled: true, check_interval_ms: @0, device_failure_probability: 0, "
           "link_failure_probability: 0, recovery_time_ms: 1}\n"}},
         Code::ValueRange,
         "failure.check_interval_ms"},
        {"accumulation 0",
         {{"", "optimizer: {accumulation_steps: @0}\n"}},
         Code::ValueRange,
         "optimizer.accumulation_steps"},
        {"bandwidth 0",
         {{kLinks, with_link("{from: a, to: b, bandwidth_GBps: @0}")}},
         Code::ValueRange,
         "hardware.links[0].bandwidth_GBps"},
        {"negative latency",
         {{kLinks, with_link("{from: a, to: b, bandwidth_GBps: 1, latency_us: @-1}")}},
         Code::ValueRange,
         "hardware.links[0].latency_us"},
        {"peak 0",
         {{kDeviceB, "{id: b, gpu: a100, node: n0, socket: 0, tflops: {fp32: @0}}"}},
         Code::ValueRange,
         "hardware.devices[1].tflops.fp32"},
        {"efficiency 0",
         {{kCompute, "compute: {mode: analytical, tflop: 1, efficiency: {compute: @0}}"}},
         Code::ValueRange,
         "pipeline.stages[0].compute.efficiency.compute"},
        {"an id of 201 characters",
         {{"device: a", "device: @" + std::string(201, 'x')}},
         Code::ValueRange,
         "pipeline.stages[0].device"},
        {"a word that is not a choice",
         {{kSeed, "physics: @newton"}},
         Code::ValueChoice,
         "simulation.physics"},
        {"a choice with a slip",
         {{kSeed, "transfers: @bandwith"}},
         Code::ValueChoice,
         "simulation.transfers",
         "bandwidth"},
        {"a precision there is not",
         {{"schedule: 1f1b", "schedule: 1f1b\n  precision: @fp15"}},
         Code::ValueChoice,
         "pipeline.precision",
         "fp16"},
        {"a list for a choice",
         {{kSeed, "physics: @[hops]"}},
         Code::ValueChoice,
         "simulation.physics"},
    });
  }

  TEST_CASE("ids of 200 characters are accepted, however many bytes they have") {
    const std::string id = repeated("\xC3\xA9", 200);
    const Result<Loaded> loaded = load_scenario(
        changed(kGood, {{"device: a", "device: " + id}, {"{id: a,", "{id: " + id + ","}}));
    CHECK(loaded.ok());
  }

  TEST_CASE("a wrong or missing `type` is one problem, not one for each key beside it") {
    check_table({
        {"type there is not",
         {{"distribution: 10", "distribution: {type: @gaussian, mean: 3, std: 1}"}},
         Code::ValueChoice,
         "pipeline.stages[0].compute.distribution.type"},
        {"no type",
         {{"distribution: 10", "@distribution: {mean: 3, std: 1}"}},
         Code::KeyMissing,
         "pipeline.stages[0].compute.distribution.type"},
        {"no mode",
         {{kCompute, "@compute: {distribution: 10}"}},
         Code::KeyMissing,
         "pipeline.stages[0].compute.mode"},
        {"mode there is not",
         {{kCompute, "compute: {mode: @explicitly, distribution: 10}"}},
         Code::ValueChoice,
         "pipeline.stages[0].compute.mode",
         "explicit"},
    });
  }

  TEST_CASE("missing sections and keys are named, at what they are missing from") {
    const std::string hardware(kGood.substr(kGood.find("hardware:")));
    const std::string pipeline(
        kGood.substr(kGood.find("pipeline:"), kGood.find("hardware:") - kGood.find("pipeline:")));
    const std::string stages(pipeline.substr(pipeline.find("  stages:")));
    const std::string simulation(kGood.substr(0, kGood.find("pipeline:")));
    check_table({
        {"simulation", {{simulation, "@"}}, Code::KeyMissing, "simulation"},
        {"pipeline", {{pipeline, ""}, {"simulation", "@simulation"}}, Code::KeyMissing, "pipeline"},
        {"hardware", {{hardware, ""}, {"simulation", "@simulation"}}, Code::KeyMissing, "hardware"},
        {"microbatches",
         {{"  microbatches: 4\n", ""}, {"simulation", "@simulation"}},
         Code::KeyMissing,
         "simulation.microbatches"},
        {"schedule",
         {{"  schedule: 1f1b\n", ""}, {"pipeline", "@pipeline"}},
         Code::KeyMissing,
         "pipeline.schedule"},
        {"stages", {{stages, ""}, {"pipeline", "@pipeline"}}, Code::KeyMissing, "pipeline.stages"},
        {"schedule without a value",
         {{"schedule: 1f1b", "@schedule:"}},
         Code::KeyMissing,
         "pipeline.schedule"},
        {"device of a stage",
         {{"- device: a\n      weights_mb", "- @weights_mb"}},
         Code::KeyMissing,
         "pipeline.stages[0].device"},
        {"weights",
         {{"device: a\n      weights_mb: 100", "@device: a"}},
         Code::KeyMissing,
         "pipeline.stages[0].weights_mb"},
        {"compute",
         {{"device: a", "@device: a"}, {"      " + kCompute + "\n", ""}},
         Code::KeyMissing,
         "pipeline.stages[0]"},
        {"distribution",
         {{kCompute, "@compute: {mode: explicit}"}},
         Code::KeyMissing,
         "pipeline.stages[0].compute.distribution"},
        {"tflop",
         {{kCompute, "@compute: {mode: analytical}"}},
         Code::KeyMissing,
         "pipeline.stages[0].compute.tflop"},
        {"devices",
         {{"  devices:\n    - {id: a, gpu: a100, node: n0, socket: 0}\n    - " + kDeviceB + "\n",
           ""},
          {"hardware:", "@hardware:"}},
         Code::KeyMissing,
         "hardware.devices"},
        {"id",
         {{kDeviceB, "@{gpu: a100, node: n0, socket: 0}"}},
         Code::KeyMissing,
         "hardware.devices[1].id"},
        {"gpu or cpu",
         {{kDeviceB, "@{id: b, node: n0, socket: 0}"}},
         Code::KeyMissing,
         "hardware.devices[1]"},
        {"node",
         {{kDeviceB, "@{id: b, gpu: a100, socket: 0}"}},
         Code::KeyMissing,
         "hardware.devices[1].node"},
        {"socket",
         {{kDeviceB, "@{id: b, gpu: a100, node: n0}"}},
         Code::KeyMissing,
         "hardware.devices[1].socket"},
        {"mean",
         {{"distribution: 10", "@distribution: {type: normal, std: 1}"}},
         Code::KeyMissing,
         "pipeline.stages[0].compute.distribution.mean"},
        {"seq_len",
         {{"schedule: 1f1b", "schedule: 1f1b\n  @model: {hidden_dim: 1}"}},
         Code::KeyMissing,
         "pipeline.model.seq_len"},
        {"distribution of backward",
         {{kCompute, kCompute + "\n      @backward: {}"}},
         Code::KeyMissing,
         "pipeline.stages[0].backward.distribution"},
        {"update", {{"", "@optimizer: {enabled: true}\n"}}, Code::KeyMissing, "optimizer.update"},
        {"recovery time",
         {{"",
           "@failure: {enabled: true, check_interval_ms: 1, device_failure_probability: 0, "
           "link_failure_probability: 0}\n"}},
         Code::KeyMissing,
         "failure.recovery_time_ms"},
        {"source of an override",
         {{"", "overrides:\n  links:\n    - @{dst: b, bandwidth_gbps: 1, latency_us: 1}\n"}},
         Code::KeyMissing,
         "overrides.links[0].src"},
        {"bandwidth of a link",
         {{kLinks, with_link("@{from: a, to: b}")}},
         Code::KeyMissing,
         "hardware.links[0].bandwidth_GBps"},
        {"ends of a link",
         {{kLinks, with_link("@{from: a, bandwidth_GBps: 1}")}},
         Code::KeyMissing,
         "hardware.links[0]"},
        {"rules",
         {{"schedule: 1f1b", "schedule: {@policy: {split: false}}"}},
         Code::KeyMissing,
         "pipeline.schedule.policy.rules"},
        {"name and policy",
         {{"schedule: 1f1b", "schedule: @{}"}},
         Code::KeyMissing,
         "pipeline.schedule"},
    });
  }

  TEST_CASE("control characters written as escapes are refused in names") {
    check_table({
        {"NUL",
         {{"device: a", "device: @\"a\\0\""}},
         Code::TextControlCharacter,
         "pipeline.stages[0].device"},
        {"a line break",
         {{"device: a", "device: @\"a\\nb\""}},
         Code::TextControlCharacter,
         "pipeline.stages[0].device"},
        {"escape of a terminal",
         {{"device: a", "device: @\"\\e[31m\""}},
         Code::TextControlCharacter,
         "pipeline.stages[0].device"},
        {"C1",
         {{"device: a", "device: @\"\\x9b\""}},
         Code::TextControlCharacter,
         "pipeline.stages[0].device"},
    });
  }
}

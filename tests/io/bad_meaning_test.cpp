// Wrong names, references, rules and sizes: each is refused with the right code, path and place.
// A mark `@` in a change says where the problem must be placed.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/refused.hpp"

using namespace sluice;
using namespace sluice_test;

TEST_SUITE("io/bad_meaning") {
  TEST_CASE("unknown keys are placed at the key and named after their neighbours") {
    check_table({
        {"a slip",
         {{"microbatches: 4", "microbatches: 4\n  @microbatchs: 4"}},
         Code::KeyUnknown,
         "simulation.microbatchs",
         "microbatches"},
        {"a section", {{"", "@optimiser: {}\n"}}, Code::KeyUnknown, "optimiser", "optimizer"},
        {"nothing like it", {{"", "@zzzzzz: 1\n"}}, Code::KeyUnknown, "zzzzzz"},
        {"in a list",
         {{kDeviceB, "{id: b, gpu: a100, node: n0, socket: 0, @memory_GB: 3}"}},
         Code::KeyUnknown,
         "hardware.devices[1].memory_GB",
         "memory_GiB"},
        {"in quotes", {{kSeed, "@\"seeds\": 1"}}, Code::KeyUnknown, "simulation.seeds", "seed"},
        {"behind text that is not ASCII",
         {{kDeviceB,
           "{id: b, gpu: a100, node: 'm\xC3\xBCnchen \xE2\x86\x92 k\xC3\xB6ln \xF0\x9F\x98\x80', "
           "socket: 0, @sokket: 3}"}},
         Code::KeyUnknown,
         "hardware.devices[1].sokket",
         "socket"},
        {"of another mode",
         {{kCompute, "compute: {mode: explicit, distribution: 10, @tflop: 3}"}},
         Code::KeyUnknown,
         "pipeline.stages[0].compute.tflop"},
        {"of another distribution",
         {{"distribution: 10", "distribution: {type: constant, value: 1, @std: 1}"}},
         Code::KeyUnknown,
         "pipeline.stages[0].compute.distribution.std"},
        {"both gpu and cpu",
         {{kDeviceB, "{id: b, gpu: a100, @cpu: cpu-standard, node: n0, socket: 0}"}},
         Code::KeyConflict,
         "hardware.devices[1].cpu"},
        {"schedule with name and policy",
         {{"schedule: 1f1b", "schedule: {name: 1f1b, @policy: {rules: [F, B]}}"}},
         Code::KeyConflict,
         "pipeline.schedule.policy"},
    });
  }

  TEST_CASE("a suggestion replaces exactly the key") {
    std::string text = changed(kGood, {{"microbatches: 4", "microbatchs: 4"}});
    const Result<Loaded> loaded = load_scenario(text);
    REQUIRE(!loaded.ok());
    const Diagnostic& unknown = loaded.diagnostics().back();
    REQUIRE(unknown.code == Code::KeyUnknown);
    CHECK(unknown.line == 2);
    CHECK(unknown.column == 3);
    CHECK(unknown.end_line == 2);
    CHECK(unknown.end_column == 14);
    CHECK(unknown.hint == "did you mean \"microbatches\"?");
    const std::size_t line = text.find('\n') + 1;
    text.replace(line + 2, 11, unknown.fix);
    CHECK(text == kGood);
  }

  TEST_CASE("references to what does not exist are refused, with the nearest name") {
    check_table({
        {"device of a stage",
         {{"- device: a", "- device: @aa"}},
         Code::ReferenceDevice,
         "pipeline.stages[0].device",
         "a"},
        {"from of a link",
         {{kLinks, with_link("{from: @x1, to: b, bandwidth_GBps: 1, oneway: true}")}},
         Code::ReferenceDevice,
         "hardware.links[0].from"},
        {"to of a link",
         {{kLinks, with_link("{from: a, to: @x1, bandwidth_GBps: 1, oneway: true}")}},
         Code::ReferenceDevice,
         "hardware.links[0].to"},
        {"device of an override",
         {{"", "overrides: {devices: [{id: @xyz, memory_mb: 1}]}\n"}},
         Code::ReferenceDevice,
         "overrides.devices[0].id"},
        {"link of an override",
         {{"", "overrides: {links: [{src: a, dst: @xyz, bandwidth_gbps: 1, latency_us: 0}]}\n"}},
         Code::ReferenceDevice,
         "overrides.links[0].dst"},
        {"device of a placement",
         {{kCompute,
           "compute: {mode: analytical, tflop: 1}\n      memory_placement: {kind: device, device: "
           "@xyz}"}},
         Code::ReferenceDevice,
         "pipeline.stages[0].memory_placement.device"},
        {"node of a placement",
         {{kCompute,
           "compute: {mode: analytical, tflop: 1}\n      memory_placement: {kind: socket, node: "
           "@n7, socket: 0}"}},
         Code::ReferenceNode,
         "pipeline.stages[0].memory_placement.node"},
        {"gpu preset",
         {{kDeviceB, "{id: b, gpu: @a1000, node: n0, socket: 0}"}},
         Code::ReferencePreset,
         "hardware.devices[1].gpu",
         "a100"},
        {"interconnect preset",
         {{"nvlink3", "@nvlink33"}},
         Code::ReferencePreset,
         "hardware.interconnect.same_node",
         "nvlink3"},
        {"a CPU under gpu",
         {{kDeviceB, "{id: b, gpu: @cpu-standard, node: n0, socket: 0}"}},
         Code::PresetKind,
         "hardware.devices[1].gpu"},
        {"a GPU under cpu",
         {{kDeviceB, "{id: b, cpu: @a100, node: n0, socket: 0}"}},
         Code::PresetKind,
         "hardware.devices[1].cpu"},
        {"schedule",
         {{"schedule: 1f1b", "schedule: @1f1bb"}},
         Code::ReferenceSchedule,
         "pipeline.schedule",
         "1f1b"},
        {"schedule by name",
         {{"schedule: 1f1b", "schedule: @{name: gpip}"}},
         Code::ReferenceSchedule,
         "pipeline.schedule",
         "gpipe"},
        {"second device of one id",
         {{"{id: b", "{id: @a"}, {"device: b", "device: a"}},
         Code::IdDuplicate,
         "hardware.devices[1].id"},
        {"link to itself",
         {{kLinks, with_link("@{from: a, to: a, bandwidth_GBps: 1, oneway: true}")}},
         Code::LinkSelf,
         "hardware.links[0]"},
        {"no link",
         {{kLinks, ""}, {"hardware:\n  ", "hardware:\n  @"}},
         Code::LinkMissing,
         "hardware",
         "",
         2},
    });
  }

  TEST_CASE("rules of a policy are refused where they stand") {
    check_table({
        {"unknown name",
         {{"schedule: 1f1b", policy("@'forward > 1: F', B")}},
         Code::PolicySyntax,
         "pipeline.schedule.policy.rules[0]"},
        {"no kind",
         {{"schedule: 1f1b", policy("F, @'rank > 1'")}},
         Code::PolicySyntax,
         "pipeline.schedule.policy.rules[1]"},
        {"wrong kind",
         {{"schedule: 1f1b", policy("F, @X")}},
         Code::PolicySyntax,
         "pipeline.schedule.policy.rules[1]"},
        {"W without split",
         {{"schedule: 1f1b", policy("F, @W")}},
         Code::PolicySplit,
         "pipeline.schedule.policy.rules[1]"},
        {"B with split",
         {{"schedule: 1f1b", "schedule: {policy: {split: true, rules: [F, @B]}}"}},
         Code::PolicySplit,
         "pipeline.schedule.policy.rules[1]"},
        {"half a comparison",
         {{"schedule: 1f1b", policy("@'rank >: F', B")}},
         Code::PolicySyntax,
         "pipeline.schedule.policy.rules[0]"},
        {"an open parenthesis",
         {{"schedule: 1f1b", policy("@'(rank > 1: F', B")}},
         Code::PolicySyntax,
         "pipeline.schedule.policy.rules[0]"},
        {"too many parentheses",
         {{"schedule: 1f1b",
           policy("@'" + repeated("(", 300) + "rank" + repeated(")", 300) + " > 1: F', B")}},
         Code::PolicySyntax,
         "pipeline.schedule.policy.rules[0]"},
        {"too many signs",
         {{"schedule: 1f1b", policy("@'" + repeated("-", 300) + "rank: F', B")}},
         Code::PolicySyntax,
         "pipeline.schedule.policy.rules[0]"},
        {"a rule without quotes",
         {{"schedule: 1f1b", policy("@{rank > 1: F}, B")}},
         Code::TypeText,
         "pipeline.schedule.policy.rules[0]"},
        {"a policy cannot run rank by rank",
         {{"schedule: 1f1b", policy("'rank >= 0: B', F")}, {kSeed, "step_barrier: @false"}},
         Code::ScheduleConstraint,
         "simulation.step_barrier"},
    });
  }

  TEST_CASE("limits are refused before anything is made") {
    std::string stages = "  stages:\n";
    for (int i = 0; i < 5000; ++i) {
      stages += "    - {device: a, weights_mb: 1, compute: {mode: explicit, distribution: 1}}\n";
    }
    const std::string old(
        kGood.substr(kGood.find("  stages:"), kGood.find("hardware:") - kGood.find("  stages:")));
    check_table({
        {"10^9 microbatches",
         {{"microbatches: 4", "microbatches: @1000000000"}},
         Code::LimitMicrobatches,
         "simulation.microbatches"},
        {"10^12 microbatches",
         {{"microbatches: 4", "microbatches: @1e12"}},
         Code::LimitMicrobatches,
         "simulation.microbatches"},
        {"5000 stages",
         {{old, stages}, {"  stages:\n    - ", "  stages:\n    @- "}},
         Code::LimitStages,
         "pipeline.stages"},
        {"too many operations",
         {{"microbatches: 4", "@microbatches: 1000000"}, {kSeed, "batches: 1000"}},
         Code::LimitOperations,
         "simulation"},
        {"a duration beyond 100 days",
         {{kCompute, "compute: @{mode: explicit, distribution: 1e11}"}},
         Code::LimitTime,
         "pipeline.stages[0].compute"},
        {"a latency beyond 100 days",
         {{kLinks,
           with_link("{from: a, to: b, bandwidth_GBps: 1, latency_us: @1e14, oneway: true}")}},
         Code::LimitTime,
         "hardware.links[0].latency_us"},
    });
  }

  TEST_CASE("under hops a device that is too small is an error, elsewhere a note") {
    const Changes heavy{
        {"weights_mb: 100", "weights_mb: 1e6"}, {"{id: a", "@{id: a"}, {"nvlink3", "nvlink"}};
    Changes hops = heavy;
    hops.push_back({kSeed, "physics: hops"});
    check_refused("capacity under hops", changed(kGood, hops), Code::CapacityExceeded,
                  "hardware.devices[0]");
    std::string text = changed(kGood, heavy);
    take_mark(text);
    CHECK(load_scenario(text).ok());
  }

  TEST_CASE("under hops unknown keys are warnings, and any number of them hides no error") {
    std::string keys;
    for (int i = 0; i < 500; ++i) keys += "  nonsense_" + std::to_string(i) + ": 1\n";
    const std::string text =
        changed(kGood, {{kSeed + "\n", "physics: hops\n" + keys}, {"nvlink3", "nvlink"}});
    const Result<Loaded> loaded = load_scenario(text);
    REQUIRE(loaded.ok());
    CHECK(loaded.value().diagnostics.size() == kMaxDiagnostics);
    const Diagnostic& first = loaded.value().diagnostics.front();
    CHECK(first.code == Code::KeyUnknown);
    CHECK(first.severity == Severity::Warning);
    CHECK(first.line == 4);
    CHECK(first.column == 3);

    const Result<Loaded> wrong =
        load_scenario(changed(text, {{"weights_mb: 100", "weights_mb: -1"}}));
    REQUIRE(!wrong.ok());
    CHECK(wrong.diagnostics().size() == kMaxDiagnostics);
    CHECK(has_errors(wrong.diagnostics()));
  }

  TEST_CASE("all problems of a file are told, in the order of their places") {
    const Result<Loaded> loaded = load_scenario(
        changed(kGood, {{kSeed, "seed: -1\n  sede: 2"}, {"weights_mb: 100", "weights_mb: heavy"}}));
    REQUIRE(!loaded.ok());
    const Diagnostics& found = loaded.diagnostics();
    const std::string all = listing(found);
    CAPTURE(all);
    REQUIRE(found.size() == 3);
    CHECK(found[0].path == "simulation.seed");
    CHECK(found[1].path == "simulation.sede");
    CHECK(found[2].path == "pipeline.stages[0].weights_mb");
    CHECK(found[0].line == 3);
    CHECK(found[1].line == 4);
    CHECK(found[2].line == 10);
  }

  TEST_CASE("a model's shape that cannot be is refused at what is wrong") {
    const std::string given =
        "      weights_mb: 100\n      compute: {mode: explicit, distribution: 10}\n";
    const auto model = [&](const std::string& keys) {
      return Changes{{"activation_mb: 8", "model: {" + keys + "}\n  partition: uniform"},
                     {given, ""},
                     {given, ""}};
    };
    const std::string small = "hidden_dim: 64, seq_len: 8";
    check_table({
        {"a name of no shape", model("preset: @llama-3-8, seq_len: 8"), Code::ReferencePreset,
         "pipeline.model.preset", "llama-3-8b"},
        {"nothing like it", model("preset: @zzz"), Code::ReferencePreset, "pipeline.model.preset"},
        {"a preset without a context", model("preset: llama-3.1-405b"), Code::KeyMissing,
         "pipeline.model.seq_len"},
        {"a wrong value over a preset", model("preset: llama-3-8b, layers: @0"), Code::ValueRange,
         "pipeline.model.layers"},
        {"a letter", model(small + ", heads: 4, layer_kinds: @TXT"), Code::ValueChoice,
         "pipeline.model.layer_kinds"},
        {"fewer letters than layers", model(small + ", heads: 4, layers: 4, layer_kinds: @'M-*'"),
         Code::ValueRange, "pipeline.model.layer_kinds"},
        {"letters for a preset's layers", model("preset: llama-3-8b, layer_kinds: @'M-*'"),
         Code::ValueRange, "pipeline.model.layer_kinds"},
        {"attention without heads", model(small + ", layer_kinds: 'M-*'"), Code::KeyMissing,
         "pipeline.model.heads"},
        {"more active experts than there are",
         model(small + ", heads: 4, layers: 4, experts: {count: 2, active: @3, ffn_dim: 16}"),
         Code::ValueRange, "pipeline.model.experts.active"},
        {"experts without a size",
         model(small + ", heads: 4, layers: 4, experts: {count: 4, active: 2}"), Code::KeyMissing,
         "pipeline.model.experts.ffn_dim"},
        {"a key that experts do not have",
         model(small +
               ", heads: 4, layers: 4, experts: {count: 4, active: 2, ffn_dim: 8, @share: 1}"),
         Code::KeyUnknown, "pipeline.model.experts.share", "shared"},
        {"latent attention without a rank",
         model(small + ", heads: 4, layers: 4, mla: {nope: 8, v: 8}"), Code::KeyMissing,
         "pipeline.model.mla.kv_lora"},
        {"a state of nothing", model(small + ", layer_kinds: MM, ssm: {state: @0}"),
         Code::ValueRange, "pipeline.model.ssm.state"},
    });
  }

  TEST_CASE("a wrong schedule, device and preset are told together") {
    const Result<Loaded> loaded = load_scenario(changed(
        kGood,
        {{"1f1b", "1f1x"}, {"device: a", "device: x"}, {"weights_mb: 100", "weights_mb: 1"}}));
    REQUIRE(!loaded.ok());
    const std::string all = listing(loaded.diagnostics());
    CAPTURE(all);
    REQUIRE(loaded.diagnostics().size() == 2);
    CHECK(loaded.diagnostics()[0].code == Code::ReferenceSchedule);
    CHECK(loaded.diagnostics()[1].code == Code::ReferenceDevice);
  }

  TEST_CASE("at most a hundred problems are told, however many there are") {
    std::string many = "simulation:\n";
    for (int i = 0; i < 60'000; ++i) many += "  k" + std::to_string(i) + ": 1\n";
    std::string ids = "hardware:\n  devices:\n";
    for (int i = 0; i < 2000; ++i) ids += "    - {id: x, gpu: nope, node: n, socket: 0}\n";
    std::string twice = "simulation:\n";
    for (int i = 0; i < 60'000; ++i) twice += "  seed: 1\n";
    const std::string old(kGood.substr(kGood.find("hardware:")));
    for (const std::string& text : {many, changed(kGood, {{old, ids}}), twice}) {
      const double began = seconds_now();
      const Result<Loaded> loaded = load_scenario(text);
      CHECK(seconds_now() - began < patience_seconds());
      REQUIRE(!loaded.ok());
      CHECK(loaded.diagnostics().size() == kMaxDiagnostics);
    }
  }

  TEST_CASE("messages stay short, on one line and without control characters") {
    const std::string large(300'000, 'x');
    for (const std::string& value :
         {large, "\"\\e[2J\\n" + repeated("\xC3\xA9", 100) + "\"", repeated("\xE2\x82\xAC", 500)}) {
      for (const char* key : {"seed", "physics", "step_barrier", "unknown", "batches"}) {
        for (const Changes& change : {Changes{{kSeed, std::string(key) + ": " + value}},
                                      Changes{{kSeed, "? " + value + "\n  : 1"}}}) {
          const Result<Loaded> loaded = load_scenario(changed(kGood, change));
          REQUIRE(!loaded.ok());
          for (const Diagnostic& d : loaded.diagnostics()) {
            CHECK(d.message.size() < 1000);
            CHECK(d.path.size() < 500);
            for (const std::string& text : {d.message, d.hint, d.path}) {
              CHECK(text.find('\n') == std::string::npos);
              CHECK(text.find('\x1b') == std::string::npos);
            }
          }
        }
      }
    }
  }
}

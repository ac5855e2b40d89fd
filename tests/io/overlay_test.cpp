// `--set path=value`: where a path leads, what a value may be, and in what order they apply.
#include "io/overlay.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "api/load.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

Result<Loaded> loaded_with(const std::vector<Setting>& settings, std::string_view text = kGood) {
  return load_scenario(text, settings);
}

Scenario with(const std::vector<Setting>& settings, std::string_view text = kGood) {
  Result<Loaded> loaded = loaded_with(settings, text);
  REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : listing(loaded.diagnostics())));
  return std::move(loaded).value().scenario;
}

void check_refused(const std::vector<Setting>& settings, Code code) {
  const Result<Loaded> loaded = loaded_with(settings);
  CAPTURE(settings.back().path);
  CAPTURE(settings.back().value);
  REQUIRE(!loaded.ok());
  CHECK(code_text(loaded.diagnostics().front().code) == code_text(code));
  CHECK(!loaded.diagnostics().front().message.empty());
}

}  // namespace

TEST_SUITE("io/overlay") {
  TEST_CASE("a path leads through keys, indices and ids") {
    CHECK(with({{"simulation.microbatches", "9"}}).simulation.microbatches == 9);
    CHECK(with({{"pipeline.stages[1].weights_mb", "7"}}).pipeline.stages[1].weights_mb == 7);
    CHECK(with({{"hardware.devices[0].gpu", "h100"}}).hardware.devices[0].preset == "h100");
    CHECK(with({{"hardware.devices.b.gpu", "h100"}}).hardware.devices[1].preset == "h100");
    CHECK(with({{"hardware.devices[b].gpu", "h100"}}).hardware.devices[1].preset == "h100");
    CHECK(with({{"ui", "[x.y]"}}).ui == std::vector<std::string>{"x.y"});
  }

  TEST_CASE("ids with dots, brackets' digits and unicode can be named") {
    const std::string text = changed(kGood, {{"{id: a,", "{id: gpu.0,"},
                                             {"device: a", "device: gpu.0"},
                                             {"{id: b,", "{id: \xC3\xBC,"},
                                             {"device: b", "device: \xC3\xBC"}});
    CHECK(with({{"hardware.devices[gpu.0].gpu", "h100"}}, text).hardware.devices[0].preset ==
          "h100");
    CHECK(with({{"hardware.devices.\xC3\xBC.gpu", "h100"}}, text).hardware.devices[1].preset ==
          "h100");
    const std::string digits = changed(kGood, {{"{id: a,", "{id: 1,"}, {"device: a", "device: 1"}});
    // Digits in brackets are an index, behind a dot an id.
    CHECK(with({{"hardware.devices[1].gpu", "h100"}}, digits).hardware.devices[1].preset == "h100");
    CHECK(with({{"hardware.devices.1.gpu", "h100"}}, digits).hardware.devices[0].preset == "h100");
  }

  TEST_CASE("missing keys of mappings are made, list items are not") {
    CHECK(with({{"simulation.options.capacity", "enforce"}}).simulation.options.capacity ==
          Capacity::Enforce);
    CHECK(with({{"optimizer.enabled", "true"}, {"optimizer.update", "3"}}).optimizer.update->a ==
          3);
    check_refused({{"pipeline.stages[2].weights_mb", "1"}}, Code::SetPath);
    check_refused({{"hardware.devices.c.gpu", "h100"}}, Code::SetPath);
    check_refused({{"hardware.devices[c].gpu", "h100"}}, Code::SetPath);
    check_refused({{"hardware.links[0].from", "a"}}, Code::SetPath);
    check_refused({{"simulation.seed.deeper", "1"}}, Code::SetPath);
    check_refused({{"simulation[0]", "1"}}, Code::SetPath);
    check_refused({{"simulation[seed]", "1"}}, Code::SetPath);
  }

  TEST_CASE("a value is YAML: numbers, words, quotes, lists and mappings, and nothing") {
    CHECK(with({{"pipeline.stages[0].compute.distribution", "{type: normal, mean: 3, std: 1}"}})
              .pipeline.stages[0]
              .compute.distribution == Distribution{DistributionKind::Normal, 3, 1});
    CHECK(with({{"pipeline.schedule", "{policy: {rules: ['forwards >= 1: B', F, B]}}"}})
              .pipeline.schedule.policy->rules.size() == 3);
    CHECK(with({{"hardware.devices[0].socket", "\"1: #\""}}).hardware.devices[0].socket == "1: #");
    CHECK(with({{"simulation.seed", ""}}).simulation.seed == 0);
    CHECK(with({{"simulation.seed", "~"}}).simulation.seed == 0);
    CHECK(with({{"pipeline.stages",
                 "[{device: a, weights_mb: 1, compute: {mode: explicit, distribution: 5}}]"}})
              .pipeline.stages.size() == 1);
  }

  TEST_CASE("values that are not one YAML value are refused") {
    for (const char* value :
         {"[1", "{a", "\"x", "a: b: c", "1\nseed: 3", "1\n---\n2", "*nobody", "- 1"}) {
      check_refused({{"simulation.seed", value}}, Code::SetValue);
    }
  }

  TEST_CASE("paths with a wrong syntax are refused") {
    for (const std::string path :
         {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[1", "a[1]b", "a[12345678]", "[", "]["}) {
      check_refused({{path, "1"}}, Code::SetPath);
    }
    check_refused({{repeated("a.", 100'000) + "a", "1"}}, Code::SetPath);
  }

  TEST_CASE("a value that the reader refuses is refused as in a file, without a place") {
    const Result<Loaded> loaded = loaded_with({{"simulation.microbatches", "-4"}});
    REQUIRE(!loaded.ok());
    const Diagnostic& d = loaded.diagnostics().front();
    CHECK(d.code == Code::ValueRange);
    CHECK(d.path == "simulation.microbatches");
    CHECK(d.line == 0);
    check_refused({{"simulation.microbatch", "4"}}, Code::KeyUnknown);
    check_refused({{"pipeline.schedule", "gpip"}}, Code::ReferenceSchedule);
  }

  TEST_CASE("settings apply in order, each to what the ones before made") {
    CHECK(with({{"simulation.seed", "1"}, {"simulation.seed", "2"}}).simulation.seed == 2);
    CHECK(with({{"hardware.links", "[{default: true, bandwidth_GBps: 1}]"},
                {"hardware.links[0].bandwidth_GBps", "2"}})
              .hardware.links[0]
              .bandwidth_GBps == 2);
    const Scenario last = with({{"optimizer.gradient_mb", "5"}, {"optimizer", "{enabled: false}"}});
    CHECK(last.optimizer.gradient_mb == 0);
    // Renaming a device changes the name that later paths use.
    CHECK(with({{"hardware.devices.a.id", "z"},
                {"pipeline.stages[0].device", "z"},
                {"hardware.devices.z.gpu", "h100"}})
              .hardware.devices[0]
              .preset == "h100");
  }

  TEST_CASE("setting what an alias shares changes one place only") {
    const std::string text =
        changed(kGood, {{"compute: {mode: explicit, distribution: 10}",
                         "compute: &c {mode: explicit, distribution: 10}"},
                        {"compute: {mode: explicit, distribution: 10}", "compute: *c"}});
    const Scenario s = with({{"pipeline.stages[1].compute.distribution", "5"}}, text);
    CHECK(s.pipeline.stages[0].compute.distribution.a == 10);
    CHECK(s.pipeline.stages[1].compute.distribution.a == 5);
  }
}

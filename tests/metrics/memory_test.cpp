// The timeline of what a device holds, moment by moment, by hand.
#include "metrics/memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

std::shared_ptr<const Run> played(const std::string& text) {
  const auto run = simulate(text);
  if (!run.ok()) FAIL(run.diagnostics().front().message);
  return run.value();
}

std::vector<MemoryMoment> timeline(const Run& run, std::uint32_t device) {
  return memory_timeline(run.program(), run.loaded().costs, run.trace(), device);
}

constexpr std::int64_t kMiBytes = 1 << 20;

// Two ranks with three layers each; split schedules and recomputation alike.
std::string by_layers(const std::string& schedule, const std::string& more = "") {
  return "simulation: {microbatches: 6, transfers: latency}\npipeline:\n  schedule: " + schedule +
         "\n  precision: bf16\n" + more +
         "  model: {hidden_dim: 1024, seq_len: 512, heads: 16, vocab_size: 32000}\n  stages:\n"
         "    - {device: a, layers: 3}\n    - {device: b, layers: 3}\n"
         "hardware:\n  devices:\n    - {id: a, gpu: a100, node: n0, socket: 0}\n"
         "    - {id: b, gpu: a100, node: n1, socket: 0}\n"
         "  links: [{default: true, bandwidth_GBps: 10}]\n";
}

}  // namespace

TEST_SUITE("metrics/memory") {
  TEST_CASE("1F1B, two ranks, three microbatches: what rank 0 holds, moment by moment") {
    // F0 F1 . B0 F2 . B1 . B2 with F = 1, B = 2: a microbatch is held from the start of its F to
    // the end of its B. Weights 1 MiB, activations 10.
    ScenarioText s;
    s.stages = sluice_test::equal_stages(2);
    s.microbatches = 3;
    s.activation_mb = 10;
    s.simulation = "  transfers: latency\n";
    const auto run = played(s.text());
    struct Expected {
      double ms;
      std::string operation;
      int mib;
    };
    const std::vector<Expected> expected{
        {0, "", 1},      {0, "F0@0", 11},  {1, "", 11},     {1, "F1@0", 21}, {2, "", 21},
        {4, "B0@0", 21}, {6, "", 11},      {6, "F2@0", 21}, {7, "", 21},     {7, "B1@0", 21},
        {9, "", 11},     {10, "B2@0", 11}, {12, "", 1}};
    const auto moments = timeline(*run, 0);
    REQUIRE(moments.size() == expected.size());
    for (std::size_t i = 0; i < moments.size(); ++i) {
      INFO("moment ", i);
      CHECK(to_ms(Time{moments[i].ps}) == doctest::Approx(expected[i].ms));
      CHECK((moments[i].row == kNoRow ? "" : row_text(run->trace(), moments[i].row)) ==
            expected[i].operation);
      CHECK(moments[i].parts.total().value == expected[i].mib * kMiBytes);
      CHECK(moments[i].parts.weights.value == kMiBytes);
    }
  }
  TEST_CASE("a split backward: what W needs is shown by itself, until W") {
    const auto run = played(by_layers("zb_h1"));
    const std::int64_t layer = 512LL * 1024;
    int stashes = 0;
    for (const MemoryMoment& m : timeline(*run, 0)) {
      // 32 S b h of each of three layers for each microbatch between I and W.
      CHECK(m.parts.kept_for_weights.value % (3 * 32 * layer) == 0);
      if (m.parts.kept_for_weights.value > 0) ++stashes;
    }
    CHECK(stashes > 0);
  }
  TEST_CASE(
      "the timeline begins and ends with what rests, in time order, and its most is the peak") {
    for (const char* schedule :
         {"1f1b", "gpipe", "zb_h1", "zb_v", "dualpipe", "{name: interleaved_1f1b, chunks: 3}"}) {
      INFO(schedule);
      const auto run = played(by_layers(schedule));
      const Summary& summary = run->summary();
      for (std::uint32_t d = 0; d < 2; ++d) {
        const auto moments = timeline(*run, d);
        CHECK(moments.front().parts == moments.back().parts);
        CHECK(moments.front().parts.activations.value == 0);
        CHECK(moments.front().parts.working.value == 0);
        CHECK(std::is_sorted(
            moments.begin(), moments.end(),
            [](const MemoryMoment& a, const MemoryMoment& b) { return a.ps < b.ps; }));
        const auto most = std::max_element(moments.begin(), moments.end(),
                                           [](const MemoryMoment& a, const MemoryMoment& b) {
                                             return a.parts.total() < b.parts.total();
                                           });
        CHECK(most->parts.total() == summary.peak_memory[d]);
        CHECK(most->parts == summary.memory_parts[d]);
        CHECK(Time{most->ps} == summary.memory_peaks[d].at);
      }
    }
  }
  TEST_CASE("the summary names the peak's operation and time, and its parts add up") {
    const auto run = played(by_layers("1f1b"));
    const auto memory = nlohmann::json::parse(run->summary_json())["memory"];
    // Two microbatches are held when the first backward begins; it needs room of its own.
    CHECK(memory["peak"]["a"]["operation"] == "B0@0");
    CHECK(memory["parts_bytes"]["a"]["working"] == 9LL * 512 * 1024);
    std::int64_t sum = 0;
    for (const auto& [name, bytes] : memory["parts_bytes"]["a"].items())
      sum += bytes.get<std::int64_t>();
    CHECK(memory["peak_bytes"]["a"] == sum);
    // The last rank's logits and their copy, 4 S b V each, are more than a layer's gradients.
    CHECK(memory["peak"]["b"]["operation"] == "F0@1");
    CHECK(memory["parts_bytes"]["b"]["working"] == 4LL * 512 * 32000);
  }
  TEST_CASE("as CSV: a line a moment of each device, times and bytes as they are") {
    const auto run = played(by_layers("gpipe"));
    const std::string csv = run->memory_csv();
    CHECK(
        csv.starts_with("device,time_ms,operation,weights_bytes,gradients_bytes,optimizer_bytes,"
                        "activations_bytes,logits_bytes,kept_for_weights_bytes,working_bytes,"
                        "buffers_bytes,reserve_bytes,total_bytes\na,0.0,,"));
    const auto lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
    CHECK(lines == 1 + timeline(*run, 0).size() + timeline(*run, 1).size());
    CHECK(timeline(*run, 0).size() == 1 + 2 * 2 * 6);
  }
}

// Recorded runs in, a scenario and a comparison out: replays that come out to the nanosecond.
#include "api/import_trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/import_step.hpp"
#include "api/run.hpp"
#include "io/presets.hpp"
#include "measure/small_trace.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

const std::vector<double> kStarts{0, 107, 214, 333};

ImportRequest torch_files(const std::vector<Step>& steps, double skew, int ranks = 2) {
  ImportRequest out;
  for (int r = 0; r < ranks; ++r) {
    out.traces.push_back(
        {"rank" + std::to_string(r) + ".json", torch_text(steps, r, ranks, r == 0 ? 0 : skew)});
  }
  return out;
}

ImportRequest megatron_files(const std::vector<Step>& steps, double skew) {
  ImportRequest out;
  for (int r = 0; r < 2; ++r) {
    out.traces.push_back(
        {"rank" + std::to_string(r) + ".jsonl", megatron_text(steps, r, 2, r == 0 ? 0 : skew)});
  }
  return out;
}

ImportedTrace imported(const ImportRequest& request) {
  auto done = import_trace(request, load_presets());
  if (!done.ok())
    FAIL(done.diagnostics().front().path << ": " << done.diagnostics().front().message);
  CHECK(simulate(done.value().scenario).ok());
  return done.value();
}

bool has(const ImportedTrace& i, const std::string& text) {
  return i.scenario.find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE("api/import_trace") {
  TEST_CASE("a run without noise comes out as it was, whatever the hosts' clocks said") {
    const ImportedTrace i = imported(torch_files(steps_at(small_step(), kStarts), 1000));
    CHECK(i.format == "torch");
    CHECK(i.clocks.source == ClockSource::Updates);
    CHECK(i.order.name == "1f1b");
    CHECK(has(i, "schedule: 1f1b\n"));
    CHECK(has(i, "distribution: 10}, backward: {distribution: 20}, update: 5}"));
    CHECK(has(i, "iteration_barrier: 10\n"));
    CHECK(has(i, "latency_us: 1000}"));
    CHECK(*i.measured.period_median_ms == 107);
    CHECK(*i.simulated.period_median_ms == 107);
    // 8 microbatches in three typical periods and a last step up to its last backward.
    CHECK(i.simulated.microbatches_per_s == doctest::Approx(8 / (0.321 + 0.092)));
    CHECK(i.simulated.utilization[1] == doctest::Approx(252.0 / 422));
    // The third period is 12 longer: 4 a step, and with them all is as it was measured.
    CHECK(i.slow_steps_ms == doctest::Approx(4));
    CHECK(i.with_slow_steps.microbatches_per_s ==
          doctest::Approx(i.measured.microbatches_per_s).epsilon(1e-9));
    CHECK(i.with_slow_steps.bubble == doctest::Approx(i.measured.bubble).epsilon(1e-9));
    CHECK(i.with_slow_steps.utilization[0] ==
          doctest::Approx(i.measured.utilization[0]).epsilon(1e-9));
  }
  TEST_CASE("a step of the trace and of the replay can be laid over each other") {
    const ImportedTrace i = imported(torch_files(steps_at(small_step(), kStarts), 1000));
    const auto step = nlohmann::json::parse(import_step_json(i));
    // Rank, kind, stage, microbatch, from, to: the step as it was written, in both.
    const auto first = nlohmann::json::parse(R"([0, "F", 0, 0, 0.0, 10.0])");
    const auto last = nlohmann::json::parse(R"([0, "update", 0, 0, 96.0, 101.0])");
    for (const char* side : {"measured", "simulated"}) {
      CHECK(step[side].size() == 10);
      CHECK(step[side].front() == first);
      CHECK(std::count(step[side].begin(), step[side].end(), last) == 1);
    }
  }
  TEST_CASE("warm-up is left out of Megatron's files too, whose calls cost host time") {
    auto steps = steps_at(small_step(), {-400, 0, 107, 214});
    steps[0].rows[8].end = -90;  // spans: 310 and 101
    for (Step& s : steps) {
      for (Row& r : s.rows) r.start += 500, r.end += 500;
    }
    const ImportedTrace i = imported(megatron_files(steps, 7));
    CHECK(i.format == "megatron");
    CHECK(i.measured.warm_up_dropped == 1);
    CHECK(i.measured.first_iteration == 1);
    CHECK(i.measured.iterations == 3);
    CHECK(*i.measured.period_median_ms == 107);
    CHECK(has(i, "communication: calls"));
    CHECK(has(i, "{id: l4_0, gpu: l4, node: h0, socket: 0}"));
    // Messages took 1 ms, of which a call's host time is 0.247 on either side.
    CHECK(has(i, "latency_us: 506}"));
    // Stage 0 sends, then forwards again: its second forward ends one call later than recorded, but
    // nothing waits for it. Three calls of stage 1 stand between its operations.
    CHECK(*i.simulated.period_median_ms >= 107);
    CHECK(*i.simulated.period_median_ms <= 107 + 4 * 0.494);
  }
  TEST_CASE("with a link benchmark its points stand in the scenario, and tell a message's size") {
    ImportRequest request = megatron_files(steps_at(small_step(), kStarts), 0);
    const auto row = [](const std::string& size, const std::string& time) {
      return R"({"label": "pair_0_1", "mode": "p2p", "rank": 0, "size_mb": )" + size +
             R"(, "p50_ms": )" + time + "}\n";
    };
    request.links = {{"pair_0_1.jsonl", row("2", "1.006") + row("1", "0.006")}};
    // 0.506 ms lie half-way between the points: 1.5 MiB.
    const ImportedTrace inferred = imported(request);
    CHECK(has(inferred, "activation_mb: 1.5\n"));
    CHECK(has(inferred, "points: [{size_MiB: 1, time_ms: 0.006}, {size_MiB: 2, time_ms: 1.006}]}"));
    request.message_MiB = 2;
    CHECK(has(imported(request), "activation_mb: 2\n"));
  }
  TEST_CASE("ranks that do not wait for each other: no barrier in the scenario either") {
    // Stage 1 updates for 30 from 71 on, stage 0 from 92 to 97 and goes on.
    std::vector<Row> step = small_step();
    step.resize(8);
    step.push_back({'U', 0, 0, 92, 97});
    step.push_back({'U', 1, 0, 71, 101});
    const ImportedTrace i = imported(torch_files(steps_at(step, {0, 97, 194, 291}), 0));
    CHECK(has(i, "step_barrier: false"));
    CHECK_FALSE(has(i, "iteration_barrier"));
    CHECK(*i.simulated.period_median_ms == 97);
  }
  TEST_CASE("several stages on a rank: the observed order, written out") {
    const std::vector<Row> step{{'F', 0, 0, 0, 4},   {'F', 1, 0, 5, 9},   {'F', 2, 0, 10, 14},
                                {'F', 3, 0, 15, 19}, {'B', 3, 0, 19, 27}, {'B', 2, 0, 28, 36},
                                {'B', 1, 0, 37, 45}, {'B', 0, 0, 46, 54}};
    const ImportedTrace i = imported(torch_files(steps_at(step, {0, 60, 120}), 0));
    CHECK(i.order.name == "none");
    CHECK(has(i, "- \"F0@0 F0@2 B0@2 B0@0\""));
    CHECK(has(i, "placement: {down: [0, 1, 0, 1]}"));
    CHECK(has(i, "distribution: 8}, backward: {distribution: 16}"));
    CHECK(*i.measured.period_median_ms == 60);
    CHECK(*i.simulated.period_median_ms == 60);
    CHECK(i.simulated.utilization[3] == doctest::Approx(i.measured.utilization[3]));
  }
  TEST_CASE("split backwards keep their share") {
    const std::vector<Row> step{{'F', 0, 0, 0, 10},  {'F', 1, 0, 11, 21}, {'I', 1, 0, 21, 29},
                                {'W', 1, 0, 29, 41}, {'I', 0, 0, 30, 38}, {'W', 0, 0, 38, 50}};
    const ImportedTrace i = imported(torch_files(steps_at(step, {0, 52, 104}), 0));
    CHECK(*i.measured.input_grad_share == doctest::Approx(0.4));
    CHECK(has(i, "activation_grad_fraction: 0.4}"));
    CHECK(*i.simulated.period_median_ms == 52);
  }
  TEST_CASE("one iteration has figures but no period") {
    const ImportedTrace i = imported(torch_files(steps_at(small_step(), {0}), 0));
    CHECK_FALSE(i.measured.period_median_ms.has_value());
    CHECK(i.simulated.microbatches_per_s == doctest::Approx(i.measured.microbatches_per_s));
    const auto json = nlohmann::json::parse(import_json(i));
    CHECK(json["measured"]["period_median_ms"].is_null());
    CHECK(json["error_pct"]["period_median_ms"].is_null());
  }
  TEST_CASE("the report says that it is a replay, in JSON and for people") {
    const ImportedTrace i = imported(torch_files(steps_at(small_step(), kStarts), 1000));
    const auto json = nlohmann::json::parse(import_json(i));
    CHECK(json["replay"] == true);
    CHECK(json["measured"]["period_median_ms"] == 107.0);
    CHECK(json["simulated"]["utilization_per_stage"].size() == 2);
    CHECK(json["error_pct"]["period_median_ms"] == 0.0);
    CHECK(json["clocks"]["shift_ms"][1] == -1000.0);
    CHECK(json["scenario"] == i.scenario);
    const std::string text = import_text(i);
    CHECK(text.find("period, median                107.000      107.000 ms       +0.00 %") !=
          std::string::npos);
    CHECK(text.find("this is a replay, not a prediction") != std::string::npos);
    CHECK(text.find("4 ms more a step on average") != std::string::npos);
  }
  TEST_CASE("problems of all files come together, each with its file and line") {
    ImportRequest request = megatron_files(steps_at(small_step(), kStarts), 0);
    request.traces[0].text += "{\"rank\": 0";
    request.traces[1].text = "\n{}\n" + request.traces[1].text;
    request.links = {{"bench.jsonl", "nothing\n"}};
    const auto done = import_trace(request, load_presets());
    REQUIRE_FALSE(done.ok());
    std::vector<std::string> places;
    for (const Diagnostic& d : done.diagnostics())
      places.push_back(d.path + ":" + std::to_string(d.line));
    CHECK(places.front() == "rank0.jsonl:21");
    CHECK(places[1] == "rank1.jsonl:2");
    CHECK(places.back() == "bench.jsonl:1");
    request.links.clear();
    request.traces = torch_files(steps_at(small_step(), kStarts), 0).traces;
    request.traces[1] = megatron_files(steps_at(small_step(), kStarts), 0).traces[1];
    const auto mixed = import_trace(request, load_presets());
    REQUIRE_FALSE(mixed.ok());
    CHECK(mixed.diagnostics().front().message == "a trace of another kind than rank0.json");
  }
}

// Several independent pipelines in one run: each as if alone, their gradients summed at the end, by
// hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/compare.hpp"
#include "api/run.hpp"
#include "api/tune.hpp"
#include "dice.hpp"
#include "io/print_scenario.hpp"
#include "io/refused.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

std::shared_ptr<const Run> play(const std::string& text) {
  const auto run = simulate(text);
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : listing(run.diagnostics())));
  return run.value();
}

struct Times {
  std::string name;
  int samples = 1;
  int microbatches = 1;
  std::string schedule = "1f1b";
  std::vector<int> forward;
};

std::string stages_of(const Times& t) {
  std::string out;
  for (std::size_t s = 0; s < t.forward.size(); ++s) {
    out +=
        "{device: " + t.name + std::to_string(s) +
        ", weights_mb: 1, compute: {mode: explicit, distribution: " + std::to_string(t.forward[s]) +
        "}}, ";
  }
  return out;
}

std::string hardware_of(const std::vector<Times>& pipelines) {
  std::string out = "hardware:\n  devices:\n";
  for (const Times& t : pipelines) {
    for (std::size_t s = 0; s < t.forward.size(); ++s) {
      out += "    - {id: " + t.name + std::to_string(s) + ", gpu: a100, node: n, socket: 0}\n";
    }
  }
  return out + "  links: [{default: true, bandwidth_GBps: 10, latency_us: 500}]\n";
}

std::string several(const std::vector<Times>& pipelines, const std::string& rest = "") {
  std::string out = "pipelines:\n";
  for (const Times& t : pipelines) {
    out += "  - {name: " + t.name + ", local_batch: " + std::to_string(t.samples * t.microbatches) +
           ", micro_batch_size: " + std::to_string(t.samples) + ", schedule: " + t.schedule +
           ", activation_mb: 4, stages: [" + stages_of(t) + "]}\n";
  }
  return out + hardware_of(pipelines) + rest;
}

std::string alone(const Times& t) {
  return "simulation: {microbatches: " + std::to_string(t.microbatches) +
         "}\npipeline: {micro_batch_size: " + std::to_string(t.samples) +
         ", schedule: " + t.schedule + ", activation_mb: 4, stages: [" + stages_of(t) + "]}\n" +
         hardware_of({t});
}

// Begin and end of every operation of a device, in order.
std::vector<std::pair<std::int64_t, std::int64_t>> lane(const Run& run, const std::string& id) {
  const auto& devices = run.program().machine.devices;
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  const Trace& t = run.trace();
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.resource[row] < devices.size() && devices[t.resource[row]].id == id)
      out.emplace_back(t.start[row], t.end[row]);
  }
  std::stable_sort(out.begin(), out.end());
  return out;
}

// 1.3B on two and on three devices, nothing but arithmetic.
std::string by_layers(bool tied = false, const std::string& rest = "optimizer: {enabled: true}\n") {
  const std::string model = std::string(
                                "model: {preset: gpt-1.3b, seq_len: 2048, "
                                "learned_positions: 1, tied_embeddings: ") +
                            (tied ? "true" : "false") + "}";
  const std::string common = ", schedule: 1f1b, precision: bf16, calibration: arithmetic, " + model;
  std::string out = "pipelines:\n  - {name: a, local_batch: 16, micro_batch_size: 2" + common +
                    ", stages: [{device: a0, layers: 12}, {device: a1, layers: 12}]}\n"
                    "  - {name: b, local_batch: 8" +
                    common +
                    ", stages: [{device: b0, layers: 8}, {device: b1, layers: 8}, {device: b2, "
                    "layers: 8}]}\n";
  return out +
         hardware_of({{.name = "a", .forward = {1, 1}}, {.name = "b", .forward = {1, 1, 1}}}) +
         rest;
}

/// A row of a sum: the link's ends and its time.
struct SumRow {
  std::string from;
  std::string to;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

std::vector<SumRow> sums(const Run& run) {
  const Trace& t = run.trace();
  const Machine& m = run.program().machine;
  std::vector<SumRow> out;
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.kind_at(row) != OpKind::AllReduce) continue;
    const Link& link = m.links[t.resource[row] - t.devices];
    out.push_back({m.device(link.from).id, m.device(link.to).id, t.start[row], t.end[row]});
  }
  return out;
}

}  // namespace

TEST_SUITE("engine/pipelines") {
  TEST_CASE("each takes (m + p - 1)(F + B) and the way there and back, as alone") {
    const Times a{.name = "a", .samples = 2, .microbatches = 8, .forward = {1, 1}};
    const Times b{.name = "b", .microbatches = 4, .forward = {1, 1, 1}};
    const auto run = play(several({a, b}));
    // Half a millisecond and 4 MiB at 10 GB/s a hop, four hops of the first microbatch of a.
    const double hop = 0.5 + 4 * 1024 * 1024 / 10e9 * 1e3;
    CHECK(to_ms(run->summary().makespan) >= 27);
    CHECK(run->summary().makespan == play(alone(a))->summary().makespan);
    CHECK(to_ms(run->summary().makespan) == doctest::Approx(27 + 2 * 8 * hop).epsilon(0.2));
    CHECK(run->summary().completed_microbatches == 12);
    // 16 samples of one and 4 of the other.
    const auto json = nlohmann::json::parse(run->summary_json());
    CHECK(json["throughput"]["samples_per_s"].get<double>() ==
          doctest::Approx(20 / to_seconds(run->summary().makespan)));
    CHECK(run->summary().peak_memory.size() == 5);
  }

  TEST_CASE("whatever their shapes and schedules, each runs as if the others were not there") {
    Dice dice(4);
    static const char* const kSchedules[] = {"1f1b", "gpipe", "zb_h1", "interleaved_1f1b",
                                             "eager_1f1b"};
    for (int i = 0; i < 40; ++i) {
      std::vector<Times> pipelines;
      const int count = dice.roll(1, 4);
      for (int r = 0; r < count; ++r) {
        Times t{.name = std::string(1, static_cast<char>('a' + r)),
                .samples = dice.roll(1, 3),
                .microbatches = 4 * dice.roll(1, 3),
                .schedule = kSchedules[dice.roll(0, 4)],
                .forward = std::vector<int>(static_cast<std::size_t>(dice.roll(1, 2) * 2))};
        for (int& ms : t.forward) ms = dice.roll(1, 9);
        pipelines.push_back(t);
      }
      const std::string text = several(pipelines);
      CAPTURE(text);
      const auto run = play(text);
      Duration longest;
      for (const Times& t : pipelines) {
        const auto own = play(alone(t));
        longest = max(longest, own->summary().makespan);
        for (std::size_t s = 0; s < t.forward.size(); ++s) {
          const std::string id = t.name + std::to_string(s);
          CHECK(lane(*run, id) == lane(*own, id));
        }
      }
      CHECK(run->summary().makespan == longest);
      if (run->summary().lower_bound) CHECK(*run->summary().lower_bound <= longest);
      // Everything that is made of a run can be made of this one.
      CHECK(!run->summary_json().empty());
      CHECK(!run->gaps_csv().empty());
      CHECK(!run->memory_csv().empty());
      CHECK(!run->chrome_trace().empty());
      CHECK(!run->timeline_svg().empty());
      CHECK(!run->plan_json().empty());
      // As a text it is the same scenario.
      const auto again = play(print_scenario(run->loaded().scenario));
      CHECK(again->trace_hash() == run->trace_hash());
    }
  }

  TEST_CASE("gradients are summed block by block as soon as all who hold one are through") {
    const auto run = play(by_layers());
    const std::vector<SumRow> found = sums(*run);
    // Layers 16-23 on a1 and b2, 12-15 on a1 and b1, 8-11 on a0 and b1, 0-7 on a0 and b0; both
    // directions of a ring of two.
    REQUIRE(found.size() == 8);
    static const char* const kWho[4][2] = {{"a1", "b2"}, {"a1", "b1"}, {"a0", "b1"}, {"a0", "b0"}};
    const double h = 2048;
    const double layer = 12 * h * h + 13 * h;
    // Half of a layer's bytes each way, twice: all of it; 4 bytes a gradient.
    const double parameters[4] = {8 * layer + 51200 * h, 4 * layer, 4 * layer,
                                  8 * layer + 51200 * h + h};
    std::int64_t a_free = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const SumRow& there = found[2 * i];
      CHECK(there.from == kWho[i][0]);
      CHECK(there.to == kWho[i][1]);
      CHECK(found[2 * i + 1].from == kWho[i][1]);
      CHECK(found[2 * i + 1].start == there.start);
      CHECK(to_ms(Time{there.end - there.start}) ==
            doctest::Approx(4 * parameters[i] / 10e9 * 1e3 + 2 * 0.5).epsilon(1e-9));
      // When the later of the two has done its last backward, and what it was in before.
      std::int64_t through = a_free;
      for (const char* id : kWho[i]) {
        std::int64_t last = 0;
        for (const auto& [start, end] : lane(*run, id)) {
          // The update comes last.
          if (end <= there.start) last = std::max(last, end);
        }
        through = std::max(through, last);
      }
      CHECK(there.start == through);
      a_free = there.end;
    }
    // Updates follow the last sum.
    CHECK(to_ms(run->summary().makespan) >= to_ms(Time{found.back().end}));
  }

  TEST_CASE("a tied embedding is summed by both ends of all pipelines") {
    const auto run = play(by_layers(true));
    const std::vector<SumRow> found = sums(*run);
    // Four blocks, and the embedding on a0, a1, b0 and b2: a ring of four.
    REQUIRE(found.size() == 12);
    const SumRow& last = found.back();
    CHECK(last.from == "b2");
    CHECK(last.to == "a0");
    const double bytes = 4 * (51200.0 * 2048 + 2048);
    CHECK(to_ms(Time{last.end - last.start}) ==
          doctest::Approx(2 * 3.0 / 4 * bytes / 10e9 * 1e3 + 2 * 3 * 0.5).epsilon(1e-9));
  }

  TEST_CASE("data-parallel groups of a stage take part in the sums of all") {
    // b's first stage has two groups, which hold the same layers as a: four devices of which each
    // sums all of it.
    std::string text =
        "pipelines:\n"
        "  - {name: a, local_batch: 4, micro_batch_size: 1, schedule: 1f1b, precision: fp16, "
        "calibration: arithmetic, model: &m {hidden_dim: 1024, heads: 16, seq_len: 128, layers: 4, "
        "vocab_size: 1000}, stages: [{device: a0, layers: 4}]}\n"
        "  - {name: b, local_batch: 8, micro_batch_size: 2, schedule: 1f1b, precision: fp16, "
        "calibration: arithmetic, model: *m, stages: [{device: b0, layers: 4, data_parallel: "
        "2}]}\n" +
        hardware_of({{.name = "a", .forward = {1}}, {.name = "b", .forward = {1}}}) +
        "optimizer: {enabled: true}\n";
    const std::vector<SumRow> found = sums(*play(text));
    REQUIRE(found.size() == 2);
    const double h = 1024;
    const double parameters = 4 * (12 * h * h + 13 * h) + 2 * 1000 * h;
    // Three members: 2 (n - 1) / n of the bytes, 2 bytes a gradient under fp16.
    CHECK(to_ms(Time{found[0].end - found[0].start}) ==
          doctest::Approx(4.0 / 3 * 2 * parameters / 10e9 * 1e3 + 4 * 0.5).epsilon(1e-9));
  }

  TEST_CASE("tensor by tensor takes longer, none no time") {
    const auto ms = [](const std::string& sync) {
      return to_ms(
          play(by_layers(false, "optimizer: {enabled: true, gradient_sync: " + sync + "}\n"))
              ->summary()
              .makespan);
    };
    CHECK(ms("none") < ms("block"));
    CHECK(ms("block") < ms("tensor"));
    CHECK(ms("tensor") < ms("device"));
    CHECK(ms("aligned") < ms("device"));
  }

  TEST_CASE("steps follow one another: the next begins when all have updated") {
    const auto run = play(by_layers() + "simulation: {batches: 2}\n");
    const auto one = play(by_layers());
    CHECK(run->summary().makespan == one->summary().makespan + one->summary().makespan);
    CHECK(sums(*run).size() == 16);
  }

  TEST_CASE("what is worth saying of each is said once") {
    std::string text = by_layers();
    // Two presets that the calibration has no runs of, one in each pipeline.
    text.replace(text.find("{id: a0, gpu: a100"), 18, "{id: a0, gpu: h100");
    const auto loaded = load_scenario(text);
    REQUIRE(loaded.ok());
    std::vector<std::string> paths;
    for (const Diagnostic& d : loaded.value().diagnostics) {
      if (d.code == Code::PresetUncertain) paths.push_back(d.path);
    }
    CHECK(paths == std::vector<std::string>{"hardware.devices[0].gpu", "hardware.devices[1].gpu"});
  }

  TEST_CASE("what several pipelines cannot be is said where it stands") {
    const auto refused = [](std::string text) {
      const auto loaded = load_scenario(text);
      REQUIRE(!loaded.ok());
      CHECK(loaded.diagnostics().front().line > 0);
      return std::string(code_text(loaded.diagnostics().front().code)) + " " +
             loaded.diagnostics().front().path;
    };
    const Times a{.name = "a", .microbatches = 4, .forward = {1, 1}};
    const Times b{.name = "b", .microbatches = 4, .forward = {1, 1, 1}};
    const std::string good = several({a, b});
    const auto changed_to = [&](const std::string& from, const std::string& to) {
      std::string text = good;
      text.replace(text.find(from), from.size(), to);
      return text;
    };
    CHECK(refused(good + "simulation: {microbatches: 4}\n") ==
          "key.conflict simulation.microbatches");
    CHECK(refused(good + "simulation: {step_barrier: false}\n") ==
          "schedule.constraint simulation.step_barrier");
    CHECK(
        refused(good +
                "failure: {enabled: true, sources: [{devices: a0, at_ms: [3], repair_s: 1}]}\n") ==
        "schedule.constraint failure.enabled");
    CHECK(refused(changed_to("local_batch: 4, micro_batch_size: 1",
                             "local_batch: 5, micro_batch_size: 2")) ==
          "value.range pipelines[0].local_batch");
    CHECK(refused(changed_to("device: b1", "device: a1")) ==
          "key.conflict pipelines[1].stages[1].device");
    CHECK(refused(changed_to("device: b1", "device: c1")) ==
          "reference.device pipelines[1].stages[1].device");
    CHECK(refused(changed_to("schedule: 1f1b", "schedule: {policy: {rules: [F, B]}}")) ==
          "schedule.constraint pipelines[0].schedule");
    CHECK(refused(changed_to("schedule: 1f1b", "schedule: dualpipe")) ==
          "schedule.constraint pipelines[0].schedule");
    CHECK(refused(changed_to("schedule: 1f1b", "schedule: 1f1x")) ==
          "reference.schedule pipelines[0].schedule");
    CHECK(refused(good + "pipeline: {schedule: 1f1b}\n") == "key.conflict pipelines");
    // Nor does a search for another schedule know which of them is meant.
    const auto compared = Comparison::make(good, {});
    REQUIRE(!compared.ok());
    CHECK(compared.diagnostics().front().path == "pipelines");
    const auto tuned = Tuning::make(good, {}, {});
    REQUIRE(!tuned.ok());
    CHECK(tuned.diagnostics().front().line == compared.diagnostics().front().line);
  }
}

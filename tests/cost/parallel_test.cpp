// What a scenario's tensor_parallel, data_parallel and distributed_optimizer do, and which layers a
// stage holds.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "io/presets.hpp"
#include "io/refused.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

constexpr std::string_view kShape =
    "hidden_dim: 1024, seq_len: 512, heads: 16, vocab_size: 32000, layers: 4";

// One stage of four GPT layers on an H100.
std::string one_stage(const std::string& pipeline = "", const std::string& stage = "",
                      const std::string& rest = "") {
  return "simulation: {microbatches: 8}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n" +
         pipeline + "  model: {" + std::string(kShape) + "}\n  stages: [{device: a, layers: 4" +
         stage +
         "}]\nhardware:\n  devices: [{id: a, gpu: h100, node: n, socket: 0}]\n"
         "  interconnect: {same_node: nvlink4, cross_node: ib-ndr}\n" +
         rest;
}

std::shared_ptr<const Run> play(const std::string& text) {
  const auto run = simulate(text);
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : listing(run.diagnostics())));
  return run.value();
}

nlohmann::json summary(const std::string& text) {
  return nlohmann::json::parse(play(text)->summary_json());
}

constexpr double kParameters = 4 * (12.0 * 1024 * 1024 + 13 * 1024) + 2.0 * 32000 * 1024;

}  // namespace

TEST_SUITE("cost/parallel") {
  TEST_CASE("MFU is three forwards over peak and time; what is recomputed does not count") {
    const double forward =
        512.0 * 2 * (4 * 12.0 * 1024 * 1024 + 1024.0 * 32000) + 4.0 * 4 * 512 * 512 * 1024;
    for (const char* recompute : {"none", "full"}) {
      const auto s = summary(one_stage("  recompute: " + std::string(recompute) + "\n"));
      const double seconds = s["time_ms"]["makespan_ms"].get<double>() / 1000;
      CHECK(s["mfu"].get<double>() == doctest::Approx(3 * forward * 8 / (989e12 * seconds)));
      CHECK(s["throughput"]["tokens_per_s"].get<double>() == doctest::Approx(8 * 512 / seconds));
      CHECK(s["model"]["parameters"] == static_cast<std::int64_t>(kParameters));
    }
    const auto group = summary(one_stage("", ", tensor_parallel: 4"));
    const double seconds = group["time_ms"]["makespan_ms"].get<double>() / 1000;
    CHECK(group["mfu"].get<double>() == doctest::Approx(3 * forward * 8 / (4 * 989e12 * seconds)));
    CHECK(group["throughput"]["tokens_per_s"].get<double>() == doctest::Approx(8 * 512 / seconds));
  }
  TEST_CASE("a group's sums travel over the interconnect inside the node") {
    const auto s = summary(one_stage("", ", tensor_parallel: 4, sequence_parallel: true"));
    // Four layers with two sums each: 2 x 3 / 4 of 2 S h bytes at 450 GB/s, six messages.
    const double bytes = 2.0 * 512 * 1024;
    const double latency = load_presets().interconnect("nvlink4")->latency_us / 1000;
    const double each = 1.5 * bytes / 450e9 * 1000 + 6 * latency;
    CHECK(s["stage_terms"][0]["forward"]["tensor_parallel_ms"].get<double>() ==
          doctest::Approx(8 * each).epsilon(1e-6));
    CHECK(s["memory"]["parts_bytes"]["a"]["weights"] ==
          static_cast<std::int64_t>(2 * kParameters / 4));
  }
  TEST_CASE("replicas multiply tokens and add the reduction of their gradients to the update") {
    const std::string optimizer = "optimizer: {enabled: true}\n";
    const auto one = summary(one_stage("", "", optimizer));
    const auto four = summary(one_stage("  data_parallel: 4\n", "", optimizer));
    const double latency = load_presets().interconnect("ib-ndr")->latency_us / 1000;
    // 2 x 3 / 4 of 4 bytes a parameter at 50 GB/s.
    const double reduction = 1.5 * 4 * kParameters / 50e9 * 1000 + 6 * latency;
    CHECK(four["replicas"]["gradient_reduction_ms"].get<double>() == doctest::Approx(reduction));
    const auto update = [](const nlohmann::json& s) {
      return s["optimizer"]["weight_update_time_ms"].get<double>();
    };
    CHECK(update(four) - update(one) == doctest::Approx(reduction));
    const auto tokens = [](const std::string& text) {
      return summary(text)["throughput"]["tokens_per_s"].get<double>();
    };
    CHECK(tokens(one_stage("  data_parallel: 4\n")) == doctest::Approx(4 * tokens(one_stage())));
    // The reduction lies in the step that they are divided by.
    const auto seconds = [](const nlohmann::json& s) {
      return s["time_ms"]["makespan_ms"].get<double>() / 1000;
    };
    CHECK(seconds(four) - seconds(one) == doctest::Approx(reduction / 1000));
    CHECK(four["throughput"]["tokens_per_s"].get<double>() ==
          doctest::Approx(4 * 8 * 512 / seconds(four)));
    CHECK_FALSE(one.contains("replicas"));
    // Gradients are scattered, weights of 2 bytes gathered; a quarter of the state is held and
    // updated.
    const auto sharded =
        summary(one_stage("  data_parallel: 4\n  distributed_optimizer: true\n", "", optimizer));
    CHECK(sharded["replicas"]["gradient_reduction_ms"].get<double>() ==
          doctest::Approx(0.75 * 6 * kParameters / 50e9 * 1000 + 6 * latency));
    CHECK(sharded["memory"]["parts_bytes"]["a"]["optimizer"] ==
          static_cast<std::int64_t>(3 * kParameters));
    CHECK(update(sharded) < update(four));
    // A written update is followed by the reduction too.
    const auto written =
        summary(one_stage("  data_parallel: 4\n", "", "optimizer: {enabled: true, update: 5}\n"));
    CHECK(update(written) == doctest::Approx(5 + reduction));
  }
  TEST_CASE("what cannot be divided or joined is refused") {
    const std::string given =
        "      weights_mb: 100\n      compute: {mode: explicit, distribution: 10}\n";
    const auto with = [&](const std::string& stage, const std::string& pipeline = "") {
      return Changes{{"activation_mb: 8", "model: {" + std::string(kShape) + "}" + pipeline},
                     {given, "      layers: 2\n      " + stage + "\n"},
                     {given, "      layers: 2\n"}};
    };
    const auto alone = [](Changes changes) {
      changes.push_back({"  interconnect: {same_node: nvlink3}\n",
                         "  links: [{default: true, bandwidth_GBps: 10}]\n"});
      return changes;
    };
    check_table({
        {"heads", with("tensor_parallel: @3"), Code::ValueRange,
         "pipeline.stages[0].tensor_parallel"},
        {"no link", alone(with("tensor_parallel: @2")), Code::LinkMissing,
         "pipeline.stages[0].tensor_parallel"},
        {"no link, to be balanced",
         alone(Changes{
             {"activation_mb: 8", "model: {" + std::string(kShape) + "}\n  partition: balanced"},
             {given, "      tensor_parallel: @2\n"},
             {given, ""}}),
         Code::LinkMissing, "pipeline.stages[0].tensor_parallel"},
        {"one device as two and as one",
         Changes{{"activation_mb: 8", "model: {" + std::string(kShape) + "}"},
                 {given, "      layers: 2\n      tensor_parallel: 2\n"},
                 {"- device: b", "- device: a"},
                 {given, "      layers: 2\n      tensor_parallel: @1\n"}},
         Code::KeyConflict, "pipeline.stages[1].tensor_parallel"},
        {"given times", Changes{{given, given + "      @tensor_parallel: 2\n"}}, Code::KeyUnknown,
         "pipeline.stages[0].tensor_parallel"},
        {"replicas of given times",
         Changes{{"schedule: 1f1b", "schedule: 1f1b\n  data_parallel: @2"}}, Code::KeyConflict,
         "pipeline.data_parallel"},
    });
  }
  TEST_CASE("stages hold the layers that stand at their place, chunk by chunk") {
    const std::string text =
        "simulation: {microbatches: 4}\npipeline:\n"
        "  schedule: {name: interleaved_1f1b, chunks: 2}\n  precision: bf16\n"
        "  model: {hidden_dim: 256, seq_len: 64, heads: 4, vocab_size: 1000, gated: true, layers: "
        "10, "
        "experts: {count: 4, active: 1, ffn_dim: 512, dense_layers: 3}}\n"
        "  partition: [5, 5]\n  stages: [{device: a}, {device: b}]\nhardware:\n  devices:\n"
        "    - {id: a, gpu: h100, node: n, socket: 0}\n    - {id: b, gpu: h100, node: n, socket: "
        "0}\n"
        "  interconnect: {same_node: nvlink4}\n";
    const auto run = play(text);
    const Costs& costs = run->loaded().costs;
    // Virtual stages hold 3, 3, 2, 2: the first has all three dense layers.
    const double attention = 4.0 * 256 * 256;
    const double dense = attention + 3.0 * 256 * 1024 + 512;
    const double expert = attention + 4 * 3.0 * 256 * 512 + 4 * 256 + 512;
    const double embedding = 1000.0 * 256;
    const std::vector<double> parameters{3 * dense + embedding, 3 * expert, 2 * expert,
                                         2 * expert + embedding + 256};
    REQUIRE(costs.stages.size() == 4);
    for (std::size_t s = 0; s < 4; ++s)
      CHECK(costs.stages[s].memory->weights.value == static_cast<std::int64_t>(2 * parameters[s]));
  }
  TEST_CASE("balanced over unlike layers is the best of all splits") {
    const auto worst = [](const std::string& partition) {
      const std::string text =
          "simulation: {microbatches: 2}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n"
          "  model: {hidden_dim: 2048, seq_len: 4096, heads: 16, vocab_size: 9000, layer_kinds: "
          "'MM--**M-T'}\n  partition: " +
          partition +
          "\n  stages: [{device: a}, {device: b}, {device: c}]\nhardware:\n  devices:\n"
          "    - {id: a, gpu: h100, node: n, socket: 0}\n    - {id: b, gpu: a100, node: n, socket: "
          "0}\n    - {id: c, gpu: h100, node: n, socket: 0}\n  interconnect: {same_node: "
          "nvlink3}\n";
      const auto run = play(text);
      double most = 0;
      for (const StageCosts& s : run->loaded().costs.stages)
        most = std::max(most, s.forward.typical_ms() + s.backward.typical_ms());
      return most;
    };
    double best = 1e300;
    for (int first = 0; first <= 9; ++first) {
      for (int second = 0; first + second <= 9; ++second) {
        best = std::min(best, worst("[" + std::to_string(first) + ", " + std::to_string(second) +
                                    ", " + std::to_string(9 - first - second) + "]"));
      }
    }
    CHECK(worst("balanced") == doctest::Approx(best));
  }

  TEST_CASE(
      "data parallelism inside a stage: each group takes its part of a microbatch's samples") {
    const std::string samples = "  micro_batch_size: 4\n";
    const auto whole = play(one_stage("  micro_batch_size: 2\n"));
    const auto halves = play(one_stage(samples, ", data_parallel: 2"));
    // Two groups with two samples each take what one takes for two.
    CHECK(halves->summary().makespan == whole->summary().makespan);
    CHECK(halves->summary().peak_memory == whole->summary().peak_memory);
    const auto s = summary(one_stage(samples, ", data_parallel: 2"));
    const auto half = summary(one_stage("  micro_batch_size: 2\n"));
    CHECK(s["throughput"]["tokens_per_s"].get<double>() ==
          doctest::Approx(2 * half["throughput"]["tokens_per_s"].get<double>()));
    // Twice the arithmetic on twice the devices.
    CHECK(s["mfu"].get<double>() == doctest::Approx(half["mfu"].get<double>()));
    // Their gradients are summed, 4 bytes each, as between replicas of the whole pipeline.
    const std::string optimizer = "optimizer: {enabled: true}\n";
    const auto inside = play(one_stage(samples, ", data_parallel: 2", optimizer));
    const auto replicas =
        play(one_stage("  micro_batch_size: 2\n  data_parallel: 2\n", "", optimizer));
    CHECK(inside->summary().makespan == replicas->summary().makespan);
  }

  TEST_CASE("data parallelism inside a stage divides the samples evenly, over links") {
    const auto refused = [](const std::string& text) {
      const auto loaded = load_scenario(text);
      REQUIRE(!loaded.ok());
      return std::string(code_text(loaded.diagnostics().front().code)) + " " +
             loaded.diagnostics().front().path;
    };
    CHECK(refused(one_stage("  micro_batch_size: 3\n", ", data_parallel: 2")) ==
          "value.range pipeline.stages[0].data_parallel");
    std::string unlinked = one_stage("  calibration: arithmetic\n  micro_batch_size: 2\n",
                                     ", data_parallel: 2", "optimizer: {enabled: true}\n");
    unlinked.replace(unlinked.find(", cross_node: ib-ndr"), 20, "");
    CHECK(refused(unlinked) == "link.missing pipeline.stages[0].data_parallel");
  }

  TEST_CASE("a device's own link joins its tensor-parallel group") {
    std::string text = one_stage("  calibration: arithmetic\n", ", tensor_parallel: 4");
    const auto preset = play(text)->summary().makespan;
    text.replace(text.find("socket: 0}"), 10, "socket: 0, link_GBps: 450, link_latency_us: 1000}");
    // 8 microbatches of 4 layers, 4 sums of 6 messages each, 1 ms a message instead of the
    // preset's.
    const auto slow = play(text)->summary().makespan;
    CHECK(to_ms(slow - preset) > 8 * 4 * 4 * 6 * 0.99);
    CHECK(to_ms(slow - preset) < 8 * 4 * 4 * 6 * 1.01);
    text.replace(text.find("same_node: nvlink4, "), 20, "");
    CHECK(play(text)->summary().makespan == slow);
  }
}

// YAML -> Scenario: every key lands in its field, and what is not written has the default of the
// specification.
#include "io/reader.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "io/maximal.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

ReadScenario read(const std::string& text) {
  const Result<YamlTree> tree = parse_yaml(text);
  REQUIRE_MESSAGE(tree.ok(), (tree.ok() ? "" : listing(tree.diagnostics())));
  Result<ReadScenario> scenario = read_scenario(*tree.value());
  REQUIRE_MESSAGE(scenario.ok(), (scenario.ok() ? "" : listing(scenario.diagnostics())));
  return std::move(scenario).value();
}

Distribution distribution(const std::string& text) {
  return read(changed(kGood, {{"distribution: 10", "distribution: " + text}}))
      .scenario.pipeline.stages[0]
      .compute.distribution;
}

bool same(const Distribution& d, DistributionKind kind, double a, double b = 0) {
  return d.kind == kind && d.a == a && d.b == b;
}

}  // namespace

TEST_SUITE("io/reader") {
  TEST_CASE("every key of the simulation section lands in its field") {
    const SimulationSection s = read(std::string(kMaximal)).scenario.simulation;
    CHECK(s.physics == Physics::Sluice);
    CHECK(s.batches == 3);
    CHECK(s.microbatches == 6);
    CHECK(s.seed == 42);
    CHECK(s.transfers == Transfers::Bandwidth);
    CHECK(!s.step_barrier);
    CHECK(s.options.cost_model == CostModel::HopsRoofline);
    CHECK(s.options.policies == Policies::StaticOrders);
    CHECK(s.options.link_share == LinkShare::Fifo);
    CHECK(s.options.locality_penalty);
    CHECK(s.options.allreduce_over == AllReduceOver::Stages);
    CHECK(s.options.throughput_until == ThroughputUntil::LastBackward);
    CHECK(s.options.memory_model == MemoryModel::Hops);
    CHECK(s.options.capacity == Capacity::Enforce);
    CHECK(s.options.failure_effect == FailureEffect::DelayStarts);
  }

  TEST_CASE("every key of the pipeline section lands in its field") {
    const PipelineSection p = read(std::string(kMaximal)).scenario.pipeline;
    CHECK(p.schedule.name == "gpipe");
    CHECK(!p.schedule.policy.has_value());
    CHECK(p.precision == Precision::Bf16);
    CHECK(p.micro_batch_size == 2);
    CHECK(p.activation_mb == 12.5);
    CHECK(p.backward_factor == 1.75);
    CHECK(p.activation_grad_fraction == 0.4);
    REQUIRE(p.model.has_value());
    CHECK(p.model->hidden_dim == 1024);
    CHECK(p.model->seq_len == 512);
    CHECK(p.model->vocab_size == 32000);
    REQUIRE(p.stages.size() == 3);
    const StageSpec& s = p.stages[0];
    CHECK(s.device == "g0");
    CHECK(s.weights_mb == 300);
    CHECK(s.compute.mode == ComputeMode::Analytical);
    CHECK(s.compute.tflop == 0.5);
    CHECK(s.compute.memory_mb == 64);
    CHECK(s.compute.compute_efficiency == 0.5);
    CHECK(s.compute.memory_efficiency == 0.7);
    CHECK(same(s.compute.jitter, DistributionKind::Normal, 0.1, 0.2));
    REQUIRE(s.backward.has_value());
    CHECK(same(*s.backward, DistributionKind::HeavyTailed, 5, 2.5));
    CHECK(s.memory_placement.kind == PlacementKind::Socket);
    CHECK(s.memory_placement.node == "n0");
    CHECK(s.memory_placement.socket == "1");
    CHECK(p.stages[1].compute.mode == ComputeMode::Explicit);
    CHECK(same(p.stages[1].compute.distribution, DistributionKind::Poisson, 4));
    CHECK(p.stages[2].memory_placement.kind == PlacementKind::Device);
    CHECK(p.stages[2].memory_placement.device == "g0");
  }

  TEST_CASE("a policy is read as rules") {
    const PipelineSection p =
        read(changed(kMaximal, {{std::string(kNamedSchedule), std::string(kPolicySchedule)}}))
            .scenario.pipeline;
    REQUIRE(p.schedule.policy.has_value());
    CHECK(p.schedule.policy->split);
    CHECK(p.schedule.policy->rules ==
          std::vector<std::string>{"in_flight >= ranks - rank: I", "F", "W", "I"});
    CHECK(p.schedule.name.empty());
  }

  TEST_CASE("parameters of a schedule and an order written out are read") {
    const auto schedule = [](std::string_view text) {
      return read(changed(kMaximal, {{std::string(kNamedSchedule), std::string(text)}}))
          .scenario.pipeline.schedule;
    };
    const ScheduleChoice named = schedule(kParameterSchedule);
    CHECK(named.name == "zb_auto");
    const std::map<std::string, std::vector<double>> values(named.parameters.begin(),
                                                            named.parameters.end());
    CHECK(values == std::map<std::string, std::vector<double>>{{"chunks", {2}},
                                                               {"group", {4}},
                                                               {"warm_up", {1}},
                                                               {"overlap_moe", {1}},
                                                               {"strict", {0}},
                                                               {"slices", {3}},
                                                               {"extra_warm_up", {2}},
                                                               {"lag", {1}},
                                                               {"waves", {2}},
                                                               {"memory_limit", {3, 4.5, 5}},
                                                               {"accumulation", {2}},
                                                               {"stash", {0}},
                                                               {"prediction", {1}},
                                                               {"extra_inflight", {1}},
                                                               {"rounds", {2}},
                                                               {"variant", {1}},
                                                               {"mode", {1}},
                                                               {"zero1", {1}}});
    const ScheduleChoice order = schedule(kOrderSchedule);
    REQUIRE(order.order.has_value());
    CHECK(order.order->order == std::vector<std::string>{"F0@0 B0@0", "(F1@1|B0@1)"});
    REQUIRE(order.order->placement.size() == 4);
    CHECK(order.order->placement[1].first == "up");
    CHECK(order.order->placement[1].second == std::vector<std::int64_t>{2, 1, 0});
  }

  TEST_CASE("a model's shape is read, and a stage may name its layers") {
    const PipelineSection p =
        read(changed(kMaximal, {{std::string(kTimedStage), std::string(kLayersStage)}}))
            .scenario.pipeline;
    REQUIRE(p.model.has_value());
    CHECK(*p.model ==
          ModelShape{.hidden_dim = 1024,
                     .seq_len = 512,
                     .vocab_size = 32000,
                     .layers = 12,
                     .ffn_dim = 3072,
                     .gated = true,
                     .heads = 16,
                     .kv_heads = 4,
                     .head_dim = 80,
                     .tied_embeddings = true,
                     .learned_positions = 512,
                     .attention = AttentionKind::Unfused,
                     .experts = {.count = 16,
                                 .active = 3,
                                 .shared = 2,
                                 .ffn_dim = 640,
                                 .dense_layers = 1,
                                 .imbalance = 1.25},
                     .mla = {.q_lora = 96, .kv_lora = 48, .nope = 40, .rope = 24, .v = 56},
                     .ssm = {.state = 32, .head_dim = 16, .groups = 2},
                     .layer_kinds = "TM-*TM-*TM-*",
                     .preset = "gpt-1.3b"});
    CHECK(p.data_parallel == 4);
    CHECK(p.distributed_optimizer);
    CHECK(p.expert_parallel == 2);
    CHECK(p.stages[2].tensor_parallel == 2);
    CHECK(p.stages[2].sequence_parallel);
    CHECK(p.calibration == "another");
    CHECK(p.stages[2].layers == 12);
    CHECK_FALSE(p.stages[0].layers.has_value());
  }

  TEST_CASE("recompute: a preset, a list of operators, for a stage in how many of its layers") {
    const auto recompute = [](const std::string& written) {
      return read(changed(kMaximal, {{"recompute: selective", "recompute: " + written}}))
          .scenario.pipeline.recompute;
    };
    CHECK(recompute("none") == Recompute::None);
    CHECK(recompute("selective") == Recompute::Selective);
    CHECK(recompute("full") == Recompute::Full);
    Recompute expected{.kind = Recompute::Kind::Operators, .layers = {}};
    expected.layers[static_cast<std::size_t>(Operator::Softmax)] = Recompute::kAllLayers;
    expected.layers[static_cast<std::size_t>(Operator::Scores)] = Recompute::kAllLayers;
    CHECK(recompute("[AS, Sco]") == expected);
    CHECK(expected.in_layer(7) == (bit(Operator::Softmax) | bit(Operator::Scores)));

    const PipelineSection p =
        read(changed(kMaximal, {{std::string(kTimedStage), std::string(kLayersStage)}}))
            .scenario.pipeline;
    CHECK_FALSE(p.stages[0].recompute.has_value());
    REQUIRE(p.stages[2].recompute.has_value());
    const Recompute& own = *p.stages[2].recompute;
    CHECK(own.in_layer(1) == (bit(Operator::Softmax) | bit(Operator::Norm1)));
    CHECK(own.in_layer(2) == bit(Operator::Softmax));
    CHECK(own.in_layer(5) == 0);
  }

  TEST_CASE("every key of the hardware section and the overrides lands in its field") {
    const Scenario s = read(std::string(kMaximal)).scenario;
    REQUIRE(s.hardware.devices.size() == 3);
    const DeviceSpec& d = s.hardware.devices[0];
    CHECK(d.id == "g0");
    CHECK(d.preset == "a100");
    CHECK(d.device_class == DeviceClass::Gpu);
    CHECK(d.node == "n0");
    CHECK(d.socket == "1");
    CHECK(d.tflops_half == 300);
    CHECK(d.tflops_fp32 == 18);
    CHECK(d.memory_GiB == 40);
    CHECK(s.hardware.memory_reserve == 0.05);
    CHECK(d.memory_bandwidth_GBps == 1500);
    CHECK(d.launch_overhead_ms == 0.25);
    CHECK(s.hardware.devices[1].device_class == DeviceClass::Cpu);
    CHECK(s.hardware.devices[1].preset == "cpu-standard");
    CHECK(s.hardware.devices[2].tflops_half == 100);
    CHECK(s.hardware.same_socket == "nvlink");
    CHECK(s.hardware.same_node == "pcie");
    CHECK(s.hardware.cross_node == "ethernet");
    REQUIRE(s.hardware.links.size() == 3);
    CHECK(s.hardware.links[2].points == std::vector<LinkPoint>{{1, 0.5}, {16, 7}});
    const LinkSpec& l = s.hardware.links[0];
    CHECK(l.from == "g0");
    CHECK(l.to == "c0");
    CHECK(l.oneway);
    CHECK(!l.is_default);
    CHECK(l.bandwidth_GBps == 20);
    CHECK(l.latency_us == 7);
    CHECK(same(l.jitter, DistributionKind::Constant, 0.125));
    CHECK(s.hardware.links[1].is_default);
    CHECK(!s.hardware.links[1].latency_us.has_value());
    REQUIRE(s.device_overrides.size() == 1);
    const DeviceOverride& o = s.device_overrides[0];
    CHECK(o.id == "g1");
    CHECK(o.memory_mb == 20000);
    CHECK(o.flops_tflops == 110);
    CHECK(o.memory_bandwidth_gbps == 280);
    CHECK(o.launch_overhead_ms == 1);
    REQUIRE(s.link_overrides.size() == 1);
    const LinkOverride& k = s.link_overrides[0];
    CHECK(k.src == "c0");
    CHECK(k.dst == "g1");
    CHECK(k.bandwidth_gbps == 9.5);
    CHECK(k.latency_us == 30);
    CHECK(same(k.jitter, DistributionKind::Normal, 0, 0.5));
  }

  TEST_CASE("every key of the other sections lands in its field") {
    const Scenario s = read(std::string(kMaximal)).scenario;
    CHECK(s.optimizer.enabled);
    CHECK(s.optimizer.gradient_mb == 200);
    CHECK(s.optimizer.accumulation_steps == 2);
    CHECK(s.optimizer.algorithm == AllReduceAlgorithm::Ring);
    CHECK(same(*s.optimizer.update, DistributionKind::Constant, 4.5));
    REQUIRE(s.optimizer.iteration_barrier.has_value());
    CHECK(same(*s.optimizer.iteration_barrier, DistributionKind::Normal, 10, 1));
    CHECK(s.failure.enabled);
    CHECK(s.failure.check_interval_ms == 100);
    CHECK(s.failure.device_failure_probability == 0.01);
    CHECK(s.failure.link_failure_probability == 0.02);
    CHECK(s.failure.recovery_time_ms == 25);
    CHECK(s.output.timeline == "out/timeline.png");
    CHECK(s.output.dashboard == "out/dashboard.png");
    CHECK(s.output.summary_json == "out/summary.json");
    CHECK(s.output.trace_csv == "out/trace.csv");
    CHECK(s.ui == std::vector<std::string>{"simulation.seed", "pipeline.schedule"});
  }

  TEST_CASE("what is not written has the default of the specification") {
    const Scenario s =
        read(changed(kGood, {{"  activation_mb: 8\n", ""}, {"  seed: 1\n", ""}})).scenario;
    CHECK(s.simulation.physics == Physics::Sluice);
    CHECK(s.simulation.batches == 1);
    CHECK(s.simulation.seed == 0);
    CHECK(s.simulation.transfers == Transfers::Shared);
    CHECK(s.simulation.step_barrier);
    CHECK(s.pipeline.precision == Precision::Fp32);
    CHECK(s.pipeline.micro_batch_size == 1);
    CHECK(!s.pipeline.activation_mb.has_value());
    CHECK(s.pipeline.backward_factor == 2.0);
    CHECK(s.pipeline.activation_grad_fraction == 0.5);
    CHECK(!s.pipeline.model.has_value());
    CHECK(!s.pipeline.stages[0].backward.has_value());
    CHECK(s.pipeline.stages[0].memory_placement.kind == PlacementKind::Local);
    CHECK(s.hardware.same_socket.empty());
    CHECK(!s.optimizer.enabled);
    CHECK(s.optimizer.gradient_mb == 0);
    CHECK(s.optimizer.accumulation_steps == 1);
    CHECK(s.optimizer.algorithm == AllReduceAlgorithm::Naive);
    CHECK(!s.optimizer.iteration_barrier.has_value());
    CHECK(!s.failure.enabled);
    CHECK(s.output.trace_csv.empty());
    CHECK(s.ui.empty());
    const Scenario model =
        read(changed(kGood,
                     {{"schedule: 1f1b", "schedule: 1f1b\n  model: {hidden_dim: 8, seq_len: 8}"},
                      {"mode: explicit, distribution: 10", "mode: analytical, tflop: 1"}}))
            .scenario;
    CHECK(model.pipeline.model->vocab_size == 50304);
    CHECK(model.pipeline.stages[0].compute.memory_mb == 0);
    CHECK(model.pipeline.stages[0].compute.compute_efficiency == 0.45);
    CHECK(model.pipeline.stages[0].compute.memory_efficiency == 0.6);
    CHECK(same(model.pipeline.stages[0].compute.jitter, DistributionKind::Constant, 0));
  }

  TEST_CASE("physics is a bundle of options, and single options are read over it") {
    const auto options = [](const std::string& lines) {
      return read(changed(kGood, {{"seed: 1", lines}})).scenario.simulation.options;
    };
    CHECK(options("seed: 1") == bundle(Physics::Sluice));
    CHECK(options("physics: hops") == bundle(Physics::Hops));
    Options mixed = bundle(Physics::Hops);
    mixed.capacity = Capacity::Warn;
    mixed.locality_penalty = false;
    CHECK(options("options: {capacity: warn, locality_penalty: false}\n  physics: hops") == mixed);
  }

  TEST_CASE("the four distributions and the bare number are read") {
    CHECK(same(distribution("7.5"), DistributionKind::Constant, 7.5));
    CHECK(same(distribution("{type: constant, value: -1}"), DistributionKind::Constant, -1));
    CHECK(same(distribution("{type: normal, mean: -3, std: 0}"), DistributionKind::Normal, -3, 0));
    CHECK(same(distribution("{type: heavy_tailed, base: 2, alpha: 1.5}"),
               DistributionKind::HeavyTailed, 2, 1.5));
    CHECK(same(distribution("{type: poisson, lam: 0}"), DistributionKind::Poisson, 0));
  }

  TEST_CASE("empty sections and values count as not written") {
    const Scenario plain = read(std::string(kGood)).scenario;
    CHECK(read(std::string(kGood) + "optimizer:\nfailure: ~\noutput: {}\noverrides: null\nui:\n")
              .scenario == plain);
    CHECK(
        read(changed(kGood, {{"seed: 1", "seed: 1\n  batches:\n  options: ~\n  transfers: null"}}))
            .scenario == plain);
  }

  TEST_CASE("anchors, aliases and merge keys stand for what they name") {
    const Scenario plain = read(std::string(kGood)).scenario;
    const std::string compute = "compute: {mode: explicit, distribution: 10}";
    CHECK(read(changed(kGood, {{compute, "compute: &c {mode: explicit, distribution: 10}"},
                               {compute, "compute: *c"}}))
              .scenario == plain);
    CHECK(read(changed(kGood, {{"- device: a", "- &stage\n      device: a"},
                               {"- device: b\n      weights_mb: 100\n      " + compute,
                                "- {<<: *stage, device: b}"}}))
              .scenario == plain);
  }

  TEST_CASE("ids are text, whatever they look like") {
    const auto id_of = [](const std::string& written) {
      return read(changed(kGood, {{"{id: a,", "{id: " + written + ","},
                                  {"device: a", "device: " + written}}))
          .scenario.hardware.devices[0]
          .id;
    };
    CHECK(id_of("0") == "0");
    CHECK(id_of("010") == "010");
    CHECK(id_of("1e5") == "1e5");
    CHECK(id_of("true") == "true");
    CHECK(id_of("'null'") == "null");
    CHECK(id_of("\"a b: #c\"") == "a b: #c");
    CHECK(id_of("'it''s'") == "it's");
    CHECK(id_of("\xE6\x9C\xBA\xE5\x99\xA8") == "\xE6\x9C\xBA\xE5\x99\xA8");
    CHECK(id_of("\"\\u00e9\"") == "\xC3\xA9");
  }

  TEST_CASE("quoting a key or a word of a choice changes nothing") {
    CHECK(read(changed(kGood, {{"microbatches", "'microbatches'"}, {"explicit", "\"explicit\""}}))
              .scenario == read(std::string(kGood)).scenario);
  }
}

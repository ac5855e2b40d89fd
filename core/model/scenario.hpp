// What the user wrote: one plain struct a section of the file, in the units of its keys (the suffix
// says which). Reading is io/'s, conversion to SI is cost/'s; here nothing is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/distribution.hpp"
#include "model/options.hpp"

namespace sluice {

/// `simulation:`
struct SimulationSection {
  Physics physics = Physics::Sluice;
  std::int64_t batches = 1;
  std::int64_t microbatches = 1;
  std::uint64_t seed = 0;
  Transfers transfers = Transfers::Shared;
  bool step_barrier = true;
  /// Resolved: the bundle of `physics` with what `simulation.options` overrides.
  Options options;

  bool operator==(const SimulationSection&) const = default;
};

/// A policy as data: for an idle rank the first rule that yields a ready operation wins.
struct PolicyText {
  bool split = false;
  /// "F", or "in_flight >= ranks - rank: I".
  std::vector<std::string> rules;

  bool operator==(const PolicyText&) const = default;
};

/// `pipeline.schedule`: a name with parameters, or a policy.
struct ScheduleChoice {
  std::string name;
  std::optional<PolicyText> policy;

  bool operator==(const ScheduleChoice&) const = default;
};

enum class Precision : std::uint8_t { Fp32, Fp16, Bf16 };

/// `pipeline.model` in the HOPS form.
struct ModelShape {
  std::int64_t hidden_dim = 0;
  std::int64_t seq_len = 0;
  std::int64_t vocab_size = 50304;

  bool operator==(const ModelShape&) const = default;
};

enum class ComputeMode : std::uint8_t { Explicit, Analytical };

/// `stages[].compute`
struct ComputeSpec {
  ComputeMode mode = ComputeMode::Explicit;
  /// explicit: one forward, ms.
  Distribution distribution;
  /// analytical: work of one forward microbatch, and bytes it moves (MiB).
  double tflop = 0;
  double memory_mb = 0;
  double compute_efficiency = 0.45;
  double memory_efficiency = 0.6;
  Distribution jitter;

  bool operator==(const ComputeSpec&) const = default;
};

enum class PlacementKind : std::uint8_t { Local, Socket, Device };

/// `stages[].memory_placement`: where an analytical stage's memory lies.
struct MemoryPlacement {
  PlacementKind kind = PlacementKind::Local;
  std::string node;
  std::string socket;
  std::string device;

  bool operator==(const MemoryPlacement&) const = default;
};

/// `pipeline.stages[]`: one entry a rank.
struct StageSpec {
  std::string device;
  double weights_mb = 0;
  ComputeSpec compute;
  std::optional<Distribution> backward;
  MemoryPlacement memory_placement;

  bool operator==(const StageSpec&) const = default;
};

/// `pipeline:`
struct PipelineSection {
  ScheduleChoice schedule;
  Precision precision = Precision::Fp32;
  /// Samples in one microbatch; scales samples/s and tokens/s only.
  std::int64_t micro_batch_size = 1;
  /// Payload of one boundary in MiB, as fp32; halved for fp16 and bf16.
  std::optional<double> activation_mb;
  double backward_factor = 2.0;
  /// Share of the backward pass that is the input gradient, in [0, 1].
  double activation_grad_fraction = 0.5;
  std::optional<ModelShape> model;
  std::vector<StageSpec> stages;

  bool operator==(const PipelineSection&) const = default;
};

enum class DeviceClass : std::uint8_t { Gpu, Cpu };

/// `hardware.devices[]`
struct DeviceSpec {
  std::string id;
  /// Name of a device preset, written under `gpu` or `cpu`.
  std::string preset;
  DeviceClass device_class = DeviceClass::Gpu;
  std::string node;
  std::string socket;
  /// Dense half-precision peak, when written as tflops: {bf16: ...} (or fp16).
  std::optional<double> tflops_half;
  std::optional<double> tflops_fp32;
  std::optional<double> memory_GiB;
  std::optional<double> memory_bandwidth_GBps;
  std::optional<double> launch_overhead_ms;

  bool operator==(const DeviceSpec&) const = default;
};

/// `hardware.links[]`, the native form of overrides.
struct LinkSpec {
  std::string from;
  std::string to;
  /// Stands for every pair that no other entry names.
  bool is_default = false;
  bool oneway = false;
  std::optional<double> bandwidth_GBps;
  std::optional<double> latency_us;
  Distribution jitter;

  bool operator==(const LinkSpec&) const = default;
};

/// `hardware:`
struct HardwareSection {
  std::vector<DeviceSpec> devices;
  std::vector<LinkSpec> links;
  /// Names of interconnect presets; empty when not written.
  std::string same_socket;
  std::string same_node;
  std::string cross_node;

  bool operator==(const HardwareSection&) const = default;
};

enum class AllReduceAlgorithm : std::uint8_t { Naive, Ring };

/// `optimizer:`
struct OptimizerSection {
  bool enabled = false;
  /// MiB as fp32; halved for half precision.
  double gradient_mb = 0;
  /// Batches from one update to the next.
  std::int64_t accumulation_steps = 1;
  AllReduceAlgorithm algorithm = AllReduceAlgorithm::Naive;
  Distribution update;
  /// Pause before every batch but the first, also when the optimizer is off.
  std::optional<Distribution> iteration_barrier;

  bool operator==(const OptimizerSection&) const = default;
};

/// `failure:`
struct FailureSection {
  bool enabled = false;
  double check_interval_ms = 0;
  double device_failure_probability = 0;
  double link_failure_probability = 0;
  double recovery_time_ms = 0;

  bool operator==(const FailureSection&) const = default;
};

/// `output:`: paths the command writes to; empty is off.
struct OutputSection {
  std::string timeline;
  std::string dashboard;
  std::string summary_json;
  std::string trace_csv;

  bool operator==(const OutputSection&) const = default;
};

/// `overrides.devices[]`
struct DeviceOverride {
  std::string id;
  std::optional<double> memory_mb;
  std::optional<double> flops_tflops;
  std::optional<double> memory_bandwidth_gbps;
  std::optional<double> launch_overhead_ms;

  bool operator==(const DeviceOverride&) const = default;
};

/// `overrides.links[]`: directed.
struct LinkOverride {
  std::string src;
  std::string dst;
  double bandwidth_gbps = 0;
  double latency_us = 0;
  Distribution jitter;

  bool operator==(const LinkOverride&) const = default;
};

struct Scenario {
  SimulationSection simulation;
  PipelineSection pipeline;
  HardwareSection hardware;
  OptimizerSection optimizer;
  FailureSection failure;
  OutputSection output;
  std::vector<DeviceOverride> device_overrides;
  std::vector<LinkOverride> link_overrides;
  /// Paths whose values the page offers as quick controls.
  std::vector<std::string> ui;

  bool operator==(const Scenario&) const = default;
};

}  // namespace sluice

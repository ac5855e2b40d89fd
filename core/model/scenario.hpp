// What the user wrote: one plain struct a section of the file, in the units of its keys (the suffix
// says which). Reading is io/'s, conversion to SI is cost/'s; here nothing is computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/distribution.hpp"
#include "model/options.hpp"
#include "model/plan_section.hpp"
#include "model/trouble.hpp"

namespace sluice {

/// `simulation:`
struct SimulationSection {
  Physics physics = Physics::Sluice;
  std::int64_t batches = 1;
  std::int64_t microbatches = 1;
  std::uint64_t seed = 0;
  Transfers transfers = Transfers::Shared;
  Communication communication = Communication::Async;
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

/// An order written out: the operations of each rank as text, and the rank of each stage by pipe.
struct OrderText {
  std::vector<std::string> order;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> placement;

  bool operator==(const OrderText&) const = default;
};

/// `pipeline.schedule`: a name with parameters, a policy, or an order.
struct ScheduleChoice {
  std::string name;
  /// By name, `chunks` among them; a switch is 0 or 1; several values are one for each rank.
  std::vector<std::pair<std::string, std::vector<double>>> parameters;
  std::optional<PolicyText> policy;
  std::optional<OrderText> order;

  bool operator==(const ScheduleChoice&) const = default;
};

enum class Precision : std::uint8_t { Fp32, Fp16, Bf16 };

/// Whether attention scores travel through memory.
enum class AttentionKind : std::uint8_t { Flash, Unfused };

/// `pipeline.model.experts`: feed-forward blocks of which a token uses a few; count 0 is none.
struct ExpertShape {
  std::int64_t count = 0;
  std::int64_t active = 0;
  /// Used by every token, beside the active ones.
  std::int64_t shared = 0;
  /// Inner size of one expert.
  std::int64_t ffn_dim = 0;
  /// Leading layers with a dense block in their place.
  std::int64_t dense_layers = 0;
  /// Tokens of the most loaded device over the mean, where devices divide the experts; 1 or more.
  double imbalance = 1;

  bool operator==(const ExpertShape&) const = default;
};

/// `pipeline.model.mla`: multi-head latent attention; kv_lora 0 is none. Ranks of the compressed
/// queries (0: not compressed) and keys and values, and the parts of a head.
struct LatentShape {
  std::int64_t q_lora = 0;
  std::int64_t kv_lora = 0;
  std::int64_t nope = 0;
  std::int64_t rope = 0;
  std::int64_t v = 0;

  bool operator==(const LatentShape&) const = default;
};

/// `pipeline.model.ssm`: Mamba-2 mixers, whose inner size is 2 hidden_dim.
struct StateSpaceShape {
  std::int64_t state = 128;
  std::int64_t head_dim = 64;
  std::int64_t groups = 8;

  bool operator==(const StateSpaceShape&) const = default;
};

/// `pipeline.model`: sizes that the activation and, where stages name their layers, all times
/// follow from. Zero is "not written": `complete` fills in what follows from the others.
struct ModelShape {
  std::int64_t hidden_dim = 0;
  std::int64_t seq_len = 0;
  std::int64_t vocab_size = 50304;
  std::int64_t layers = 0;
  std::int64_t ffn_dim = 0;
  bool gated = false;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  bool tied_embeddings = false;
  std::int64_t learned_positions = 0;
  AttentionKind attention = AttentionKind::Flash;
  ExpertShape experts;
  LatentShape mla;
  StateSpaceShape ssm;
  /// One letter a layer, T everywhere when empty: T attention and feed-forward, M Mamba-2,
  /// - feed-forward, * attention.
  std::string layer_kinds;
  /// Name of the preset that gave what is not written; "" without.
  std::string preset;

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

/// `stages[].extra`: what a stage pays beside its layers, ms a microbatch: e.g. its share of a
/// vocabulary that all ranks hold together. `weight_gather` is paid when the rank turns to this
/// stage's weights, which it keeps only while it works with them.
struct ExtraCosts {
  double forward_ms = 0;
  double backward_ms = 0;
  double weight_gather_ms = 0;

  bool operator==(const ExtraCosts&) const = default;
};

/// Operators of a layer whose outputs can be made again: its first norm; queries, keys and values;
/// scores; their softmax, its dropout and the dropout's mask; the context that attention hands on;
/// the second norm; the first feed-forward matrices; the non-linearity behind them.
enum class Operator : std::uint8_t {
  Norm1,
  Queries,
  Scores,
  Softmax,
  Dropout,
  DropoutMask,
  Context,
  Norm2,
  Inner,
  Nonlinear
};
inline constexpr std::size_t kOperators = 10;

/// One bit an operator.
using OperatorSet = std::uint16_t;
constexpr OperatorSet bit(Operator o) {
  return static_cast<OperatorSet>(1U << static_cast<unsigned>(o));
}

/// What a backward computes again in the place of keeping it: nothing, attention scores, whole
/// layers, or single operators.
struct Recompute {
  enum class Kind : std::uint8_t { None, Selective, Full, Operators };
  /// More layers than a stage may have.
  static constexpr std::int64_t kAllLayers = 1'000'000;

  Kind kind = Kind::None;
  /// Operators: in how many layers of a stage, from its first one on, each is made again.
  std::array<std::int64_t, kOperators> layers{};

  static const Recompute None;
  static const Recompute Selective;
  static const Recompute Full;

  bool operator==(const Recompute&) const = default;
  /// Those of the stage's layer `index`; none for other kinds.
  [[nodiscard]] OperatorSet in_layer(std::int64_t index) const {
    unsigned set = 0;
    for (std::size_t o = 0; o < kOperators; ++o) {
      if (index < layers[o]) set |= 1U << o;
    }
    return static_cast<OperatorSet>(set);
  }
};
inline constexpr Recompute Recompute::None{};
inline constexpr Recompute Recompute::Selective{.kind = Recompute::Kind::Selective, .layers = {}};
inline constexpr Recompute Recompute::Full{.kind = Recompute::Kind::Full, .layers = {}};

/// `pipeline.stages[]`: one entry a rank.
struct StageSpec {
  std::string device;
  double weights_mb = 0;
  /// Layers of `pipeline.model`, in the place of `compute`.
  std::optional<std::int64_t> layers;
  /// Where they are written one by one: of each stage that the rank holds, in the model's order;
  /// `layers` is their sum. Empty: spread evenly, the remainder over the first ones.
  std::vector<std::int64_t> chunk_layers;
  /// With layers: identical devices that `device` stands for and that divide every layer; whether
  /// they divide what lies between the matrices too.
  std::int64_t tensor_parallel = 1;
  bool sequence_parallel = false;
  /// With layers: so many such groups, which divide the samples of every microbatch.
  std::int64_t data_parallel = 1;
  /// With layers, in the place of the pipeline's.
  std::optional<Recompute> recompute;
  ComputeSpec compute;
  std::optional<Distribution> backward;
  /// One overlapped cell of a forward and a backward, ms; default their sum.
  std::optional<Distribution> overlapped;
  /// Weight update of its device, ms, in the place of `optimizer.update`.
  std::optional<Distribution> update;
  ExtraCosts extra;
  MemoryPlacement memory_placement;

  bool operator==(const StageSpec&) const = default;
};

/// `pipeline.partition`: how the model's layers are spread where stages do not name theirs.
enum class PartitionKind : std::uint8_t { Uniform, Balanced, Listed };
struct Partition {
  PartitionKind kind = PartitionKind::Uniform;
  /// Listed: one entry a stage.
  std::vector<std::int64_t> layers;

  bool operator==(const Partition&) const = default;
};

/// `pipeline.layer_costs[]`: layers whose costs are written, in the place of a model's shape; one
/// microbatch.
struct LayerCost {
  /// So many of them, one after the other.
  std::int64_t count = 1;
  double forward_ms = 0;
  double input_grad_ms = 0;
  double weight_grad_ms = 0;
  /// MiB as fp32, as everywhere.
  double weights_mb = 0;
  double activation_mb = 0;

  bool operator==(const LayerCost&) const = default;
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
  /// In the place of `model`, embedding and output layer among them.
  std::vector<LayerCost> layer_costs;
  std::optional<Partition> partition;
  /// With `layers`: activations that are made again.
  Recompute recompute = Recompute::None;
  /// With `layers`: replicas of the whole pipeline, of which one is simulated; whether they divide
  /// the optimizer's state.
  std::int64_t data_parallel = 1;
  bool distributed_optimizer = false;
  /// Replicas that divide the experts of each layer among them; divides data_parallel.
  std::int64_t expert_parallel = 1;
  /// Name of a calibration preset: what the framework, its host and its network cost.
  std::string calibration = "megatron_local";
  std::vector<StageSpec> stages;

  bool operator==(const PipelineSection&) const = default;
};

/// `pipelines[]`: one of several independent pipelines that train one model together. Each has its
/// own share of the batch, in microbatches of its own size; gradients are weighted by the shares
/// and summed.
struct PipelineEntry {
  std::string name;
  /// Samples of a step.
  std::int64_t local_batch = 0;
  PipelineSection pipeline;

  bool operator==(const PipelineEntry&) const = default;
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
  /// Of its links to the others of its group or node, one direction.
  std::optional<double> link_GBps;
  std::optional<double> link_latency_us;
  /// While it computes, and while it waits.
  std::optional<double> power_W;
  std::optional<double> idle_power_W;
  /// In whatever currency the other prices are.
  std::optional<double> price_per_hour;

  bool operator==(const DeviceSpec&) const = default;
};

/// `hardware.links[]`, the native form of overrides.
/// A measured transfer: so many MiB in so many ms.
struct LinkPoint {
  double size_MiB = 0;
  double time_ms = 0;

  bool operator==(const LinkPoint&) const = default;
};

struct LinkSpec {
  std::string from;
  std::string to;
  /// Stands for every pair that no other entry names.
  bool is_default = false;
  bool oneway = false;
  std::optional<double> bandwidth_GBps;
  std::optional<double> latency_us;
  Distribution jitter;
  /// In the place of bandwidth and latency, ascending by size.
  std::vector<LinkPoint> points;

  bool operator==(const LinkSpec&) const = default;
};

/// `hardware.switches[]`: what joins nodes.
struct SwitchSpec {
  std::string id;
  std::vector<std::string> nodes;

  bool operator==(const SwitchSpec&) const = default;
};

/// `hardware:`
struct HardwareSection {
  std::vector<DeviceSpec> devices;
  std::vector<SwitchSpec> switches;
  /// Of electricity, where it is paid beside the devices.
  std::optional<double> price_per_kWh;
  std::vector<LinkSpec> links;
  /// Share of every device's memory that framework, context and fragmentation take, in [0, 1).
  double memory_reserve = 0;
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
  /// Of independent pipelines.
  GradientSync gradient_sync = GradientSync::Block;
  /// Of one device; where stages name their layers it follows from them unless it is written.
  std::optional<Distribution> update;
  /// Pause before every batch but the first, also when the optimizer is off.
  std::optional<Distribution> iteration_barrier;

  bool operator==(const OptimizerSection&) const = default;
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

/// `expect[]`: what a number of the summary should be; one of `value`, `at_most` and `at_least`.
struct Expectation {
  /// In the summary, e.g. "bubble.idle_over_makespan".
  std::string path;
  std::optional<double> value;
  /// How far off `value` may be, in its unit; without it a millionth of it.
  std::optional<double> tolerance;
  std::optional<double> at_most;
  std::optional<double> at_least;

  bool operator==(const Expectation&) const = default;
};

struct Scenario {
  SimulationSection simulation;
  /// Where there are `pipelines`, in the prepared scenario: the first with the stages of all.
  PipelineSection pipeline;
  std::vector<PipelineEntry> pipelines;
  HardwareSection hardware;
  OptimizerSection optimizer;
  FailureSection failure;
  std::vector<Straggler> stragglers;
  /// Pipelines that are to be found; then `pipeline` has no stages.
  std::optional<PlanSection> plan;
  std::optional<CampaignSection> campaign;
  OutputSection output;
  std::vector<DeviceOverride> device_overrides;
  std::vector<LinkOverride> link_overrides;
  /// Paths whose values the page offers as quick controls.
  std::vector<std::string> ui;
  /// Does not change the run; like `ui` and `output` it counts in the scenario's hash.
  std::vector<Expectation> expect;

  bool operator==(const Scenario&) const = default;
};

}  // namespace sluice

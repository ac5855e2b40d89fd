// One scenario that says every key of the file, with values that no default has.
#pragma once

#include <string_view>

namespace sluice_test {

/// Every key but those that exclude each other; `kMaximalOther` has those.
inline constexpr std::string_view kMaximal = R"(# title: Everything
plan:
  cluster:
    - {gpu: h100, nodes: 2, devices: 4, tflops: 900, memory_GiB: 75, memory_bandwidth_GBps: 3000,
       link_GBps: 400, link_latency_us: 3}
  global_batch: 96
  micro_batch_sizes: [3, 6]
  tensor_parallel: [2]
  cross_node_GBps: 12.5
  cross_node_latency_us: 20
  gradient_sync: tensor
  recompute: false
  most_pipelines: 3
  tolerance: 1.5
simulation:
  physics: sluice
  batches: 3
  microbatches: 6
  seed: 42
  transfers: bandwidth
  communication: blocking
  step_barrier: false
  options:
    cost_model: hops_roofline
    policies: static_orders
    link_share: fifo
    locality_penalty: true
    allreduce_over: stages
    throughput_until: last_backward
    memory_model: hops
    capacity: enforce
    failure_effect: delay_starts
pipeline:
  schedule: {name: gpipe}
  precision: bf16
  micro_batch_size: 2
  activation_mb: 12.5
  backward_factor: 1.75
  backward_split: {enabled: true, activation_grad_fraction: 0.4}
  model: {hidden_dim: 1024, seq_len: 512, vocab_size: 32000, layers: 12, ffn_dim: 3072, gated: true,
          heads: 16, kv_heads: 4, head_dim: 80, tied_embeddings: true, learned_positions: 512,
          attention: unfused, preset: gpt-1.3b, layer_kinds: "TM-*TM-*TM-*",
          experts: {count: 16, active: 3, shared: 2, ffn_dim: 640, dense_layers: 1,
                    imbalance: 1.25},
          mla: {q_lora: 96, kv_lora: 48, nope: 40, rope: 24, v: 56},
          ssm: {state: 32, head_dim: 16, groups: 2}}
  recompute: selective
  data_parallel: 4
  distributed_optimizer: true
  expert_parallel: 2
  calibration: another
  stages:
    - device: g0
      weights_mb: 300
      compute:
        mode: analytical
        tflop: 0.5
        memory_mb: 64
        efficiency: {compute: 0.5, memory: 0.7}
        jitter: {type: normal, mean: 0.1, std: 0.2}
      backward: {distribution: {type: heavy_tailed, base: 5, alpha: 2.5}}
      overlapped: {type: normal, mean: 6, std: 1}
      update: {type: normal, mean: 5, std: 1}
      extra: {forward: 0.5, backward: 0.75, weight_gather: 2}
      memory_placement: {kind: socket, node: n0, socket: 1}
    - device: c0
      weights_mb: 301.5
      compute: {mode: explicit, distribution: {type: poisson, lam: 4}}
      memory_placement: {kind: local}
    - device: g1
      weights_mb: 302
      compute: {mode: analytical, tflop: 0.25}
      memory_placement: {kind: device, device: g0}
hardware:
  memory_reserve: 0.05
  switches: [{id: s0, nodes: [n0, n1]}]
  devices:
    - {id: g0, gpu: a100, node: n0, socket: 1, tflops: {bf16: 300, fp32: 18},
       memory_GiB: 40, memory_bandwidth_GBps: 1500, launch_overhead_ms: 0.25,
       link_GBps: 250, link_latency_us: 4,
       power_W: 280, idle_power_W: 70, price_per_hour: 1.5}
    - {id: c0, cpu: cpu-standard, node: n0, socket: 0}
    - {id: g1, gpu: l4, node: n1, socket: 0, tflops: {fp16: 100}}
  price_per_kWh: 0.25
  interconnect: {same_socket: nvlink, same_node: pcie, cross_node: ethernet}
  links:
    - {from: g0, to: c0, oneway: true, bandwidth_GBps: 20, latency_us: 7,
       jitter: {type: constant, value: 0.125}}
    - {default: true, bandwidth_GBps: 3}
    - {from: g1, to: c0, points: [{size_MiB: 1, time_ms: 0.5}, {size_MiB: 16, time_ms: 7}]}
optimizer:
  enabled: true
  gradient_mb: 200
  accumulation_steps: 2
  allreduce: {algorithm: ring}
  gradient_sync: aligned
  update: 4.5
  iteration_barrier: {type: normal, mean: 10, std: 1}
failure:
  enabled: true
  check_interval_ms: 100
  device_failure_probability: 0.01
  link_failure_probability: 0.02
  recovery_time_ms: 25
  sources:
    - {devices: [g0, c0], mtbf_hours: 50000, shape: 0.7, repair_s: 600}
    - {nodes: n1, at_ms: [10, 20], repair_s: 1}
    - {switches: all, mtbf_hours: 1000, repair_s: 60}
    - {links: [{from: g0, to: c0}], mtbf_hours: 1000, repair_s: 60}
  recovery: checkpoint
  restart_s: 120
  spares: 2
  checkpoint: {every_steps: 100, interval_s: 1800, cost_s: 30}
campaign: {hours: 720, steps: 1000}
stragglers:
  - {devices: g0, factor: 1.1}
  - {nodes: [n0], factor: {low: 1.05, high: 1.15}, drift: {to: 1.3, over_ms: 1000}}
  - {links: [{from: g0, to: c0}], interference: {every_ms: 100, for_ms: 20, factor: 2, offset_ms: 5},
     tail: {probability: 0.01, alpha: 2.5}}
output:
  timeline: out/timeline.png
  dashboard: out/dashboard.png
  summary_json: out/summary.json
  trace_csv: out/trace.csv
overrides:
  devices:
    - {id: g1, memory_mb: 20000, flops_tflops: 110, memory_bandwidth_gbps: 280, launch_overhead_ms: 1}
  links:
    - {src: c0, dst: g1, bandwidth_gbps: 9.5, latency_us: 30, jitter: {type: normal, mean: 0, std: 0.5}}
ui: [simulation.seed, pipeline.schedule]
expect:
  - {path: bubble.span, value: 0.25, tolerance: 0.125}
  - {path: "idle_ms.per_rank[0].warm_up", at_most: 40}
  - {path: fits, at_least: 1}
)";

/// Keys that exclude some of the maximal ones, as `from` and `to` of a replacement.
inline constexpr std::string_view kNamedSchedule = "schedule: {name: gpipe}";
inline constexpr std::string_view kPolicySchedule =
    "schedule: {policy: {split: true, rules: ['in_flight >= ranks - rank: I', F, W, I]}}";
inline constexpr std::string_view kParameterSchedule =
    "schedule: {name: zb_auto, chunks: 2, group: 4, warm_up: 1, overlap_moe: true, strict: false, "
    "slices: 3, extra_warm_up: 2, lag: 1, waves: 2, memory_limit: [3, 4.5, 5], accumulation: 2, "
    "stash: false, prediction: true, extra_inflight: 1, rounds: 2, variant: eager, mode: greedy, "
    "zero1: true}";
inline constexpr std::string_view kOrderSchedule =
    "schedule: {order: ['F0@0 B0@0', '(F1@1|B0@1)'], placement: {down: [0, 1, 2], up: [2, 1, 0], "
    "pipe2: [0, 1, 2], pipe3: [2, 1, 0]}}";
/// A stage by its layers, in the place of the last one's times.
inline constexpr std::string_view kTimedStage =
    "weights_mb: 302\n      compute: {mode: analytical, tflop: 0.25}";
inline constexpr std::string_view kLayersStage =
    "layers: 12\n      tensor_parallel: 2\n      sequence_parallel: true\n      data_parallel: 2\n "
    "     recompute: {LN1: "
    "2, "
    "Qkv: 1, Sco: 1, AS: 5, AD: 1, ADm: 1, Proj: 1, LN2: 1, FC1: 1, Gelu: 1}";
inline constexpr std::string_view kOtherSchedules[] = {kPolicySchedule, kParameterSchedule,
                                                       kOrderSchedule};

}  // namespace sluice_test

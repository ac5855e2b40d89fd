// One scenario that says every key of the file, with values that no default has.
#pragma once

#include <string_view>

namespace sluice_test {

/// Every key but those that exclude each other; `kMaximalOther` has those.
inline constexpr std::string_view kMaximal = R"(# title: Everything
simulation:
  physics: sluice
  batches: 3
  microbatches: 6
  seed: 42
  transfers: bandwidth
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
  model: {hidden_dim: 1024, seq_len: 512, vocab_size: 32000}
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
  devices:
    - {id: g0, gpu: a100, node: n0, socket: 1, tflops: {bf16: 300, fp32: 18},
       memory_GiB: 40, memory_bandwidth_GBps: 1500, launch_overhead_ms: 0.25}
    - {id: c0, cpu: cpu-standard, node: n0, socket: 0}
    - {id: g1, gpu: l4, node: n1, socket: 0, tflops: {fp16: 100}}
  interconnect: {same_socket: nvlink, same_node: pcie, cross_node: ethernet}
  links:
    - {from: g0, to: c0, oneway: true, bandwidth_GBps: 20, latency_us: 7,
       jitter: {type: constant, value: 0.125}}
    - {default: true, bandwidth_GBps: 3}
optimizer:
  enabled: true
  gradient_mb: 200
  accumulation_steps: 2
  allreduce: {algorithm: ring}
  update: 4.5
  iteration_barrier: {type: normal, mean: 10, std: 1}
failure:
  enabled: true
  check_interval_ms: 100
  device_failure_probability: 0.01
  link_failure_probability: 0.02
  recovery_time_ms: 25
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
)";

/// Keys that exclude some of the maximal ones, as `from` and `to` of a replacement.
inline constexpr std::string_view kNamedSchedule = "schedule: {name: gpipe}";
inline constexpr std::string_view kPolicySchedule =
    "schedule: {policy: {split: true, rules: ['in_flight >= ranks - rank: I', F, W, I]}}";

}  // namespace sluice_test

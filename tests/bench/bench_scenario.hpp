// Scenario texts of any size for the benchmark: equal stages, one device each, neighbours joined by
// one kind of link.
#pragma once

#include <string>

namespace sluice_bench {

struct BenchScenario {
  int stages = 64;
  int microbatches = 4096;
  /// Each duration is drawn.
  bool noise = false;
  /// What a transfer takes: "latency" as in the reference loop, or "shared".
  std::string transfers = "latency";
};

inline std::string scenario_text(const BenchScenario& s) {
  std::string text = "simulation: {batches: 1, microbatches: " + std::to_string(s.microbatches) +
                     ", seed: 1, transfers: " + s.transfers +
                     "}\npipeline:\n  schedule: 1f1b\n  activation_mb: 16\n  stages:\n";
  const std::string forward =
      s.noise ? "{type: normal, mean: 1.0, std: 0.05}" : "{type: constant, value: 1.0}";
  for (int stage = 0; stage < s.stages; ++stage) {
    text += "  - {device: d" + std::to_string(stage) +
            ", weights_mb: 100, compute: {mode: explicit, distribution: " + forward + "}}\n";
  }
  text += "hardware:\n  devices:\n";
  for (int stage = 0; stage < s.stages; ++stage) {
    text += "  - {id: d" + std::to_string(stage) + ", gpu: a100, node: n" + std::to_string(stage) +
            ", socket: 0}\n";
  }
  return text + "  links:\n  - {default: true, bandwidth_GBps: 50, latency_us: 50}\n";
}

}  // namespace sluice_bench

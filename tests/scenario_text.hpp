// Scenarios that suites write in one line: equal or listed stage times, one device a stage, one
// kind of link.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace sluice_test {

struct StageTime {
  double forward_ms = 1;
  double backward_ms = 2;
  /// Of an overlapped cell; 0 is the sum.
  double overlapped_ms = 0;
  /// Of its weights; 0 is the optimizer's.
  double update_ms = 0;
};

struct ScenarioText {
  std::string schedule = "1f1b";
  int microbatches = 8;
  int batches = 1;
  std::vector<StageTime> stages;
  double latency_us = 0;
  double bandwidth_GBps = 1e6;
  double activation_mb = 1;
  /// Share of the backward that is the input gradient.
  double split = 0.5;
  /// Lines under `simulation:`, and whole sections.
  std::string simulation;
  std::string sections;

  [[nodiscard]] std::string text() const {
    std::string out =
        "simulation:\n  microbatches: " + std::to_string(microbatches) +
        "\n  batches: " + std::to_string(batches) + "\n" + simulation +
        "pipeline:\n  schedule: " + schedule + "\n  activation_mb: " + number(activation_mb) +
        "\n  backward_split: {activation_grad_fraction: " + number(split) + "}\n  stages:\n";
    for (std::size_t s = 0; s < stages.size(); ++s) {
      out +=
          "    - {device: d" + std::to_string(s) +
          ", weights_mb: 1, compute: {mode: explicit, distribution: " +
          number(stages[s].forward_ms) +
          "}, backward: {distribution: " + number(stages[s].backward_ms) + "}" +
          (stages[s].overlapped_ms > 0 ? ", overlapped: " + number(stages[s].overlapped_ms) : "") +
          (stages[s].update_ms > 0 ? ", update: " + number(stages[s].update_ms) : "") + "}\n";
    }
    out += "hardware:\n  devices:\n";
    for (std::size_t s = 0; s < stages.size(); ++s) {
      out += "    - {id: d" + std::to_string(s) + ", gpu: a100, node: n" + std::to_string(s) +
             ", socket: 0}\n";
    }
    return out + "  links:\n    - {default: true, bandwidth_GBps: " + number(bandwidth_GBps) +
           ", latency_us: " + number(latency_us) + "}\n" + sections;
  }

  static std::string number(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.12g", value);
    return buffer;
  }
};

inline std::vector<StageTime> equal_stages(int count, double forward_ms = 1,
                                           double backward_ms = 2) {
  return std::vector<StageTime>(static_cast<std::size_t>(count),
                                StageTime{forward_ms, backward_ms, 0});
}

}  // namespace sluice_test

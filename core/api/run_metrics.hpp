// The numbers that are kept of a run among many: the columns of sweeps and of Monte Carlo.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "metrics/summary.hpp"

namespace sluice {

struct RunMetric {
  std::string_view name;
  /// Of two runs the one with more of it is the better one.
  bool more_is_better = false;
};

inline constexpr std::array<RunMetric, 9> kRunMetrics{{{"makespan_ms"},
                                                       {"throughput_per_s", true},
                                                       {"bubble_idle_over_makespan"},
                                                       {"bubble_idle_over_work"},
                                                       {"bubble_span"},
                                                       {"latency_p50_ms"},
                                                       {"latency_p99_ms"},
                                                       {"peak_memory_bytes"},
                                                       {"fits", true}}};

/// In the order of kRunMetrics; `fits` is 0 or 1.
std::vector<double> run_metrics(const Summary& summary);

}  // namespace sluice

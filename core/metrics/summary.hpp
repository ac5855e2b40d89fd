// The numbers of one run. Every ratio says what it divides by; times are ms as doubles, made from
// exact integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "engine/engine.hpp"
#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// Three numbers that are all called bubble. Source: specification of schedules, section 0.
struct Bubbles {
  /// 1 - busy / (makespan * stages): Megatron's (p-1)/(m+p-1) for 1F1B.
  double idle_over_makespan = 0;
  /// (makespan - work) / work: (p-1)/m for 1F1B.
  double idle_over_work = 0;
  /// 1 - work / longest rank's span from its first start to its last end: the zero-bubble papers'
  /// number.
  double span = 0;
};

struct LinkUse {
  std::uint32_t link = 0;
  std::uint64_t transfers = 0;
  /// Length of the union of its transfers, over the trace's length, in [0, 1].
  double utilization = 0;
  /// Most transfers at one time (one that ends as another starts does not overlap it).
  std::uint32_t peak_concurrency = 0;
  /// Share of its transfers that overlap another.
  double contended_fraction = 0;
};

struct PhaseTotal {
  std::int32_t stage = -1;
  std::string phase;
  std::uint64_t count = 0;
  double total_ms = 0;
};

struct Summary {
  std::uint64_t completed_microbatches = 0;
  double throughput_per_ms = 0;
  /// Where the time that throughput divides by ends.
  ThroughputUntil throughput_until = ThroughputUntil::WorkEnd;
  std::int64_t micro_batch_size = 1;
  std::optional<std::int64_t> seq_len;
  double latency_p50_ms = 0;
  double latency_p99_ms = 0;
  double latency_mean_ms = 0;

  Duration makespan;
  Duration trace_duration;
  Duration compute;
  Duration transfer;
  Bubbles bubble;
  /// Model FLOP/s (forward, and backward_factor times that) over the sum of the devices' peaks;
  /// only when every stage is analytical.
  std::optional<double> mfu;

  /// In the order of stages, devices (of the machine) and links (of the machine; only those used).
  std::vector<double> stage_utilization;
  std::vector<double> device_utilization;
  std::vector<LinkUse> links;
  std::uint32_t peak_concurrency = 0;
  double contended_fraction = 0;

  Duration allreduce;
  Duration weight_update;
  std::uint64_t failures = 0;
  Duration downtime;
  std::optional<Duration> lost_work;

  /// By device of the machine; 0 for devices without stages.
  std::vector<Bytes> peak_memory;
  std::vector<Bytes> memory_capacity;
  std::vector<bool> holds_stages;
  bool fits = true;

  /// By stage: most microbatches begun and not released, when the release is the end of W (or B),
  /// of I (or B), or half each.
  std::vector<double> in_flight_until_weight;
  std::vector<double> in_flight_until_input;
  std::vector<double> in_flight_half;

  std::vector<PhaseTotal> phases;
};

/// Cost: O(rows log microbatches).
Summary summarize(const Program& program, const Costs& costs, const Scenario& scenario,
                  const Trace& trace, const FailureLog& failures);

/// Value below which the share `q` of the sorted values lies, linear between neighbours (as numpy's
/// default).
double percentile(const std::vector<double>& sorted, double q);

}  // namespace sluice

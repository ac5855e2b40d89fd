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
#include "metrics/memory.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// Three numbers that are all called bubble. Source: specification of schedules, section 0.
struct Bubbles {
  /// 1 - busy / (makespan * ranks): Megatron's (p-1)/(m+p-1) for 1F1B.
  double idle_over_makespan = 0;
  /// (makespan - work) / work: (p-1)/m for 1F1B.
  double idle_over_work = 0;
  /// 1 - most work of a rank / longest span of a rank from its first start to its last end: the
  /// zero-bubble papers' number.
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

/// Idle time of a rank by where it lies: before its first backward, after its last forward (and
/// first backward), and in between. Together they are all of its idle time within the makespan.
struct IdleByPosition {
  Duration warm_up;
  Duration steady;
  Duration drain;
};

/// When a device held most for the first time, and the operation that ran ("F3@1"); at 0 and ""
/// where nothing runs.
struct MemoryPeak {
  Time at;
  std::string operation;
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
  /// Samples; the mean where pipelines have others.
  double micro_batch_size = 1;
  std::optional<std::int64_t> seq_len;
  /// Of the pipeline, each with microbatches of its own; they count in samples and tokens alone.
  std::int64_t replicas = 1;
  double latency_p50_ms = 0;
  double latency_p99_ms = 0;
  double latency_mean_ms = 0;

  Duration makespan;
  Duration trace_duration;
  Duration compute;
  Duration transfer;
  Bubbles bubble;
  /// Model FLOP/s over the sum of the devices' peaks, without what is recomputed: of stages with
  /// layers three forwards, of analytical ones a forward and backward_factor times that; nothing
  /// when a stage's times are given.
  std::optional<double> mfu;

  /// In the order of ranks, devices (of the machine) and links (of the machine; only those used).
  std::vector<double> rank_utilization;
  std::vector<double> device_utilization;
  std::vector<LinkUse> links;
  std::uint32_t peak_concurrency = 0;
  double contended_fraction = 0;

  Duration allreduce;
  Duration weight_update;
  std::uint64_t failures = 0;
  Duration downtime;
  std::optional<Duration> lost_work;
  /// Where steps are begun anew; goodput is the share of the run's time that was neither lost, nor
  /// spent on recovery or checkpoints.
  std::uint64_t rollbacks = 0;
  std::uint64_t checkpoints = 0;
  Duration lost_time;
  Duration recovering;
  Duration saving;
  std::optional<double> goodput;

  /// By device of the machine; 0 for devices without stages.
  std::vector<Bytes> peak_memory;
  std::vector<MemoryPeak> memory_peaks;
  /// At the peak.
  std::vector<MemoryParts> memory_parts;
  std::vector<Bytes> memory_capacity;
  std::vector<bool> holds_stages;
  bool fits = true;

  /// By rank.
  std::vector<IdleByPosition> idle;
  /// By rank: how often it turned to another stage's weights; where these are sharded, that many
  /// gathers a run.
  std::vector<std::uint64_t> weight_gathers;
  /// Activations and gradients that were sent from one device to another, and their bytes.
  std::uint64_t messages = 0;
  Bytes message_bytes;
  /// No order on this placement is faster; nothing when durations are drawn.
  std::optional<Duration> lower_bound;

  /// By rank: most forwards begun and not released, in pieces of one stage and slice, when the
  /// release is the end of W (or B), of I (or B), or half each.
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

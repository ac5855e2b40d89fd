// A recorded run as typed rows: what each rank did when, by its own clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schedule/operation.hpp"

namespace sluice {

/// One recorded interval. Kinds: F, B, I, W, Update; Activation and Gradient are what a transfer
/// took on the host, not on the wire.
struct OpEvent {
  OpKind kind = OpKind::Forward;
  std::int32_t rank = 0;
  /// -1: not recorded; the rank's place in the pipeline then.
  std::int32_t stage = 0;
  std::int32_t iteration = 0;
  /// From 0 within the iteration; -1: not recorded; without meaning for updates.
  std::int32_t microbatch = 0;
  /// ns of the host's clock; end >= start.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] bool computes() const {
    return kind != OpKind::Activation && kind != OpKind::Gradient;
  }
  /// One of F, B, I, W.
  [[nodiscard]] bool pipelined() const { return kind < OpKind::Overlapped; }
  [[nodiscard]] std::int64_t length_ns() const { return end_ns - start_ns; }
};

/// What one file says.
struct RankTrace {
  /// Name of the file, for messages.
  std::string source;
  std::int32_t rank = 0;
  /// "" where they are not recorded.
  std::string device;
  std::string host;
  std::vector<OpEvent> events;
  /// Times are the host's, so that an operation may begin with waiting for its message.
  bool host_times = false;
};

/// All files of one pipeline.
struct TracedRun {
  /// Ascending by rank; their events have moved to `events`.
  std::vector<RankTrace> ranks;
  /// By start, end, stage and rank.
  std::vector<OpEvent> events;
  std::int32_t stages = 0;
  /// By stage: index into `ranks`.
  std::vector<std::size_t> place_of_stage;
};

/// Latest time that is read, ns: sums and differences of three fit 64 bits. As ns of the epoch, the
/// year 2065.
inline constexpr std::int64_t kMostNs = 3'000'000'000'000'000'000;

/// Puts files together; fills in stages (the rank's place) and microbatches (the order of their
/// kind) that were not recorded. Diagnostics, with the file as path: trace.ranks for two files of
/// one rank, a stage on two ranks or on none, a rank without
/// stages, ranks that do not count from 0 where stages were not recorded; trace.field for a file
/// that spans more than 100 days.
Result<TracedRun> join_ranks(std::vector<RankTrace> files);

/// By start, end, stage and rank: a total order but for equal rows.
void sort_events(std::vector<OpEvent>& events);

}  // namespace sluice

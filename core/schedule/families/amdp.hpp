// What the two ways to order AMDP share.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/operation.hpp"
#include "schedule/schedule_info.hpp"

namespace sluice {

/// Shape of a run: devices, pipelines in both directions over them, and rounds of two microbatches
/// a pipeline.
struct AmdpShape {
  int devices = 4;
  int pipes = 2;
  int rounds = 1;
  /// Rounds of one update.
  int rounds_per_update = 1;

  /// Rank of a pipeline's stage: even pipelines go down, odd ones up, two more ranks further on for
  /// each pair.
  [[nodiscard]] int rank_of(int pipe, int stage) const;
  [[nodiscard]] int stage_of(int pipe, int rank) const;
  [[nodiscard]] int round_size() const { return 2 * pipes; }
  [[nodiscard]] int microbatches() const { return round_size() * rounds; }
  [[nodiscard]] int pipe_of(std::uint32_t microbatch) const {
    return static_cast<int>(microbatch) % pipes;
  }
  [[nodiscard]] int round_of(std::uint32_t microbatch) const {
    return static_cast<int>(microbatch) / round_size();
  }
  [[nodiscard]] int update_of(std::uint32_t microbatch) const {
    return round_of(microbatch) / rounds_per_update;
  }
};

/// Operations of each rank, and when they begin and end, ms.
struct TimedOrder {
  std::vector<std::vector<Operation>> ranks;
  std::vector<std::vector<double>> start;
  std::vector<std::vector<double>> end;

  [[nodiscard]] double makespan() const;
};

/// Each rank, when it is free, takes of what is ready the earliest round, backwards before forwards
/// and deep stages before early ones; at most `most` microbatches of a pipeline are between their
/// forward and their backward at its first stage. `forwards_first`: the other way round in both.
/// Cost: O(operations x pipes).
TimedOrder amdp_greedy(const AmdpShape& shape, const ScheduleRequest& request, int most,
                       bool forwards_first);

/// Plays lists in the order they are written. They have no cycle.
TimedOrder amdp_timed(const AmdpShape& shape, const ScheduleRequest& request,
                      std::vector<std::vector<Operation>> ranks);

}  // namespace sluice

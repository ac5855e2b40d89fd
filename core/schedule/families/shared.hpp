// What several schedules have in common: placements, conditions, and the memory limit.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule_info.hpp"

namespace sluice {

/// Two chunks a rank, on a V.
inline Placement v_shape(const ScheduleRequest& request) {
  return zigzag_placement(request.ranks, 2);
}
/// One stage a rank in each of two directions.
inline Placement both_ways(const ScheduleRequest& request) {
  return with_mirror(loop_placement(request.ranks, 1));
}

inline bool has_two_chunks(const ScheduleRequest& request) {
  return request.chunks == 0 || request.chunks == 2;
}
inline bool has_even_ranks(const ScheduleRequest& request) {
  return request.ranks % 2 == 0;
}
inline bool has_whole_units(const ScheduleRequest& request) {
  return request.microbatches % request.ranks == 0;
}
inline bool has_one_stage_a_direction(const ScheduleRequest& request) {
  return request.chunks <= 2;
}

inline constexpr Constraint kTwoChunks{"two_chunks", "chunks must be 2", has_two_chunks};
inline constexpr Constraint kEvenRanks{"even_ranks", "ranks must be even", has_even_ranks};
inline constexpr Constraint kWholeUnits{"whole_units", "microbatches must be a multiple of ranks",
                                        has_whole_units};
inline constexpr Constraint kOneStageADirection{
    "one_stage_a_direction", "chunks must be 2, one a direction", has_one_stage_a_direction};

/// `memory_limit` for each rank: microbatches in flight, by default `otherwise`.
std::vector<double> memory_limits(const ScheduleRequest& request, double otherwise);

/// 1F1B over the microbatches of all batches, without a flush. A rank runs `depth` forwards for
/// each rank behind it before its first backward, and updates its own weights after every
/// `per_update` backwards.
Order endless_1f1b(const ScheduleRequest& request, const Placement& placement, int depth,
                   int per_update);

/// `accumulation`: microbatches of an update, by default `otherwise`.
ParameterInfo accumulation_parameter(std::string_view otherwise);
/// `prediction`: read by the learning lab.
ParameterInfo prediction_parameter();
/// Microbatches of one batch.
inline int per_batch(const ScheduleRequest& request) {
  return request.microbatches / request.batches;
}

/// A number without the zeros that say nothing: "2.5", "3".
std::string short_number(double value);

}  // namespace sluice

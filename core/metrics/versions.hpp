// Which weights each pass of a microbatch reads. A stage's weights have version v when v updates
// have been applied to them since the run began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/plan.hpp"

namespace sluice {

/// Everything learning needs to know of a schedule. Microbatches are counted through all batches of
/// a run, stages along the model.
struct VersionTable {
  std::uint32_t stages = 0;
  std::uint32_t microbatches = 0;
  /// Entry microbatch * stages + stage: versions read by the forward and by the backward. A
  /// backward with stashed weights reads the version of its forward.
  std::vector<std::uint32_t> forward;
  std::vector<std::uint32_t> backward;
  /// Same entries: the update, counted from 0, that the microbatch's gradient goes into; it makes
  /// version update + 1. Updates of one stage never go back as microbatches go on.
  std::vector<std::uint32_t> update;

  [[nodiscard]] std::size_t at(std::uint32_t microbatch, std::uint32_t stage) const {
    return std::size_t{microbatch} * stages + stage;
  }
  bool operator==(const VersionTable&) const = default;
};

/// The table of a plan, played for `batches` batches. Which update stands between which operations
/// of a rank is the order's business, so stragglers and outages change no entry. Synchronous plans
/// update after every `accumulation` batches. Cost: O(operations).
VersionTable versions_of(const Plan& plan, std::int64_t batches, std::int64_t accumulation = 1);

/// How stale the weights and gradients of a stage are, over all microbatches of a run.
struct StageStaleness {
  /// Updates between the weights of a forward and those of its backward: most, mean, the part of
  /// microbatches with any, and how many microbatches have 0, 1, 2, ... of them.
  std::uint32_t drift_max = 0;
  double drift_mean = 0;
  double drifted = 0;
  std::vector<std::uint32_t> drift_histogram;
  /// Updates between the weights of a backward and the version that its gradient changes.
  std::uint32_t delay_max = 0;
  double delay_mean = 0;
  std::uint32_t updates = 0;
  /// Most versions that have to be kept at one time.
  std::uint32_t versions = 1;
};

struct Staleness {
  std::vector<StageStaleness> stages;
  std::uint32_t drift_max = 0;
  double drift_mean = 0;
  /// Of the entries microbatch x stage, those with a drift.
  double drifted = 0;
  std::uint32_t delay_max = 0;
  /// Most updates between the weights that the forwards of one microbatch read at two stages.
  std::uint32_t skew_max = 0;
};

/// Cost: O(microbatches x stages).
Staleness staleness_of(const VersionTable& table, const Plan& plan);

}  // namespace sluice

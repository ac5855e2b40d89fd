// What a device could have done in the place of waiting: work of its own whose inputs were there,
// and that would have been over before the gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/idle_cause.hpp"
#include "metrics/inputs.hpp"
#include "metrics/plays.hpp"

namespace sluice {

/// Goes through a run once, each device in order: for each row `fill` with the gap before it, and
/// `ran`. Rows are named by their place in `Plays::lanes()`.
class ReadyWork {
 public:
  /// All four must outlive it. Cost: O(rows).
  ReadyWork(const Program& program, const Trace& trace, const Plays& plays, const Inputs& inputs);

  /// Appends, in order of time, operations of the device that come after `next`, of the same play,
  /// that fit into [from, to) one after the other: the earliest ready first, each counted in one
  /// gap of the run at most. Overlapped cells are left where they are. Cause Memory where a forward
  /// would have put more in flight on its rank than the run ever has, else Order.
  void fill(std::size_t next, std::int64_t from, std::int64_t to, std::vector<WaitStep>& steps);
  void ran(std::size_t at);

 private:
  static constexpr std::size_t kClasses = 3;

  void count(std::uint32_t row);
  void number_forwards();
  [[nodiscard]] std::size_t candidate(std::size_t of_class, std::size_t next);
  [[nodiscard]] std::int64_t ready_at(std::uint32_t row) const;
  [[nodiscard]] std::size_t rank(std::uint32_t row) const {
    return program_.plan.placement.rank_of_stage[trace_.stage[row]];
  }

  const Program& program_;
  const Trace& trace_;
  const Plays& plays_;
  const Inputs& inputs_;
  /// By rank: forwards begun and let go of so far, and the most that it ever holds.
  std::vector<std::uint32_t> begun_;
  std::vector<std::uint32_t> released_;
  std::vector<std::uint32_t> peak_;
  /// By place: how many forwards its rank has begun with it.
  std::vector<std::uint32_t> forwards_;
  /// By device and class (F; B and I; W): up to where its rows have run or been counted.
  std::vector<std::uint32_t> taken_;
};

}  // namespace sluice

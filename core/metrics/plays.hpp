// A trace as its devices and its steps see it: the rows of each device in order, and when each play
// of the order (a step, where a barrier follows each) began and ended.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// One play; picoseconds. Then its optimizer phase lies in [worked, ended), and the pause before
/// the next one in [ended, begin of that).
struct PlayTimes {
  std::int64_t begin = 0;
  std::int64_t worked = 0;
  std::int64_t ended = 0;
  /// Operation, and update, that ended last; kNoRow when there is none.
  std::uint32_t last_row = kNoRow;
  std::uint32_t last_update = kNoRow;
};

class Plays {
 public:
  /// Cost: O(rows).
  Plays(const Program& program, const Trace& trace);

  /// The makespan: first start and last end of computation.
  [[nodiscard]] std::int64_t from() const { return from_; }
  [[nodiscard]] std::int64_t until() const { return until_; }
  /// In order of time. Without a step barrier devices go on by themselves: all of the run is one
  /// play, updates are operations.
  [[nodiscard]] const std::vector<PlayTimes>& plays() const { return plays_; }
  [[nodiscard]] std::uint32_t play_of(std::size_t row) const;
  /// Whether the row belongs to its play's optimizer phase.
  [[nodiscard]] bool in_phase(std::size_t row) const {
    return barrier_ && !trace_.per_microbatch(row);
  }

  /// What a device computes, in order of time; of an overlapped cell the first row.
  [[nodiscard]] std::span<const std::uint32_t> lane(std::uint32_t device) const {
    return std::span(rows_).subspan(first_[device], first_[device + 1] - first_[device]);
  }
  /// All lanes, device by device, and where a device's begins among them (of the number of devices:
  /// the end).
  [[nodiscard]] const std::vector<std::uint32_t>& lanes() const { return rows_; }
  [[nodiscard]] std::uint32_t lane_begin(std::uint32_t device) const { return first_[device]; }
  /// The row of a device that ended at this time, or kNoRow. Cost: O(log rows).
  [[nodiscard]] std::uint32_t ended_at(std::uint32_t device, std::int64_t time) const;

 private:
  void lay_out_lanes();
  void find_ends();

  const Trace& trace_;
  bool barrier_ = true;
  std::uint32_t per_play_ = 1;
  std::int64_t from_ = 0;
  std::int64_t until_ = 0;
  std::vector<PlayTimes> plays_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace sluice

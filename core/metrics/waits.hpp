// What a start in a trace waited for, and that for, back through time: each stretch with its cause.
// Where the trace names one deciding row there is one chain; it is followed, never searched.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/idle_cause.hpp"
#include "metrics/plays.hpp"

namespace sluice {

class Waits {
 public:
  /// All three must outlive it. Cost: O(rows) with failures, else O(1).
  Waits(const Program& program, const Trace& trace, const Plays& plays);

  /// Appends what decided the start of `row`, newest first, without gaps, from its start back to
  /// `since`. Others' computation gets the cause `computing`. Cost: O(steps).
  void before(std::uint32_t row, std::int64_t since, IdleCause computing,
              std::vector<WaitStep>& steps) const;
  /// The same with the row itself in front.
  void through(std::uint32_t row, std::int64_t since, IdleCause computing,
               std::vector<WaitStep>& steps) const;

  /// Whether the resource was down at some time in [from, to).
  [[nodiscard]] bool down_within(std::uint32_t resource, std::int64_t from, std::int64_t to) const;

 private:
  void expect_jitter();
  [[nodiscard]] std::uint32_t outage_after(std::uint32_t resource, std::int64_t time) const;
  [[nodiscard]] std::uint32_t decider(std::uint32_t row) const;
  [[nodiscard]] std::int64_t overrun(std::uint32_t row) const;
  [[nodiscard]] IdleCause waiting(std::uint32_t row) const;
  void held_up(std::uint32_t row, std::int64_t from, std::int64_t to,
               std::vector<WaitStep>& steps) const;
  void add_row(std::uint32_t row, std::int64_t since, std::int64_t until, IdleCause computing,
               std::vector<WaitStep>& steps) const;
  void add_transfer(std::uint32_t row, std::int64_t since, std::int64_t until,
                    std::vector<WaitStep>& steps) const;

  const Program& program_;
  const Trace& trace_;
  const Plays& plays_;
  /// Of a message, ps; by link.
  std::vector<std::int64_t> expected_jitter_;
  /// Rows of outages by resource, each resource's in order of time and none overlapping the next,
  /// and where those of a resource begin. Empty without failures.
  std::vector<std::uint32_t> outages_;
  std::vector<std::uint32_t> first_outage_;
};

}  // namespace sluice

// Every idle interval of every device, and why: causes that add up exactly, and the chain of waits
// behind an interval.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/idle_cause.hpp"
#include "metrics/inputs.hpp"
#include "metrics/plays.hpp"
#include "metrics/waits.hpp"

namespace sluice {

class ReadyWork;

/// A longest interval within the makespan in which a device computes nothing; picoseconds.
struct Gap {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::uint32_t device = 0;
  /// Row that ended it; kNoRow at the end of the run, and where discarded time begins or ends.
  std::uint32_t next = kNoRow;
  /// What could have run in it: entries of `IdleTime::could_run()`.
  std::uint32_t first_ready = 0;
  std::uint32_t end_ready = 0;
  /// Lies in time whose work was thrown away.
  bool discarded = false;
};

struct GapReasons {
  /// Their sum is the gap's length.
  IdleCauses causes;
  /// Newest first, from the gap's end to its start, without holes: what the device waited for, what
  /// that waited for, and so on. Its last step is the root: what was under way when the gap began.
  std::vector<WaitStep> chain;
};

/// Idle time of a run. Causes follow the chain of waits of a gap, step by step; where the device
/// could have run something else (`could_run`), that takes the chain's place.
class IdleTime {
 public:
  /// Both must outlive it. Cost: O(rows + steps of all chains), about as many steps as rows.
  IdleTime(const Program& program, const Trace& trace);
  // What it is made of refers to its own members.
  IdleTime(const IdleTime&) = delete;
  IdleTime& operator=(const IdleTime&) = delete;

  /// By device of the machine: the causes sum to makespan minus computation, to the picosecond;
  /// nothing for devices without stages.
  [[nodiscard]] const std::vector<IdleCauses>& by_device() const { return by_device_; }
  /// In the order of their ends; at one end by device.
  [[nodiscard]] const std::vector<Gap>& gaps() const { return gaps_; }
  /// Entries of `gaps()`: the `most` longest, longest first, equal ones in their order there.
  [[nodiscard]] std::vector<std::uint32_t> longest(std::size_t most) const;
  /// Operations that would have fitted into gaps, at times when they would have.
  [[nodiscard]] const std::vector<WaitStep>& could_run() const { return could_run_; }
  /// Cost: O(steps).
  [[nodiscard]] GapReasons reasons(const Gap& gap) const;

  [[nodiscard]] const Plays& plays() const { return plays_; }
  [[nodiscard]] const Waits& waits() const { return waits_; }
  [[nodiscard]] const Inputs& inputs() const { return inputs_; }

 private:
  void find_gaps();
  template <class Add, class Last>
  void split(Gap gap, const Add& add, const Last& last) const;
  void fill(const Gap& gap, std::size_t at, ReadyWork& ready);
  void explain(const Gap& gap, GapReasons& reasons) const;
  void explain_work(const Gap& gap, std::size_t play, GapReasons& reasons) const;

  const Program& program_;
  const Trace& trace_;
  Plays plays_;
  Waits waits_;
  Inputs inputs_;
  std::vector<IdleCauses> by_device_;
  std::vector<Gap> gaps_;
  std::vector<WaitStep> could_run_;
};

}  // namespace sluice

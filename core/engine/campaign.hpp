// Months and years of training at the scale of steps: how long steps take is given, failures,
// checkpoints, restarts and spares are simulated over them. The lives of all parts are those that
// the engine draws, so both scales tell of the same failures.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "engine/components.hpp"
#include "model/trouble.hpp"

namespace sluice {

/// A time at this scale, in ns; reaches 292 years. Durations inside a step are picoseconds (Time).
struct LongTime {
  std::int64_t ns = 0;

  constexpr auto operator<=>(const LongTime&) const = default;
};

constexpr double to_hours(LongTime t) {
  return static_cast<double>(t.ns) / 3.6e12;
}
/// Rounds down. The one conversion between the scales.
constexpr LongTime long_time(std::int64_t ps) {
  return {ps / 1000};
}

struct CampaignPlan {
  FailureSection failure;
  std::vector<FailureComponent> components;
  /// By component: how many of its devices compute; a failure of others only delays.
  std::vector<std::uint32_t> working;
  /// At least one; each step takes one of them, drawn by its number, and at least a microsecond.
  std::vector<LongTime> step_lengths;
  std::uint64_t seed = 0;
  /// Whichever comes first ends the campaign; 0 is no limit, one of them must be set.
  LongTime duration;
  std::uint64_t steps = 0;
};

struct CampaignResult {
  LongTime time;
  /// That count: whatever was lost and done again counts once.
  std::uint64_t steps = 0;
  std::uint64_t failures = 0;
  std::uint64_t rollbacks = 0;
  std::uint64_t checkpoints = 0;
  /// Parts of `time`, as in FailureLog; `stalled` is waiting for a repair without losing a step.
  LongTime lost;
  LongTime recovering;
  LongTime saving;
  LongTime stalled;

  /// Share of the time in which steps that count were made.
  [[nodiscard]] double goodput() const {
    const std::int64_t spent = lost.ns + recovering.ns + saving.ns + stalled.ns;
    return time.ns > 0 ? 1 - static_cast<double>(spent) / static_cast<double>(time.ns) : 1;
  }
};

/// A Job: units are steps and failures.
class Campaign {
 public:
  explicit Campaign(CampaignPlan plan);

  /// True when over. Cost: O(log components) a failure, and one draw a step; where all steps are
  /// alike, those between two failures or checkpoints are one unit.
  bool step(std::uint64_t units);
  [[nodiscard]] const CampaignResult& result() const { return result_; }
  /// Of `total` parts in a thousand.
  [[nodiscard]] std::uint64_t done() const;
  [[nodiscard]] static constexpr std::uint64_t total() { return 1000; }

 private:
  struct Next {
    std::int64_t at = 0;
    std::uint32_t component = 0;
    std::uint32_t number = 0;
    /// Earliest first; at one time the lower component.
    bool operator<(const Next& other) const {
      return at != other.at ? at > other.at : component > other.component;
    }
  };

  void await_next(std::uint32_t component, std::uint32_t number, std::int64_t repaired);
  [[nodiscard]] std::int64_t next_failure() const;
  [[nodiscard]] std::int64_t length_of(std::uint64_t step) const;
  [[nodiscard]] bool checkpoint_due() const;
  void work();
  void make_steps(std::int64_t until);
  void fail();
  void go_back(std::int64_t since);
  std::int64_t repaired_at(const FailureComponent& component, std::uint32_t working);
  void end_at(std::int64_t time);

  CampaignPlan plan_;
  bool alike_ = false;
  std::int64_t end_ = 0;
  std::int64_t restart_ = 0;
  std::int64_t cost_ = 0;
  std::int64_t interval_ = 0;
  std::priority_queue<Next> failures_;
  /// When repaired devices join the spares, latest at the bottom.
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> spares_back_;
  std::uint32_t spares_ = 0;

  std::int64_t now_ = 0;
  /// Steps made since the checkpoint that `saved_steps_` counts up to, and when work went on there.
  std::uint64_t made_ = 0;
  std::uint64_t saved_steps_ = 0;
  std::int64_t saved_at_ = 0;
  /// Of the step, or checkpoint, under way: its begin and what is left of it when it is held up.
  std::int64_t begun_at_ = -1;
  std::int64_t left_ = 0;
  /// Waiting without loss since the state that a failure goes back to.
  std::int64_t stalled_here_ = 0;
  bool saves_ = false;
  bool over_ = false;
  CampaignResult result_;
};

/// Checkpoint interval that loses least, s, for a checkpoint of `cost_s` and a job that fails every
/// `mtbf_s` on average. Young: sqrt(2 C M). Daly's higher order: that times
/// 1 + sqrt(C / 2M) / 3 + C / 18M, less C, for C < 2M, else M. Sources: J. W. Young, CACM 17(9),
/// 1974; J. T. Daly, FGCS 22(3), 2006.
double young_interval(double cost_s, double mtbf_s);
double daly_interval(double cost_s, double mtbf_s);

}  // namespace sluice

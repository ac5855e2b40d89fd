// Makes an order by playing: an idle rank takes the ready operation that its habits prefer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/order.hpp"
#include "search/instance.hpp"

namespace sluice {

enum class Prefers : std::uint8_t { Backward, Forward, Alternate };

struct Habits {
  /// I and W apart; W where nothing else is ready.
  bool split = true;
  Prefers prefers = Prefers::Backward;
  /// Among a rank's stages: the one furthest along, or the oldest microbatch first.
  bool deep_forward = true;
  bool deep_backward = false;
  /// A forward waits where the rank's memory has no room for it.
  bool guarded = true;
  /// Most microbatches that the first stage has in flight, and by how many eighths fewer each stage
  /// behind it has than the one before; at least one. With one more a stage and taper 8 that is
  /// 1F1B's limit.
  std::int32_t in_flight = 1;
  std::int32_t taper = 0;
  /// Most weight gradients that a rank puts off before it does one in the place of a forward.
  std::int32_t put_off = 1'000'000;

  bool operator==(const Habits&) const = default;
};

struct Played {
  /// ps; kUnlimited when the play got stuck.
  std::int64_t makespan = kUnlimited;
  /// Largest share by which a rank's bytes pass its memory; 0 when all fit.
  double overflow = 0;
};

/// Plays one layout after another; keeps its memory.
class ListScheduler {
 public:
  explicit ListScheduler(const Instance& instance) : instance_(instance) {}

  /// Cost: O(operations (stages of a rank + log ranks)).
  Played play(const Layout& layout, const Habits& habits);
  /// Order of the last play.
  [[nodiscard]] Order order() const;
  /// Work of each rank in the last play, and when it ended its last operation, ps.
  [[nodiscard]] std::int64_t busy(std::size_t rank) const { return ranks_[rank].busy; }

 private:
  struct Stage {
    StageLoad load;
    std::int64_t forward_hop = 0;
    std::int64_t backward_hop = 0;
    std::int64_t first_extra = 0;
    std::uint16_t rank = 0;
    std::int32_t limit = 1;
    std::int32_t forward_in = 0;
    std::int32_t forwards = 0;
    std::int32_t backward_in = 0;
    std::int32_t backwards = 0;
    std::int32_t weights = 0;
  };
  struct Rank {
    std::uint32_t first_stage = 0;
    std::uint32_t end_stage = 0;
    bool working = false;
    bool touched = false;
    bool last_was_forward = false;
    std::int32_t put_off = 0;
    std::int64_t held = 0;
    std::int64_t peak = 0;
    std::int64_t busy = 0;
    Operation now;
    std::vector<Operation> list;
  };
  struct Event {
    std::int64_t time;
    std::uint32_t sequence;
    /// Rank whose operation ends; or, above all ranks, 2 * stage (+ 1 for a gradient) that arrives.
    std::uint32_t what;
  };

  static bool earlier(const Event& a, const Event& b);
  void set_up(const Layout& layout, const Habits& habits);
  void push(std::int64_t time, std::uint32_t what);
  Event pop();
  void apply(const Event& e);
  void finish(std::uint32_t rank, std::int64_t time);
  void arrive(std::uint32_t stage, bool gradient, std::uint32_t rank);
  void touch(std::uint32_t rank);
  void ask(std::uint32_t rank, std::int64_t time);
  [[nodiscard]] std::uint32_t ready_forward(const Rank& rank) const;
  [[nodiscard]] std::uint32_t ready_backward(const Rank& rank) const;
  [[nodiscard]] std::uint32_t ready_weight(const Rank& rank) const;
  void start(std::uint32_t rank, std::uint32_t stage, OpKind kind, std::int64_t time);

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  const Instance& instance_;
  Habits habits_;
  std::vector<std::uint16_t> rank_of_stage_;
  std::vector<Stage> stages_;
  /// Stages by rank, ascending.
  std::vector<std::uint32_t> stages_of_rank_;
  std::vector<Rank> ranks_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> touched_;
  std::uint32_t sequence_ = 0;
  std::uint64_t left_ = 0;
};

}  // namespace sluice

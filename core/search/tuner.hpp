// Moves boundaries, placements and orders together until nothing helps: simulated annealing over
// layouts that a list scheduler plays, every known schedule on the best of them, then exchanges on
// the critical path of the best orders. Anytime and deterministic by seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/order.hpp"
#include "search/graph.hpp"
#include "search/instance.hpp"
#include "search/list_schedule.hpp"

namespace sluice {

/// What may change.
struct Axes {
  bool partition = true;
  bool placement = true;
  bool schedule = true;

  bool operator==(const Axes&) const = default;
};

struct TunerRequest {
  std::uint64_t seed = 0;
  /// Orders that are timed.
  std::uint64_t evaluations = 40'000;
  Axes axes;
  /// Most stages a rank.
  int chunks = 3;
  /// Layouts to begin with, beside its own.
  std::vector<Layout> seeds;
};

struct FoundPlan {
  Layout layout;
  Order order;
  /// By the graph, ps, of one step.
  std::int64_t makespan = kUnlimited;
  /// What made its order: "list", or the name of a schedule; with "+" when exchanges improved it.
  std::string origin;
};

class Tuner {
 public:
  Tuner(const Instance& instance, TunerRequest request);

  /// Times so many more orders; true when over. `step(1)` n times equals `step(n)`.
  bool step(std::uint64_t evaluations);
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t total() const { return request_.evaluations; }
  /// The fastest plan so far that fits into every rank's memory.
  [[nodiscard]] const std::optional<FoundPlan>& best() const { return best_; }
  /// Rises whenever `best` changes.
  [[nodiscard]] std::uint32_t version() const { return version_; }
  /// The best orders of the end, fastest first, for who judges them by more than the graph.
  [[nodiscard]] const std::vector<FoundPlan>& finalists() const { return finalists_; }

 private:
  struct State {
    Layout layout;
    Habits habits;
    /// Makespan, longer where memory is passed.
    double value = 0;
    Played played;
  };
  struct Walk {
    State now;
    State best;
    std::uint64_t id = 0;
    std::uint32_t iteration = 0;
  };
  enum class Phase : std::uint8_t { Seeding, Annealing, Known, Repair, Over };

  void advance();
  // Seeding: a grid of habits for each placement.
  void plan_walks();
  void seed_one();
  // Annealing, in rounds that keep the better half.
  void anneal_one();
  void begin_round();
  void end_walk();
  [[nodiscard]] bool move(State& state, Walk& walk);
  void move_boundary(State& state, std::uint64_t bits) const;
  void shift_chain(State& state) const;
  void swap_stages(State& state, std::uint64_t bits) const;
  void change_habits(State& state, std::uint64_t bits) const;
  void value(State& state);
  void weigh(State& state) const;
  void note(const State& state);
  // Known schedules on the best layouts.
  void plan_known();
  void known_one();
  // Exchanges on critical paths.
  void plan_repairs();
  void repair_one();
  void exchange(std::uint64_t bits, std::uint64_t chance_bits);
  void end_repair();
  void keep(FoundPlan plan);
  [[nodiscard]] bool fits(const OrderGraph& graph, const Layout& layout) const;
  [[nodiscard]] bool fits(const OrderGraph& graph, const Layout& layout, int rank) const;
  [[nodiscard]] std::uint64_t random(std::uint64_t stream, std::uint32_t count,
                                     std::uint32_t number) const;

  const Instance& instance_;
  TunerRequest request_;
  ListScheduler scheduler_;
  Phase phase_ = Phase::Seeding;
  std::uint64_t done_ = 0;

  std::vector<Walk> walks_;
  std::size_t walk_ = 0;
  std::size_t grid_ = 0;
  std::size_t stride_ = 1;
  int round_ = 0;
  std::uint32_t round_length_ = 0;
  double start_temperature_ = 0;
  double temperature_ = 0;
  double cooling_ = 1;

  struct Attempt {
    std::string_view schedule;
    std::size_t layout = 0;
  };
  std::vector<Layout> known_layouts_;
  std::vector<Attempt> attempts_;
  std::size_t attempt_ = 0;

  /// Orders to repair: the fastest found of each kind.
  std::vector<FoundPlan> finalists_;
  std::size_t finalist_ = 0;
  std::optional<OrderGraph> graph_;
  std::uint64_t repair_length_ = 0;
  std::uint64_t repair_count_ = 0;
  std::int64_t repair_now_ = 0;
  std::int64_t repair_best_ = 0;
  std::vector<std::uint32_t> path_;

  std::optional<FoundPlan> best_;
  std::uint32_t version_ = 0;
};

/// What decides a graph's makespan, from its last operation back to one that starts at once.
std::vector<std::uint32_t> critical_path(const OrderGraph& graph);

/// An order of a known schedule on a layout whose placement it shares but for the names of ranks;
/// nothing where it cannot be, or has slices or cells.
std::optional<Order> known_order(const Instance& instance, const Layout& layout,
                                 std::string_view schedule);

}  // namespace sluice

// Times of a static order without running it: the longest path through what each operation needs
// and what its rank does before it. Equal to the engine to the picosecond where nothing contends
// and nothing is drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/order.hpp"
#include "search/instance.hpp"

namespace sluice {

/// What an order is timed with; one entry a stage, over all pipes.
struct GraphTimes {
  std::vector<StageLoad> loads;
  /// To the next and to the previous stage of the pipe, ps.
  std::vector<std::int64_t> forward_hop;
  std::vector<std::int64_t> backward_hop;
  /// More for the forward of microbatch 0.
  std::vector<std::int64_t> first_extra;
};

GraphTimes times_of(const Instance& instance, const Layout& layout);

class OrderGraph {
 public:
  /// Whether every operation is an F, B, I or W of an unsliced microbatch: no cells, no slices.
  static bool supports(const Order& order);

  /// Precondition: `supports(order)` and each operation once, on its rank. Cost: O(operations).
  OrderGraph(const Order& order, GraphTimes times);

  /// Times everything anew. False where order and needs have a cycle.
  bool evaluate();
  [[nodiscard]] std::int64_t makespan() const;
  /// Of an operation, by its index among all (rank by rank).
  [[nodiscard]] std::int64_t start(std::uint32_t node) const { return start_[node]; }
  [[nodiscard]] std::int64_t end(std::uint32_t node) const { return end_[node]; }
  [[nodiscard]] const Operation& operation(std::uint32_t node) const { return nodes_[node]; }
  [[nodiscard]] int rank(std::uint32_t node) const { return rank_[node]; }
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] std::uint32_t after(std::uint32_t node) const { return next_[node]; }
  [[nodiscard]] std::uint32_t before(std::uint32_t node) const { return previous_[node]; }
  /// What decides when it starts: the operation before it on its rank, or what it needs; kNoNode
  /// for one that starts at once.
  [[nodiscard]] std::uint32_t binding(std::uint32_t node) const;

  /// Exchanges an operation with the one after it on its rank, and times what that changes. False,
  /// and nothing is changed, where there is none or it would make a cycle. Precondition: `evaluate`
  /// was true. Cost: O(nodes from the first to the last that changes), a few ns each.
  bool swap_with_next(std::uint32_t node);

  /// The order as it stands.
  [[nodiscard]] Order order() const;
  /// Most bytes that a rank holds beyond its residents, walking its operations in order.
  [[nodiscard]] std::int64_t peak_activation(int rank) const;

  static constexpr std::uint32_t kNoNode = 0xFFFFFFFFU;

 private:
  struct Need {
    std::uint32_t node = kNoNode;
    std::int64_t way = 0;
  };
  [[nodiscard]] std::size_t slot(OpKind kind, std::size_t stage, std::uint32_t microbatch) const;
  void connect();
  [[nodiscard]] std::int64_t earliest(std::uint32_t node) const;
  [[nodiscard]] bool reorder(std::uint32_t a, std::uint32_t b);
  void retime(std::uint32_t from, std::uint32_t until);

  Placement placement_;
  int microbatches_ = 1;
  std::vector<std::uint8_t> pipes_;
  GraphTimes times_;
  std::vector<Operation> nodes_;
  std::vector<std::int64_t> duration_;
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> end_;
  std::vector<std::uint16_t> rank_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> first_of_rank_;
  std::vector<std::uint32_t> last_of_rank_;
  /// One need a node (a backward's own forward lies on the way to its gradient), and at most two
  /// operations that need it.
  std::vector<Need> need_;
  std::vector<std::array<std::uint32_t, 2>> needed_by_;
  /// All nodes, each behind what it waits for, and where each stands in that. At first by start, so
  /// that neighbours on a rank are near each other.
  std::vector<std::uint32_t> sequence_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> moved_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t visit_ = 0;
};

}  // namespace sluice

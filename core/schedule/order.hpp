// A static order: for each rank the list of its operations, and which rank holds which stage.
// How long they take and when they run is not known here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schedule/operation.hpp"

namespace sluice {

/// Most stages and operations of one run; beyond these a scenario is refused before anything is
/// allocated.
inline constexpr std::int64_t kMaxStages = 4096;
inline constexpr std::int64_t kMaxMicrobatches = 1'000'000;
inline constexpr std::int64_t kMaxOperations = 10'000'000;

struct Order {
  int ranks = 0;
  int microbatches = 0;
  /// Rank of each virtual stage, in model order.
  std::vector<std::uint16_t> rank_of_stage;
  /// Operations of all ranks, rank by rank, a cache line of unused ones between two: lists of equal
  /// length would otherwise all fall on the same cache sets.
  std::vector<Operation> operations;
  /// Of each rank: its first operation in `operations`, and the one behind its last.
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> end;

  bool operator==(const Order&) const = default;

  [[nodiscard]] int stages() const { return static_cast<int>(rank_of_stage.size()); }
  [[nodiscard]] std::span<const Operation> of_rank(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(operations).subspan(begin[r], end[r] - begin[r]);
  }
};

/// Collects an order rank by rank: `add` for the current rank, `end_rank` when it is complete.
class OrderBuilder {
 public:
  /// One stage a rank, in order.
  OrderBuilder(int ranks, int microbatches, std::size_t operations_per_rank);

  void add(OpKind kind, int stage, int microbatch) {
    order_.operations.push_back({.kind = kind,
                                 .slice = 0,
                                 .stage = static_cast<std::uint16_t>(stage),
                                 .microbatch = static_cast<std::uint32_t>(microbatch)});
  }
  void end_rank();
  Order take() { return std::move(order_); }

 private:
  Order order_;
};

/// "F3@5", "F3.1@2": kind, microbatch, slice when not 0, stage. Format of golden/schedules.
std::string operation_text(const Operation& operation);

/// All operations of a rank, separated by blanks.
std::string rank_text(const Order& order, int rank);

/// Checks that each microbatch has one F and either B or both I and W on each stage, each once and
/// on the rank that holds the stage, and that the dependencies together with the order have no
/// cycle. Diagnostics: order.missing, order.unknown, order.duplicate, order.wrong_rank,
/// order.mixed, order.deadlock (naming the operation that each stuck rank waits in front of). Cost:
/// O(operations).
Diagnostics check_order(const Order& order);

}  // namespace sluice

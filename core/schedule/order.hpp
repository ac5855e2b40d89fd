// A static order: for each rank the list of its operations, and which rank holds which stage.
// How long they take and when they run is not known here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schedule/operation.hpp"
#include "schedule/placement.hpp"

namespace sluice {

/// Most stages and operations of one run; beyond these a scenario is refused before anything is
/// allocated.
inline constexpr std::int64_t kMaxStages = 4096;
inline constexpr std::int64_t kMaxMicrobatches = 1'000'000;
inline constexpr std::int64_t kMaxOperations = 10'000'000;
inline constexpr int kMaxSlices = 255;

struct Order {
  Placement placement;
  int microbatches = 0;
  /// Pieces of the sequence that a microbatch is cut into; they run one after the other.
  int slices = 1;
  /// Pipe that carries each microbatch; empty when there is only one.
  std::vector<std::uint8_t> pipe_of_microbatch;
  /// Operations of all ranks, rank by rank, a cache line of unused ones between two: lists of equal
  /// length would otherwise all fall on the same cache sets.
  std::vector<Operation> operations;
  /// Of each rank: its first operation in `operations`, and the one behind its last.
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> end;

  bool operator==(const Order&) const = default;

  [[nodiscard]] int ranks() const { return placement.ranks; }
  [[nodiscard]] int pipe_of(std::uint32_t microbatch) const {
    return pipe_of_microbatch.empty() ? 0 : pipe_of_microbatch[microbatch];
  }
  [[nodiscard]] std::span<const Operation> of_rank(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(operations).subspan(begin[r], end[r] - begin[r]);
  }
};

/// Collects an order rank by rank: `add` for the current rank, `end_rank` when it is complete.
/// Stages count over all pipes (Placement).
class OrderBuilder {
 public:
  OrderBuilder(Placement placement, int microbatches, std::size_t operations_per_rank,
               int slices = 1);

  void add(OpKind kind, int stage, int microbatch, int slice = 0) {
    order_.operations.push_back({.kind = kind,
                                 .slice = static_cast<std::uint8_t>(slice),
                                 .stage = static_cast<std::uint16_t>(stage),
                                 .microbatch = static_cast<std::uint32_t>(microbatch)});
  }
  /// One cell: a forward and a backward at the same time.
  void add_overlapped(int forward_stage, int forward_microbatch, int backward_stage,
                      int backward_microbatch, OpKind backward = OpKind::Backward) {
    add(OpKind::Overlapped, forward_stage, forward_microbatch);
    add(backward, backward_stage, backward_microbatch);
  }
  void end_rank();
  /// Pipe of each microbatch, for placements with several.
  void set_pipes(std::vector<std::uint8_t> pipe_of_microbatch) {
    order_.pipe_of_microbatch = std::move(pipe_of_microbatch);
  }
  Order take() { return std::move(order_); }

 private:
  Order order_;
};

/// "F3@5", with slices "F3.1@2": kind, microbatch, slice, stage of its pipe. Format of
/// golden/schedules.
std::string operation_text(const Order& order, const Operation& operation);

/// All operations of a rank, separated by blanks; an overlapped cell is "(F7@0|B3@7)".
std::string rank_text(const Order& order, int rank);

/// Checks that each microbatch has one F and either B or both I and W on each stage of its pipe,
/// each once and on the rank that holds the stage, and that the dependencies together with the
/// order have no cycle. Diagnostics: order.missing, order.unknown, order.duplicate,
/// order.wrong_rank, order.mixed, order.deadlock (naming the cycle: which rank waits in front of
/// which operation for what). Cost: O(operations).
Diagnostics check_order(const Order& order);

}  // namespace sluice

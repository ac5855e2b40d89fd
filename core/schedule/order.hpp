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

/// All stages of a rank, in OrderUpdate.
inline constexpr std::uint16_t kAllStages = 0xFFFFU;

/// An optimizer step that a rank takes by itself, between two of its operations.
struct OrderUpdate {
  /// Entry of Order::operations that it precedes; the rank's `end` when nothing follows.
  std::uint32_t before = 0;
  /// Counted from 0: it makes version number + 1 of the weights.
  std::uint32_t number = 0;
  /// Stage whose weights it changes, counted over all pipes.
  std::uint16_t stage = kAllStages;

  bool operator==(const OrderUpdate&) const = default;
};

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
  /// Of schedules that never drain, rank by rank as they come; those of rank r are the entries
  /// first_update[r] to first_update[r + 1]. Both empty where all update together after a batch.
  std::vector<OrderUpdate> updates;
  std::vector<std::uint32_t> first_update;
  /// Microbatches, in the order of their numbers, whose gradients one update takes.
  int microbatches_per_update = 0;

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
  /// An update before the operation that is added next.
  void add_update(int number, std::uint16_t stage = kAllStages) {
    order_.updates.push_back({.before = static_cast<std::uint32_t>(order_.operations.size()),
                              .number = static_cast<std::uint32_t>(number),
                              .stage = stage});
  }
  void set_microbatches_per_update(int microbatches) {
    order_.microbatches_per_update = microbatches;
  }
  void end_rank();
  /// Pipe of each microbatch, for placements with several.
  void set_pipes(std::vector<std::uint8_t> pipe_of_microbatch) {
    order_.pipe_of_microbatch = std::move(pipe_of_microbatch);
  }
  Order take();

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

// The checks of an order: complete, in its place, and free of cycles.
#include <cstddef>
#include <optional>

#include "schedule/order.hpp"

namespace sluice {
namespace {

/// Enough to see what is wrong.
constexpr std::size_t kMostProblems = 20;

// What has happened, by (stage, microbatch, slice).
enum Done : std::uint8_t { kForward = 1, kBackward = 2, kInput = 4, kWeight = 8 };

std::uint8_t bit_of(OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
    case OpKind::Overlapped:
      return kForward;
    case OpKind::Backward:
      return kBackward;
    case OpKind::InputGrad:
      return kInput;
    case OpKind::WeightGrad:
      return kWeight;
    default:
      return 0;
  }
}

/// What an operation waits for.
struct Need {
  std::uint8_t bits = 0;
  std::uint32_t stage = 0;
  std::uint32_t slice = 0;
};

class Checker {
 public:
  explicit Checker(const Order& order)
      : order_(order),
        stages_(static_cast<std::uint32_t>(order.placement.stages())),
        slices_(static_cast<std::uint32_t>(order.slices)),
        cells_(order.placement.rank_of_stage.size() * static_cast<std::size_t>(order.microbatches) *
                   slices_,
               0) {}

  Diagnostics run() {
    for (int r = 0; r < order_.ranks(); ++r) check_rank(r);
    if (out_.empty()) check_complete();
    if (out_.empty()) check_acyclic();
    return out_;
  }

 private:
  std::uint8_t& cell(std::uint32_t stage, std::uint32_t microbatch, std::uint32_t slice) {
    return cells_[(stage * static_cast<std::size_t>(order_.microbatches) + microbatch) * slices_ +
                  slice];
  }

  [[nodiscard]] std::string text(const Operation& op) const { return operation_text(order_, op); }

  [[nodiscard]] std::string text(OpKind kind, std::uint32_t stage, std::uint32_t microbatch,
                                 std::uint32_t slice) const {
    return text(Operation{.kind = kind,
                          .slice = static_cast<std::uint8_t>(slice),
                          .stage = static_cast<std::uint16_t>(stage),
                          .microbatch = microbatch});
  }

  void report(Code code, std::string message) {
    if (out_.size() < kMostProblems) out_.push_back(error(code, "", std::move(message)));
  }

  void check_rank(int rank) {
    bool in_cell = false;
    for (const Operation& op : order_.of_rank(rank)) {
      check_operation(rank, op);
      const bool other_half = op.kind == OpKind::Backward || op.kind == OpKind::InputGrad;
      if (in_cell && !other_half) {
        report(Code::OrderUnknown, text(op) + " on rank " + std::to_string(rank) +
                                       " cannot be the second half of an overlapped cell");
      }
      in_cell = op.kind == OpKind::Overlapped;
    }
    if (in_cell) {
      report(Code::OrderUnknown,
             "the last cell of rank " + std::to_string(rank) + " has no second half");
    }
  }

  void check_operation(int rank, const Operation& op) {
    const std::uint8_t bit = bit_of(op.kind);
    const auto& ranks = order_.placement.rank_of_stage;
    if (bit == 0 || op.stage >= ranks.size() || op.slice >= slices_ ||
        op.microbatch >= static_cast<std::uint32_t>(order_.microbatches) ||
        static_cast<int>(op.stage / stages_) != order_.pipe_of(op.microbatch)) {
      report(Code::OrderUnknown,
             "unknown operation " + text(op) + " on rank " + std::to_string(rank));
      return;
    }
    if (ranks[op.stage] != rank) {
      report(Code::OrderWrongRank, text(op) + " stands on rank " + std::to_string(rank) +
                                       ", but stage " + std::to_string(op.stage % stages_) +
                                       " is on rank " + std::to_string(ranks[op.stage]));
      return;
    }
    std::uint8_t& seen = cell(op.stage, op.microbatch, op.slice);
    if ((seen & bit) != 0) report(Code::OrderDuplicate, text(op) + " stands twice");
    seen |= bit;
  }

  void check_complete() {
    for (std::uint32_t m = 0; m < static_cast<std::uint32_t>(order_.microbatches); ++m) {
      const std::uint32_t first = static_cast<std::uint32_t>(order_.pipe_of(m)) * stages_;
      const auto length = static_cast<std::uint32_t>(order_.placement.length(order_.pipe_of(m)));
      for (std::uint32_t s = first; s < first + length; ++s) {
        for (std::uint32_t q = 0; q < slices_ && out_.size() < kMostProblems; ++q) {
          check_cell(s, m, q);
        }
      }
    }
  }

  void check_cell(std::uint32_t s, std::uint32_t m, std::uint32_t q) {
    const std::uint8_t seen = cell(s, m, q);
    const bool whole = (seen & kBackward) != 0;
    const bool any_half = (seen & (kInput | kWeight)) != 0;
    const auto missing = [&](OpKind kind) {
      report(Code::OrderMissing, "missing " + text(kind, s, m, q));
    };
    if ((seen & kForward) == 0) missing(OpKind::Forward);
    if (whole && any_half) {
      report(Code::OrderMixed,
             "both " + text(OpKind::Backward, s, m, q) + " and a part of it (I or W)");
    } else if (!whole && (seen & kInput) == 0) {
      missing(any_half ? OpKind::InputGrad : OpKind::Backward);
    } else if (!whole && (seen & kWeight) == 0) {
      missing(OpKind::WeightGrad);
    }
  }

  // The first thing that `op` still waits for, or nothing.
  std::optional<Need> missing_need(const Operation& op) {
    const std::uint32_t m = op.microbatch;
    const std::uint32_t q = op.slice;
    const std::uint32_t s = op.stage;
    const bool first = order_.placement.opens(s);
    const bool last = order_.placement.closes(s);
    const auto done = [&](std::uint8_t bits, std::uint32_t stage, std::uint32_t slice) {
      return (cell(stage, m, slice) & bits) != 0;
    };
    constexpr std::uint8_t kGradient = kBackward | kInput;
    if (bit_of(op.kind) == kForward) {
      if (!first && !done(kForward, s - 1, q)) return Need{kForward, s - 1, q};
      if (q > 0 && !done(kForward, s, q - 1)) return Need{kForward, s, q - 1};
      return std::nullopt;
    }
    if (op.kind == OpKind::WeightGrad) {
      if (!done(kInput, s, q)) return Need{kInput, s, q};
      return std::nullopt;
    }
    if (!done(kForward, s, q)) return Need{kForward, s, q};
    if (!last && !done(kGradient, s + 1, q)) return Need{kGradient, s + 1, q};
    if (q + 1 < slices_ && !done(kGradient, s, q + 1)) return Need{kGradient, s, q + 1};
    return std::nullopt;
  }

  // What a rank waits for at its head; both halves of a cell have to be ready.
  std::optional<Need> head_need(std::uint32_t at) {
    std::optional<Need> need = missing_need(order_.operations[at]);
    if (!need && order_.operations[at].kind == OpKind::Overlapped) {
      need = missing_need(order_.operations[at + 1]);
    }
    return need;
  }

  // Plays the order without time: a rank advances while its next operation is ready; an advance may
  // free its neighbours.
  void check_acyclic() {
    cells_.assign(cells_.size(), 0);
    next_ = order_.begin;
    std::vector<std::uint32_t> work;
    for (std::size_t r = next_.size(); r-- > 0;) work.push_back(static_cast<std::uint32_t>(r));
    std::vector<bool> queued(next_.size(), true);
    const auto wake = [&](std::uint32_t stage) {
      const std::uint16_t rank = order_.placement.rank_of_stage[stage];
      if (queued[rank]) return;
      queued[rank] = true;
      work.push_back(rank);
    };
    while (!work.empty()) {
      const std::uint32_t r = work.back();
      work.pop_back();
      queued[r] = false;
      while (next_[r] < order_.end[r] && !head_need(next_[r])) {
        int parts = order_.operations[next_[r]].kind == OpKind::Overlapped ? 2 : 1;
        for (; parts > 0; --parts) {
          const Operation& op = order_.operations[next_[r]++];
          cell(op.stage, op.microbatch, op.slice) |= bit_of(op.kind);
          const std::uint32_t at = op.stage % stages_;
          if (bit_of(op.kind) == kForward && at + 1 < stages_) wake(op.stage + 1U);
          if ((op.kind == OpKind::Backward || op.kind == OpKind::InputGrad) && at > 0)
            wake(op.stage - 1U);
        }
      }
    }
    for (std::uint32_t r = 0; r < next_.size(); ++r) {
      if (next_[r] != order_.end[r]) return report_cycle(r);
    }
  }

  // Every stuck rank waits for another stuck one, or for itself: following them from anywhere ends
  // in a cycle.
  void report_cycle(std::uint32_t rank) {
    std::vector<std::uint32_t> path;
    std::vector<bool> seen(next_.size(), false);
    while (!seen[rank]) {
      seen[rank] = true;
      path.push_back(rank);
      const std::optional<Need> need = head_need(next_[rank]);
      SLUICE_CHECK(need.has_value());
      rank = order_.placement.rank_of_stage[need->stage];
    }
    std::string cycle;
    bool inside = false;
    for (const std::uint32_t r : path) {
      inside = inside || r == rank;
      if (inside) cycle += (cycle.empty() ? "" : "; ") + waiting(r);
    }
    report(Code::OrderDeadlock, "the order deadlocks: " + cycle);
  }

  std::string waiting(std::uint32_t rank) {
    const Operation& head = order_.operations[next_[rank]];
    const std::optional<Need> need = head_need(next_[rank]);
    std::uint32_t microbatch = head.microbatch;
    if (!missing_need(head)) microbatch = order_.operations[next_[rank] + 1].microbatch;
    const std::uint16_t holder = order_.placement.rank_of_stage[need->stage];
    const OpKind kind = need->bits == kForward ? OpKind::Forward
                        : need->bits == kInput ? OpKind::InputGrad
                                               : gradient_kind(need->stage, microbatch, holder);
    return "rank " + std::to_string(rank) + " in front of " + text(head) + " waits for " +
           text(kind, need->stage, microbatch, need->slice) + " of rank " + std::to_string(holder);
  }

  [[nodiscard]] OpKind gradient_kind(std::uint32_t stage, std::uint32_t microbatch,
                                     std::uint16_t rank) const {
    for (const Operation& op : order_.of_rank(rank)) {
      if (op.stage == stage && op.microbatch == microbatch && op.kind == OpKind::InputGrad)
        return OpKind::InputGrad;
    }
    return OpKind::Backward;
  }

  const Order& order_;
  std::uint32_t stages_;
  std::uint32_t slices_;
  std::vector<std::uint8_t> cells_;
  std::vector<std::uint32_t> next_;
  Diagnostics out_;
};

}  // namespace

Diagnostics check_order(const Order& order) {
  return Checker(order).run();
}

}  // namespace sluice

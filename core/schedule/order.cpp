#include "schedule/order.hpp"

#include <utility>

namespace sluice {

namespace {

constexpr std::size_t kGap = 64 / sizeof(Operation);

}  // namespace

OrderBuilder::OrderBuilder(int ranks, int microbatches, std::size_t operations_per_rank) {
  order_.ranks = ranks;
  order_.microbatches = microbatches;
  order_.operations.reserve((operations_per_rank + kGap) * static_cast<std::size_t>(ranks));
  order_.begin.push_back(0);
  for (int r = 0; r < ranks; ++r) order_.rank_of_stage.push_back(static_cast<std::uint16_t>(r));
}

void OrderBuilder::end_rank() {
  order_.end.push_back(static_cast<std::uint32_t>(order_.operations.size()));
  if (order_.end.size() == static_cast<std::size_t>(order_.ranks)) return;
  order_.operations.resize(order_.operations.size() + kGap);
  order_.begin.push_back(static_cast<std::uint32_t>(order_.operations.size()));
}

std::string operation_text(const Operation& operation) {
  std::string text(kind_text(operation.kind));
  text += std::to_string(operation.microbatch);
  if (operation.slice != 0) text += "." + std::to_string(operation.slice);
  return text + "@" + std::to_string(operation.stage);
}

std::string rank_text(const Order& order, int rank) {
  std::string text;
  for (const Operation& op : order.of_rank(rank)) {
    if (!text.empty()) text += ' ';
    text += operation_text(op);
  }
  return text;
}

namespace {

// What has happened, by (stage, microbatch).
enum Done : std::uint8_t { kForward = 1, kBackward = 2, kInput = 4, kWeight = 8 };

std::uint8_t bit_of(OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
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

class Table {
 public:
  explicit Table(const Order& order)
      : microbatches_(static_cast<std::size_t>(order.microbatches)),
        cells_(static_cast<std::size_t>(order.stages()) * microbatches_, 0) {}
  std::uint8_t& at(std::size_t stage, std::size_t microbatch) {
    return cells_[stage * microbatches_ + microbatch];
  }

 private:
  std::size_t microbatches_;
  std::vector<std::uint8_t> cells_;
};

void check_each(const Order& order, Table& seen, Diagnostics& out) {
  constexpr std::size_t kEnough = 20;
  for (int r = 0; r < order.ranks; ++r) {
    for (const Operation& op : order.of_rank(r)) {
      if (out.size() >= kEnough) return;
      const std::string text = operation_text(op);
      const std::uint8_t bit = bit_of(op.kind);
      if (bit == 0 || op.stage >= order.rank_of_stage.size() ||
          op.microbatch >= static_cast<std::uint32_t>(order.microbatches)) {
        out.push_back(error(Code::OrderUnknown, "",
                            "unknown operation " + text + " on rank " + std::to_string(r)));
        continue;
      }
      if (order.rank_of_stage[op.stage] != r) {
        out.push_back(error(Code::OrderWrongRank, "",
                            text + " stands on rank " + std::to_string(r) + ", but stage " +
                                std::to_string(op.stage) + " is on rank " +
                                std::to_string(order.rank_of_stage[op.stage])));
        continue;
      }
      std::uint8_t& cell = seen.at(op.stage, op.microbatch);
      if ((cell & bit) != 0) out.push_back(error(Code::OrderDuplicate, "", text + " stands twice"));
      cell |= bit;
    }
  }
}

void check_complete(const Order& order, Table& seen, Diagnostics& out) {
  constexpr std::size_t kEnough = 20;
  for (std::size_t s = 0; s < order.rank_of_stage.size(); ++s) {
    for (int m = 0; m < order.microbatches && out.size() < kEnough; ++m) {
      const std::uint8_t cell = seen.at(s, static_cast<std::size_t>(m));
      const std::string at = std::to_string(m) + "@" + std::to_string(s);
      const bool whole = (cell & kBackward) != 0;
      const bool any_half = (cell & (kInput | kWeight)) != 0;
      if ((cell & kForward) == 0) out.push_back(error(Code::OrderMissing, "", "missing F" + at));
      if (whole && any_half) {
        out.push_back(error(Code::OrderMixed, "", "both B" + at + " and a part of it (I or W)"));
      } else if (!whole && (cell & kInput) == 0) {
        out.push_back(
            error(Code::OrderMissing, "", "missing " + std::string(any_half ? "I" : "B") + at));
      } else if (!whole && (cell & kWeight) == 0) {
        out.push_back(error(Code::OrderMissing, "", "missing W" + at));
      }
    }
  }
}

bool ready(const Order& order, Table& done, const Operation& op) {
  const std::size_t stages = order.rank_of_stage.size();
  switch (op.kind) {
    case OpKind::Forward:
      return op.stage == 0 || (done.at(op.stage - 1U, op.microbatch) & kForward) != 0;
    case OpKind::Backward:
    case OpKind::InputGrad: {
      if ((done.at(op.stage, op.microbatch) & kForward) == 0) return false;
      const bool last = op.stage + 1U == stages;
      return last || (done.at(op.stage + 1U, op.microbatch) & (kBackward | kInput)) != 0;
    }
    default:
      return (done.at(op.stage, op.microbatch) & kInput) != 0;
  }
}

// Plays the order without time: a rank advances while its next operation is ready; an advance may
// free its neighbours.
void check_acyclic(const Order& order, Diagnostics& out) {
  Table done(order);
  std::vector<std::uint32_t> next(order.begin);
  std::vector<int> work;
  for (int r = order.ranks - 1; r >= 0; --r) work.push_back(r);
  std::vector<bool> queued(static_cast<std::size_t>(order.ranks), true);
  const auto wake = [&](std::size_t stage) {
    const std::uint16_t rank = order.rank_of_stage[stage];
    if (queued[rank]) return;
    queued[rank] = true;
    work.push_back(rank);
  };
  while (!work.empty()) {
    const auto r = static_cast<std::size_t>(work.back());
    work.pop_back();
    queued[r] = false;
    while (next[r] < order.end[r] && ready(order, done, order.operations[next[r]])) {
      const Operation& op = order.operations[next[r]++];
      done.at(op.stage, op.microbatch) |= bit_of(op.kind);
      if (op.kind == OpKind::Forward && op.stage + 1U < order.rank_of_stage.size())
        wake(op.stage + 1U);
      if (op.kind != OpKind::Forward && op.kind != OpKind::WeightGrad && op.stage > 0)
        wake(op.stage - 1U);
    }
  }
  std::string heads;
  for (std::size_t r = 0; r < next.size(); ++r) {
    if (next[r] == order.end[r]) continue;
    heads += (heads.empty() ? "" : ", ") + std::string("rank ") + std::to_string(r) +
             " in front of " + operation_text(order.operations[next[r]]);
  }
  if (!heads.empty())
    out.push_back(error(Code::OrderDeadlock, "", "the order deadlocks: " + heads));
}

}  // namespace

Diagnostics check_order(const Order& order) {
  Diagnostics out;
  Table seen(order);
  check_each(order, seen, out);
  if (out.empty()) check_complete(order, seen, out);
  if (out.empty()) check_acyclic(order, out);
  return out;
}

}  // namespace sluice

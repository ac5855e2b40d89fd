#include "schedule/order.hpp"

namespace sluice {
namespace {

constexpr std::size_t kGap = 64 / sizeof(Operation);

}  // namespace

OrderBuilder::OrderBuilder(Placement placement, int microbatches, std::size_t operations_per_rank,
                           int slices) {
  const auto ranks = static_cast<std::size_t>(placement.ranks);
  order_.placement = std::move(placement);
  order_.microbatches = microbatches;
  order_.slices = slices;
  order_.operations.reserve((operations_per_rank + kGap) * ranks);
  order_.begin.push_back(0);
  order_.first_update.push_back(0);
}

Order OrderBuilder::take() {
  if (order_.updates.empty()) order_.first_update.clear();
  return std::move(order_);
}

void OrderBuilder::end_rank() {
  order_.end.push_back(static_cast<std::uint32_t>(order_.operations.size()));
  order_.first_update.push_back(static_cast<std::uint32_t>(order_.updates.size()));
  if (order_.end.size() == static_cast<std::size_t>(order_.placement.ranks)) return;
  order_.operations.resize(order_.operations.size() + kGap);
  order_.begin.push_back(static_cast<std::uint32_t>(order_.operations.size()));
}

std::string operation_text(const Order& order, const Operation& operation) {
  const OpKind kind = operation.kind == OpKind::Overlapped ? OpKind::Forward : operation.kind;
  std::string text(kind_text(kind));
  text += std::to_string(operation.microbatch);
  if (order.slices > 1) text += "." + std::to_string(operation.slice);
  const int stage = operation.stage;
  const bool several = order.placement.pipes > 1;
  return text + "@" + std::to_string(several ? stage % order.placement.stages() : stage);
}

std::string rank_text(const Order& order, int rank) {
  std::string text;
  bool in_cell = false;
  for (const Operation& op : order.of_rank(rank)) {
    if (!text.empty()) text += in_cell ? '|' : ' ';
    if (op.kind == OpKind::Overlapped) text += '(';
    text += operation_text(order, op);
    if (in_cell) text += ')';
    in_cell = op.kind == OpKind::Overlapped;
  }
  return text;
}

}  // namespace sluice

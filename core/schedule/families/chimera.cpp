// Chimera: two copies of the model in opposite directions, merged slot by slot without collisions.
#include <utility>
#include <vector>

#include "base/stable_order.hpp"
#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

// In each unit of p microbatches half go down and half go up. F and B take one slot each; the slots
// of a rank give its order.
Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int m = request.microbatches;
  struct Slot {
    int at;
    OpKind kind;
    int stage;
    int microbatch;
  };
  OrderBuilder order(placement, m, 2 * static_cast<std::size_t>(m));
  std::vector<std::uint8_t> pipes;
  pipes.reserve(static_cast<std::size_t>(m));
  for (int j = 0; j < m; ++j) pipes.push_back(j % p < p / 2 ? 0 : 1);
  order.set_pipes(std::move(pipes));
  for (int r = 0; r < p; ++r) {
    std::vector<Slot> slots;
    for (int j = 0; j < m; ++j) {
      const int k = j % p;
      const int begin = 2 * p * (j / p);
      if (k < p / 2) {
        slots.push_back({begin + 2 * k + r, OpKind::Forward, r, j});
        slots.push_back({begin + 2 * k + 2 * p - 1 - r, OpKind::Backward, r, j});
      } else {
        const int shift = begin + 2 * (k - p / 2);
        const int stage = p + (p - 1 - r);
        slots.push_back({shift + p - 1 - r, OpKind::Forward, stage, j});
        slots.push_back({shift + p + r, OpKind::Backward, stage, j});
      }
    }
    sort_stably(slots, [](const Slot& a, const Slot& b) { return a.at < b.at; });
    for (const Slot& s : slots) order.add(s.kind, s.stage, s.microbatch);
    order.end_rank();
  }
  return order.take();
}

}  // namespace

ScheduleInfo chimera() {
  ScheduleInfo info;
  info.name = "chimera";
  info.family = "bidirectional";
  info.doc = "Two directions fill each other's bubbles; two copies of the weights";
  info.constraints = {kEvenRanks, kWholeUnits, kOneStageADirection};
  info.weight_copies = 2;
  info.source = "Li and Hoefler 2021, arXiv 2107.06925";
  info.placement = both_ways;
  info.order = order_of;
  return info;
}

}  // namespace sluice

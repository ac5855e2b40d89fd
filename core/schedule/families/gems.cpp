// GEMS: two copies of the model in opposite directions and one microbatch after the other, so that
// hardly any activations are held.
#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int m = request.microbatches;
  OrderBuilder order(placement, m, 2 * static_cast<std::size_t>(m));
  std::vector<std::uint8_t> pipes;
  pipes.reserve(static_cast<std::size_t>(m));
  for (int j = 0; j < m; ++j) pipes.push_back(static_cast<std::uint8_t>(j % 2));
  order.set_pipes(std::move(pipes));
  for (int r = 0; r < p; ++r) {
    for (int j = 0; j < m; ++j) {
      const int stage = j % 2 == 0 ? r : p + (p - 1 - r);
      order.add(OpKind::Forward, stage, j);
      order.add(OpKind::Backward, stage, j);
    }
    order.end_rank();
  }
  return order.take();
}

}  // namespace

ScheduleInfo gems() {
  ScheduleInfo info;
  info.name = "gems";
  info.family = "bidirectional";
  info.doc = "One microbatch in flight a rank: the least memory, the largest bubble";
  info.constraints = {kOneStageADirection};
  info.weight_copies = 2;
  info.source = "Jain et al. 2020, SC20";
  info.placement = both_ways;
  info.order = order_of;
  return info;
}

}  // namespace sluice

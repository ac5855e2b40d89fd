// GPipe: all forwards, then all backwards.
#include "schedule/families/families.hpp"

namespace sluice {
namespace {

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const int m = request.microbatches;
  OrderBuilder order(placement, m, 2 * static_cast<std::size_t>(m));
  for (int r = 0; r < request.ranks; ++r) {
    for (int j = 0; j < m; ++j) order.add(OpKind::Forward, r, j);
    for (int j = 0; j < m; ++j) order.add(OpKind::Backward, r, j);
    order.end_rank();
  }
  return order.take();
}

}  // namespace

ScheduleInfo gpipe() {
  ScheduleInfo info;
  info.name = "gpipe";
  info.family = "one chunk";
  info.doc = "All forwards, then all backwards; every microbatch is in flight at once";
  info.source = "Huang et al. 2019, arXiv 1811.06965";
  info.order = order_of;
  return info;
}

}  // namespace sluice

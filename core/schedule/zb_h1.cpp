// ZB-H1: 1F1B with the backward split; rank r runs its weight gradients r late, where 1F1B would be
// idle. Source: Qi et al. 2024, arXiv 2401.10241.
#include <algorithm>

#include "schedule/registry.hpp"

namespace sluice {

Order zb_h1(const ScheduleRequest& request) {
  const int m = request.microbatches;
  OrderBuilder order(request.ranks, m, 3 * static_cast<std::size_t>(m));
  for (int r = 0; r < request.ranks; ++r) {
    const int warm_up = std::min(request.ranks - 1 - r, m);
    for (int j = 0; j < warm_up; ++j) order.add(OpKind::Forward, r, j);
    int weights = 0;
    for (int b = 0; b < m; ++b) {
      if (warm_up + b < m) order.add(OpKind::Forward, r, warm_up + b);
      order.add(OpKind::InputGrad, r, b);
      if (b >= r) order.add(OpKind::WeightGrad, r, weights++);
    }
    while (weights < m) order.add(OpKind::WeightGrad, r, weights++);
    order.end_rank();
  }
  return order.take();
}

}  // namespace sluice

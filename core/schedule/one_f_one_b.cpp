// 1F1B (PipeDream-flush, DAPPLE): warm up, then one forward and one backward in turn, then drain;
// at most p - r microbatches in flight on rank r. Source: Narayanan et al. 2021, arXiv 2006.09503;
// Megatron-LM.
#include <algorithm>

#include "schedule/registry.hpp"

namespace sluice {

Order one_f_one_b(const ScheduleRequest& request) {
  const int m = request.microbatches;
  OrderBuilder order(request.ranks, m, 2 * static_cast<std::size_t>(m));
  for (int r = 0; r < request.ranks; ++r) {
    const int warm_up = std::min(request.ranks - 1 - r, m);
    for (int j = 0; j < warm_up; ++j) order.add(OpKind::Forward, r, j);
    for (int j = warm_up; j < m; ++j) {
      order.add(OpKind::Forward, r, j);
      order.add(OpKind::Backward, r, j - warm_up);
    }
    for (int j = m - warm_up; j < m; ++j) order.add(OpKind::Backward, r, j);
    order.end_rank();
  }
  return order.take();
}

}  // namespace sluice

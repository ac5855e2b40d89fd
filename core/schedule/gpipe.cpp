// GPipe: all forwards, then all backwards. Source: Huang et al. 2019, arXiv 1811.06965.
#include "schedule/registry.hpp"

namespace sluice {

Order gpipe(const ScheduleRequest& request) {
  const int m = request.microbatches;
  OrderBuilder order(request.ranks, m, 2 * static_cast<std::size_t>(m));
  for (int r = 0; r < request.ranks; ++r) {
    for (int j = 0; j < m; ++j) order.add(OpKind::Forward, r, j);
    for (int j = 0; j < m; ++j) order.add(OpKind::Backward, r, j);
    order.end_rank();
  }
  return order.take();
}

}  // namespace sluice

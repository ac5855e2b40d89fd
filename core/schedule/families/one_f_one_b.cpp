// 1F1B (PipeDream-flush, DAPPLE) and its eager form: warm up, then one forward and one backward in
// turn, then drain. They differ in the number of forwards before the first backward.
#include <algorithm>

#include "schedule/families/families.hpp"

namespace sluice {
namespace {

Order with_warm_up(const ScheduleRequest& request, const Placement& placement, int per_rank) {
  const int m = request.microbatches;
  const int extra = request.number("extra_warm_up", 0);
  OrderBuilder order(placement, m, 2 * static_cast<std::size_t>(m));
  for (int r = 0; r < request.ranks; ++r) {
    const int warm_up = std::min(per_rank * (request.ranks - 1 - r) + extra, m);
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

Result<Order> plain_order(const ScheduleRequest& request, const Placement& placement) {
  return with_warm_up(request, placement, 1);
}

Result<Order> eager_order(const ScheduleRequest& request, const Placement& placement) {
  return with_warm_up(request, placement, 2);
}

}  // namespace

ScheduleInfo one_f_one_b() {
  ScheduleInfo info;
  info.name = "1f1b";
  info.aliases = {"pipedream_flush", "dapple"};
  info.family = "one chunk";
  info.doc = "One forward, one backward after a warm-up; at most p - r microbatches in flight";
  info.parameters = {{.name = "extra_warm_up",
                      .otherwise = "0",
                      .least = 0,
                      .doc = "More forwards before the first backward; vocabulary-parallel passes "
                             "take 1 (two barriers), 2 (one barrier) or ranks / 2 (interlaced)"}};
  info.source =
      "Narayanan et al. 2021, arXiv 2006.09503; Megatron-LM; vocabulary passes: Yeung et "
      "al. 2024, arXiv 2411.05288";
  info.order = plain_order;
  return info;
}

ScheduleInfo eager_1f1b() {
  ScheduleInfo info;
  info.name = "eager_1f1b";
  info.family = "one chunk";
  info.doc = "1F1B with twice the warm-up: hides transfers for more microbatches in flight";
  info.source = "Zhuang et al. 2023, arXiv 2211.05322";
  info.order = eager_order;
  return info;
}

}  // namespace sluice

// ZB-H1: 1F1B with the backward split; rank r runs its weight gradients r late, where 1F1B would be
// idle. ZB-H2 admits about twice the forwards, so that the ranks end skewed just as they began.
#include <algorithm>

#include "schedule/families/families.hpp"

namespace sluice {
namespace {

Result<Order> h1_order(const ScheduleRequest& request, const Placement& placement) {
  const int m = request.microbatches;
  const int most_lag = request.number("lag", request.ranks - 1);
  OrderBuilder order(placement, m, 3 * static_cast<std::size_t>(m));
  for (int r = 0; r < request.ranks; ++r) {
    const int warm_up = std::min(request.ranks - 1 - r, m);
    const int lag = std::min(r, most_lag);
    for (int j = 0; j < warm_up; ++j) order.add(OpKind::Forward, r, j);
    int weights = 0;
    for (int b = 0; b < m; ++b) {
      if (warm_up + b < m) order.add(OpKind::Forward, r, warm_up + b);
      order.add(OpKind::InputGrad, r, b);
      if (b >= lag) order.add(OpKind::WeightGrad, r, weights++);
    }
    while (weights < m) order.add(OpKind::WeightGrad, r, weights++);
    order.end_rank();
  }
  return order.take();
}

Result<Order> h2_order(const ScheduleRequest& request, const Placement& placement) {
  const int m = request.microbatches;
  OrderBuilder order(placement, m, 3 * static_cast<std::size_t>(m));
  for (int r = 0; r < request.ranks; ++r) {
    int forwards = std::min(2 * (request.ranks - r) - 1, m);
    int weights = 0;
    for (int j = 0; j < forwards; ++j) order.add(OpKind::Forward, r, j);
    for (int b = 0; b < m; ++b) {
      order.add(OpKind::InputGrad, r, b);
      if (b >= 2 * r) order.add(OpKind::WeightGrad, r, weights++);
      if (forwards < m) order.add(OpKind::Forward, r, forwards++);
    }
    while (weights < m) order.add(OpKind::WeightGrad, r, weights++);
    order.end_rank();
  }
  return order.take();
}

}  // namespace

ScheduleInfo zb_h1() {
  ScheduleInfo info;
  info.name = "zb_h1";
  info.aliases = {"zero_bubble", "zb1p"};
  info.family = "zero bubble";
  info.doc = "1F1B with a split backward: weight gradients fill part of the bubble";
  info.parameters = {{.name = "lag",
                      .otherwise = "ranks - 1",
                      .least = 0,
                      .doc = "Most weight gradients a rank puts off; 0 is 1F1B's memory"}};
  info.split_backward = true;
  info.source = "Qi et al. 2024, arXiv 2401.10241";
  info.order = h1_order;
  return info;
}

ScheduleInfo zb_h2() {
  ScheduleInfo info;
  info.name = "zb_h2";
  info.family = "zero bubble";
  info.doc = "No bubble inside a rank's span, for twice the memory of 1F1B; needs no step barrier";
  info.split_backward = true;
  info.source = "Qi et al. 2024, arXiv 2401.10241";
  info.order = h2_order;
  return info;
}

}  // namespace sluice

// ZB-V: two chunks a rank on a V, split backward. With equal F, I and W no rank has a bubble inside
// its span, at the memory of 1F1B.
#include <algorithm>

#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

// One rank's list for at least 2p - 1 microbatches; those that do not exist are left out.
class RankList {
 public:
  RankList(OrderBuilder& order, int first, int second, int microbatches)
      : order_(order), stage_{first, second}, microbatches_(microbatches) {}

  void forward(int leg) { add(OpKind::Forward, leg, forwards[leg]++); }
  void input(int leg) { add(OpKind::InputGrad, leg, inputs[leg]++); }
  void weight(int leg) { add(OpKind::WeightGrad, leg, weights[leg]++); }

  int forwards[2] = {0, 0};
  int inputs[2] = {0, 0};
  int weights[2] = {0, 0};

 private:
  void add(OpKind kind, int leg, int microbatch) {
    if (microbatch < microbatches_) order_.add(kind, stage_[leg], microbatch);
  }

  OrderBuilder& order_;
  int stage_[2];
  int microbatches_;
};

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int all = std::max(request.microbatches, 2 * p - 1);
  OrderBuilder order(placement, request.microbatches,
                     6 * static_cast<std::size_t>(request.microbatches));
  for (int r = 0; r < p; ++r) {
    RankList list(order, r, 2 * p - 1 - r, request.microbatches);
    for (int i = 0; i < 2 * (p - r) - 1; ++i) list.forward(0);
    for (int i = 0; i < r; ++i) {
      list.forward(1);
      list.forward(0);
    }
    for (int i = 0; i < p - r; ++i) {
      list.forward(1);
      list.input(1);
      list.weight(1);
    }
    while (list.forwards[1] < list.forwards[0] || list.forwards[0] < all) {
      if (list.forwards[0] < all) list.forward(0);
      list.input(0);
      list.weight(0);
      list.forward(1);
      list.input(1);
      list.weight(1);
    }
    for (int i = 0; i < r; ++i) {
      list.input(0);
      list.input(1);
    }
    for (int i = 0; i < p - r; ++i) {
      list.input(0);
      list.weight(0);
    }
    while (list.weights[1] < all) list.weight(1);
    while (list.weights[0] < all) list.weight(0);
    order.end_rank();
  }
  return order.take();
}

}  // namespace

ScheduleInfo zb_v() {
  ScheduleInfo info;
  info.name = "zb_v";
  info.aliases = {"zbv", "zbv_zero_bubble"};
  info.family = "zero bubble, V";
  info.doc = "No bubble inside a rank's span at 1F1B's memory, when F, I and W take equally long";
  info.constraints = {kTwoChunks};
  info.split_backward = true;
  info.source = "Qi et al. 2024, arXiv 2401.10241; PyTorch, ScheduleZBVZeroBubble";
  info.placement = v_shape;
  info.order = order_of;
  return info;
}

}  // namespace sluice

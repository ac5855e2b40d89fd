// Seq1F1B: 1F1B over slices of the sequence. Slices of a microbatch go forward in order and back in
// reverse, as causal attention needs.
#include <algorithm>

#include "schedule/families/families.hpp"

namespace sluice {
namespace {

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const int m = request.microbatches;
  const int k = request.number("slices", 2);
  const int all = m * k;
  OrderBuilder order(placement, m, 2 * static_cast<std::size_t>(all), k);
  for (int r = 0; r < request.ranks; ++r) {
    const auto forward = [&](int i) { order.add(OpKind::Forward, r, i / k, i % k); };
    const auto backward = [&](int i) { order.add(OpKind::Backward, r, i / k, k - 1 - i % k); };
    const int warm_up = std::min(request.ranks - r - 2 + k, all);
    for (int i = 0; i < warm_up; ++i) forward(i);
    for (int i = warm_up; i < all; ++i) {
      forward(i);
      backward(i - warm_up);
    }
    for (int i = all - warm_up; i < all; ++i) backward(i);
    order.end_rank();
  }
  return order.take();
}

}  // namespace

ScheduleInfo seq_1f1b() {
  ScheduleInfo info;
  info.name = "seq_1f1b";
  info.family = "one chunk";
  info.doc = "1F1B over slices of the sequence: smaller bubble and memory for long sequences";
  info.parameters = {{.name = "slices",
                      .otherwise = "2",
                      .most = kMaxSlices,
                      .doc = "Pieces of equal time that a sequence is cut into"}};
  info.source = "Sun et al. 2024, arXiv 2406.03488";
  info.order = order_of;
  return info;
}

}  // namespace sluice

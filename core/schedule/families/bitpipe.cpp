// BitPipe: two V pipes in opposite directions, each with two chunks a rank.
#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

Placement two_v(const ScheduleRequest& request) {
  return with_mirror(zigzag_placement(request.ranks, 2));
}

enum Lane { kNearFirst, kNearSecond, kFarFirst, kFarSecond };

// Which of the four chunks comes next: `alone` times the near one by itself at either end, in
// between pairs. `first` and `second` are the legs in the direction of travel.
std::vector<int> lanes(int half, int alone, bool backward) {
  const int near_first = backward ? kNearSecond : kNearFirst;
  const int near_second = backward ? kNearFirst : kNearSecond;
  const int far_first = backward ? kFarSecond : kFarFirst;
  const int far_second = backward ? kFarFirst : kFarSecond;
  std::vector<int> out;
  const auto repeat = [&](int times, std::initializer_list<int> what) {
    for (int i = 0; i < times; ++i) out.insert(out.end(), what);
  };
  repeat(alone, {near_first});
  repeat(half - alone, {far_first, near_first});
  repeat(alone, {far_first, far_second});
  repeat(half - alone, {near_second, far_second});
  repeat(alone, {near_second});
  return out;
}

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int m = request.microbatches;
  const int half = p / 2;
  OrderBuilder order(placement, m, 4 * static_cast<std::size_t>(m));
  std::vector<std::uint8_t> pipes;
  pipes.reserve(static_cast<std::size_t>(m));
  for (int j = 0; j < m; ++j) pipes.push_back(j % p < half ? 0 : 1);
  order.set_pipes(std::move(pipes));
  for (int r = 0; r < p; ++r) {
    const bool lower = r < half;
    const int own = lower ? r : p - 1 - r;
    const int near_pipe = lower ? 0 : 1;
    const int near = near_pipe * 2 * p;
    const int far = (1 - near_pipe) * 2 * p;
    // The far pipe enters at the other end.
    const int stage[4] = {near + own, near + 2 * p - 1 - own, far + p - 1 - own, far + p + own};
    const int alone = lower ? half - r : r - half + 1;
    std::vector<int> forwards;
    std::vector<int> backwards;
    for (int unit = 0; unit < m / p; ++unit) {
      for (const int lane : lanes(half, alone, false)) forwards.push_back(lane);
      for (const int lane : lanes(half, alone, true)) backwards.push_back(lane);
    }
    int sent[2][4] = {};
    const auto add = [&](OpKind kind, int lane) {
      const int k = sent[kind == OpKind::Forward ? 0 : 1][lane]++;
      const bool is_near = lane == kNearFirst || lane == kNearSecond;
      const int pipe = is_near ? near_pipe : 1 - near_pipe;
      order.add(kind, stage[lane], (k / half) * p + pipe * half + k % half);
    };
    const std::size_t all = forwards.size();
    const auto warm_up = std::min(all, static_cast<std::size_t>(3 * half + std::min(r, p - 1 - r)));
    for (std::size_t i = 0; i < warm_up; ++i) add(OpKind::Forward, forwards[i]);
    for (std::size_t i = warm_up; i < all; ++i) {
      add(OpKind::Forward, forwards[i]);
      add(OpKind::Backward, backwards[i - warm_up]);
    }
    for (std::size_t i = all - warm_up; i < all; ++i) add(OpKind::Backward, backwards[i]);
    order.end_rank();
  }
  return order.take();
}

bool chunks_fit(const ScheduleRequest& request) {
  return request.chunks == 0 || request.chunks == 2 || request.chunks == 4;
}

}  // namespace

ScheduleInfo bitpipe() {
  ScheduleInfo info;
  info.name = "bitpipe";
  info.family = "bidirectional";
  info.doc = "Two V pipes in opposite directions: a smaller bubble than Chimera, two weight copies";
  info.constraints = {
      kEvenRanks, kWholeUnits, {"four_chunks", "chunks must be 4, two a direction", chunks_fit}};
  info.weight_copies = 2;
  info.source = "Wu et al. 2024; wuhouming/BitPipe";
  info.placement = two_v;
  info.order = order_of;
  return info;
}

}  // namespace sluice

// Hanayo: waves over the ranks. The placement is the paper's; no order has been published as code,
// so it is a list schedule: what can start earliest goes first, backwards before forwards, then
// lower microbatches, then deeper stages.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/families/families.hpp"

namespace sluice {
namespace {

int waves_of(const ScheduleRequest& request) {
  return request.number("waves", request.chunks > 0 ? request.chunks / 2 : 1);
}

Placement waves(const ScheduleRequest& request) {
  return zigzag_placement(request.ranks, 2 * waves_of(request));
}

constexpr double kNever = std::numeric_limits<double>::infinity();

class ListScheduler {
 public:
  ListScheduler(const ScheduleRequest& request, const Placement& placement)
      : request_(request),
        placement_(placement),
        stages_(placement.stages()),
        m_(request.microbatches),
        free_(static_cast<std::size_t>(request.ranks), 0),
        best_(static_cast<std::size_t>(request.ranks)),
        lists_(static_cast<std::size_t>(request.ranks)),
        held_(static_cast<std::size_t>(request.ranks)) {
    for (int s = 0; s < stages_; ++s) held_[rank(s)].push_back(s);
    for (auto* lanes : {&forward_, &backward_}) lanes->resize(static_cast<std::size_t>(stages_));
    for (auto* lanes : {&forward_, &backward_}) {
      for (Lane& lane : *lanes) lane.ready.assign(static_cast<std::size_t>(m_), kNever);
    }
    std::fill(forward_[0].ready.begin(), forward_[0].ready.end(), 0.0);
  }

  Order run() {
    for (std::size_t r = 0; r < best_.size(); ++r) choose(r);
    const std::int64_t all = 2 * static_cast<std::int64_t>(stages_) * m_;
    for (std::int64_t done = 0; done < all; ++done) {
      std::size_t winner = 0;
      for (std::size_t r = 1; r < best_.size(); ++r) {
        if (best_[r] < best_[winner]) winner = r;
      }
      start(winner, best_[winner]);
    }
    OrderBuilder order(placement_, m_, 2 * static_cast<std::size_t>(m_) * held_[0].size());
    for (const auto& list : lists_) {
      for (const Choice& c : list) {
        order.add(c.forward ? OpKind::Forward : OpKind::Backward, -c.deeper, c.microbatch);
      }
      order.end_rank();
    }
    return order.take();
  }

 private:
  /// Microbatches pass a stage in order, so only the next of each stage and direction can be up.
  struct Lane {
    int next = 0;
    std::vector<double> ready;
  };
  struct Choice {
    double start = kNever;
    bool forward = true;
    int deeper = 0;
    int microbatch = 0;

    bool operator<(const Choice& o) const {
      return std::tie(start, forward, microbatch, deeper) <
             std::tie(o.start, o.forward, o.microbatch, o.deeper);
    }
  };

  [[nodiscard]] std::size_t rank(int stage) const {
    return static_cast<std::size_t>(placement_.rank_of(stage));
  }

  void choose(std::size_t r) {
    best_[r] = {};
    for (const int s : held_[r]) {
      for (const bool forward : {false, true}) {
        const Lane& lane = (forward ? forward_ : backward_)[static_cast<std::size_t>(s)];
        if (lane.next == m_) continue;
        const double ready = lane.ready[static_cast<std::size_t>(lane.next)];
        const Choice c{std::max(free_[r], ready), forward, -s, lane.next};
        if (ready < kNever && c < best_[r]) best_[r] = c;
      }
    }
  }

  void start(std::size_t r, Choice c) {
    const int s = -c.deeper;
    const StageMeans cost = request_.cost_of(s);
    const double end = c.start + (c.forward ? cost.forward_ms : cost.backward_ms);
    free_[r] = end;
    lists_[r].push_back(c);
    ++(c.forward ? forward_ : backward_)[static_cast<std::size_t>(s)].next;
    if (c.forward && s + 1 == stages_) {
      arrive(backward_, s, c.microbatch, end);
    } else if (c.forward) {
      arrive(forward_, s + 1, c.microbatch, end + hop(s, s + 1));
    } else if (s > 0) {
      arrive(backward_, s - 1, c.microbatch, end + hop(s, s - 1));
    }
    choose(r);
  }

  [[nodiscard]] double hop(int from, int to) const {
    return rank(from) == rank(to) ? 0 : request_.transfer_ms;
  }

  void arrive(std::vector<Lane>& lanes, int stage, int microbatch, double at) {
    lanes[static_cast<std::size_t>(stage)].ready[static_cast<std::size_t>(microbatch)] = at;
    choose(rank(stage));
  }

  const ScheduleRequest& request_;
  const Placement& placement_;
  int stages_;
  int m_;
  std::vector<double> free_;
  std::vector<Choice> best_;
  std::vector<std::vector<Choice>> lists_;
  std::vector<std::vector<int>> held_;
  std::vector<Lane> forward_;
  std::vector<Lane> backward_;
};

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  return ListScheduler(request, placement).run();
}

bool whole_waves(const ScheduleRequest& request) {
  return request.chunks == 0 || request.chunks == 2 * waves_of(request);
}

}  // namespace

ScheduleInfo hanayo() {
  ScheduleInfo info;
  info.name = "hanayo";
  info.family = "waves";
  info.doc = "Microbatches sweep over the ranks in waves: bidirectional bubbles, one weight copy";
  info.parameters = {{.name = "waves",
                      .otherwise = "1",
                      .most = kMaxStages,
                      .doc = "Waves, each of two chunks a rank"}};
  info.constraints = {{"whole_waves", "chunks must be 2 x waves", whole_waves}};
  info.source = "Liu et al. 2023, SC23 (placement); list schedule of our own (order)";
  info.placement = waves;
  info.order = order_of;
  return info;
}

}  // namespace sluice

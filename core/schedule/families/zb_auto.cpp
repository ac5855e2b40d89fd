// ZB automatic: one chunk a rank, the backward split, and an order that is searched for the given
// times, transfer and memory. A greedy walk with three habits, each tried both ways; the least
// rank span wins. Numbers are compared as the public scheduler does, so ties fall the same way.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

// Memory counts in halves of a microbatch's activations: a forward takes two, the input gradient
// and the weight gradient give back one each. Source: zb.py, M_F = 2, M_I = M_W = -1.
constexpr double kForwardHalves = 2;

struct Habits {
  /// Extra forwards at the start may delay the first input gradient.
  bool late_first_input = true;
  /// A rank holds a forward back where that lets the rank below have its gradient pass first.
  bool input_first = true;
  /// A gap that is too short for a weight gradient gets one even on a rank that may idle a little.
  bool fill_short_gaps = true;
};

struct Rank {
  StageMeans cost;
  double most_halves = 0;
  double halves = 0;
  /// End of its last operation, and of its first forward.
  double now = 0;
  double first_end = 0;
  /// Time it has waited since its first forward.
  double idle = 0;
  int forwards = 0;
  int inputs = 0;
  int weights = 0;
  std::vector<double> forward_end;
  std::vector<double> input_end;
  std::vector<Operation> list;

  [[nodiscard]] bool has_weight() const { return weights < inputs; }
};

class Greedy {
 public:
  Greedy(const ScheduleRequest& request, const std::vector<double>& limits, Habits habits)
      : habits_(habits), p_(request.ranks), m_(request.microbatches), hop_(request.transfer_ms) {
    ranks_.resize(static_cast<std::size_t>(p_));
    for (int r = 0; r < p_; ++r) {
      Rank& rank = at(r);
      rank.cost = request.cost_of(r);
      rank.most_halves = kForwardHalves * limits[static_cast<std::size_t>(r)];
      rank.list.reserve(3 * static_cast<std::size_t>(m_));
    }
  }

  void run() {
    start();
    for (int i = 1; i < m_; ++i) round(i);
    for (int r = 0; r < p_; ++r) {
      while (at(r).weights < m_) weight(r);
    }
  }

  /// Longest time from a rank's first start to its last end.
  [[nodiscard]] double span() const {
    double most = 0;
    for (const Rank& rank : ranks_) {
      most = std::max(most, rank.now - rank.first_end + rank.cost.forward_ms);
    }
    return most;
  }

  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }

 private:
  Rank& at(int r) { return ranks_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const Rank& at(int r) const { return ranks_[static_cast<std::size_t>(r)]; }

  /// Appends an operation whose input arrives at `arrival`.
  double play(int r, OpKind kind, int microbatch, double cost, double arrival) {
    Rank& rank = at(r);
    const double unhindered = rank.now + cost;
    rank.now = std::max(unhindered, arrival + cost);
    if (rank.forwards > 0) rank.idle += rank.now - unhindered;
    worst_idle_ = std::max(worst_idle_, rank.idle);
    rank.list.push_back({.kind = kind,
                         .slice = 0,
                         .stage = static_cast<std::uint16_t>(r),
                         .microbatch = static_cast<std::uint32_t>(microbatch)});
    return rank.now;
  }

  [[nodiscard]] double forward_arrival(int r) const {
    const auto j = static_cast<std::size_t>(at(r).forwards);
    return r == 0 ? at(r).now : at(r - 1).forward_end[j] + hop_;
  }
  [[nodiscard]] double input_arrival(int r) const {
    const auto j = static_cast<std::size_t>(at(r).inputs);
    return r + 1 == p_ ? at(r).now : at(r + 1).input_end[j] + hop_;
  }

  void forward(int r) {
    Rank& rank = at(r);
    const double end =
        play(r, OpKind::Forward, rank.forwards, rank.cost.forward_ms, forward_arrival(r));
    if (rank.forwards++ == 0) rank.first_end = end;
    rank.forward_end.push_back(end);
    rank.halves += kForwardHalves;
  }
  void input(int r) {
    Rank& rank = at(r);
    const double arrival = input_arrival(r);
    const double end = play(r, OpKind::InputGrad, rank.inputs, rank.cost.input_grad_ms, arrival);
    ++rank.inputs;
    rank.input_end.push_back(end);
    rank.halves -= 1;
  }
  void weight(int r) {
    Rank& rank = at(r);
    play(r, OpKind::WeightGrad, rank.weights, rank.cost.weight_grad_ms, rank.now);
    ++rank.weights;
    rank.halves -= 1;
  }

  void start() {
    for (int r = 0; r < p_; ++r) forward(r);
    const std::vector<int> extra = extra_forwards();
    for (int r = 0; r < p_; ++r) {
      for (int k = 0; k < extra[static_cast<std::size_t>(r)]; ++k) forward(r);
    }
    for (int r = p_ - 1; r >= 0; --r) input(r);
  }

  /// How many forwards each rank has time and memory for while it waits for its first input
  /// gradient.
  [[nodiscard]] std::vector<int> extra_forwards() const {
    std::vector<int> extra(static_cast<std::size_t>(p_), 0);
    double input_end = at(p_ - 1).now + at(p_ - 1).cost.input_grad_ms;
    for (int r = p_ - 2; r >= 0; --r) {
      const Rank& rank = at(r);
      const double arrival = input_end + hop_;
      int& count = extra[static_cast<std::size_t>(r)];
      double halves = rank.halves + kForwardHalves;
      double now = rank.now;
      while (1 + count < m_ && halves <= rank.most_halves) {
        const double next = now + rank.cost.forward_ms;
        if (habits_.late_first_input ? next > arrival : now >= arrival) break;
        halves += kForwardHalves;
        now = next;
        ++count;
      }
      input_end = std::max(now, arrival) + rank.cost.input_grad_ms;
    }
    for (std::size_t r = 1; r < extra.size(); ++r) {
      while (extra[r] > 0 && extra[r] >= extra[r - 1] && 1 + extra[r] < m_) --extra[r];
      // Uneven ranks: none can forward what the one above has not.
      extra[r] = std::min(extra[r], extra[r - 1]);
    }
    return extra;
  }

  /// Microbatch i's input gradient on every rank, before it at most one forward each. A rank
  /// forwards only if the one below does too, so its forwards in flight never exceed those of the
  /// start, and weight gradients can always make room.
  void round(int i) {
    std::vector<char> forwards(static_cast<std::size_t>(p_));
    for (int r = p_ - 1; r >= 0; --r) {
      const bool below = r + 1 == p_ || forwards[static_cast<std::size_t>(r) + 1] != 0;
      forwards[static_cast<std::size_t>(r)] = below && at(r).forwards < m_ && wants_forward(r);
    }
    for (int r = 0; r < p_; ++r) {
      if (forwards[static_cast<std::size_t>(r)] == 0) continue;
      const Rank& rank = at(r);
      while (rank.halves + kForwardHalves > rank.most_halves) {
        SLUICE_CHECK(rank.has_weight());
        weight(r);
      }
      if (r > 0) fill(r, forward_arrival(r));
      forward(r);
    }
    for (int r = p_ - 1; r >= 0; --r) {
      SLUICE_CHECK(at(r).inputs == i);
      if (r + 1 < p_) fill(r, input_arrival(r));
      while (r == 0 && at(r).forwards == m_ && at(r).has_weight()) weight(r);
      input(r);
    }
  }

  [[nodiscard]] bool wants_forward(int r) const {
    const Rank& rank = at(r);
    if (!habits_.input_first || r + 1 == p_) return true;
    const Rank& below = at(r + 1);
    if (rank.forwards < below.forwards + 2) return true;
    const double gradient = below.now + below.cost.forward_ms + below.cost.input_grad_ms + hop_;
    if (rank.now >= gradient) return false;
    double halves = rank.halves + kForwardHalves;
    double weights = 0;
    for (int k = rank.weights; halves > rank.most_halves && k < rank.inputs; ++k) {
      weights += rank.cost.weight_grad_ms;
      halves -= 1;
    }
    return rank.now + rank.cost.forward_ms + weights <= gradient ||
           gradient - rank.now > worst_idle_ - rank.idle;
  }

  /// Weight gradients until `arrival`; one that reaches beyond it only where waiting would make
  /// this rank the worst, or by habit.
  void fill(int r, double arrival) {
    const Rank& rank = at(r);
    while (rank.has_weight() && rank.now + rank.cost.weight_grad_ms <= arrival) weight(r);
    if (rank.has_weight() && rank.now < arrival &&
        (habits_.fill_short_gaps || arrival - rank.now > worst_idle_ - rank.idle)) {
      weight(r);
    }
  }

  Habits habits_;
  int p_;
  int m_;
  double hop_;
  double worst_idle_ = 0;
  std::vector<Rank> ranks_;
};

/// One limit a rank, in microbatches.
Order order_of(const Placement& placement, int microbatches, const std::vector<Rank>& ranks) {
  OrderBuilder order(placement, microbatches, 3 * static_cast<std::size_t>(microbatches));
  for (const Rank& rank : ranks) {
    for (const Operation& op : rank.list) {
      order.add(op.kind, op.stage, static_cast<int>(op.microbatch));
    }
    order.end_rank();
  }
  return order.take();
}

Result<Order> search(const ScheduleRequest& request, const Placement& placement,
                     const std::vector<double>& limits) {
  for (std::size_t r = 0; r < limits.size(); ++r) {
    if (limits[r] >= 1) continue;
    return error(Code::ScheduleConstraint, "pipeline.schedule.memory_limit",
                 "zb_auto: rank " + std::to_string(r) + " may hold " + short_number(limits[r]) +
                     " microbatches, but a forward alone needs 1",
                 "give it at least 1; " + std::to_string(request.ranks) + " is the memory of 1F1B");
  }
  std::optional<Greedy> best;
  for (const bool late_first_input : {true, false}) {
    for (const bool input_first : {true, false}) {
      for (const bool fill_short_gaps : {true, false}) {
        Greedy greedy(request, limits, {late_first_input, input_first, fill_short_gaps});
        greedy.run();
        if (!best || greedy.span() < best->span()) best = std::move(greedy);
      }
    }
  }
  return order_of(placement, request.microbatches, best->ranks());
}

Result<Order> one_p(const ScheduleRequest& request, const Placement& placement) {
  return search(request, placement, memory_limits(request, request.ranks));
}

Result<Order> two_p(const ScheduleRequest& request, const Placement& placement) {
  return search(request, placement, memory_limits(request, 2.0 * request.ranks));
}

}  // namespace

ScheduleInfo zb_auto() {
  ScheduleInfo info;
  info.name = "zb_auto";
  info.family = "zero bubble";
  info.doc = "Searched order for the given times and memory: ZB-1P at p microbatches, ZB-2P at 2p";
  info.parameters = {{.name = "memory_limit",
                      .type = ParameterType::NumberOrList,
                      .otherwise = "ranks",
                      .least = 0,
                      .doc = "Microbatches whose activations a rank may hold; one number, or one a "
                             "rank. An input gradient frees half of its microbatch"}};
  info.split_backward = true;
  info.source =
      "Qi et al. 2024, arXiv 2401.10241; sail-sg/zero-bubble-pipeline-parallelism, zb.py (rule)";
  info.order = one_p;
  return info;
}

ScheduleInfo zb_2p() {
  ScheduleInfo info = zb_auto();
  info.name = "zb_2p";
  info.aliases = {"zb2p"};
  info.doc = "zb_auto with twice the memory of 1F1B: no bubble inside a rank's span";
  info.parameters.front().otherwise = "2 x ranks";
  info.order = two_p;
  return info;
}

}  // namespace sluice

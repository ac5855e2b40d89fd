// ZB-V automatic: two chunks a rank on a V, the backward split, and an order that is searched for
// the given times, transfer and memory. Which pass comes next follows from the V; when the weight
// gradients go in between is what the search tries. Numbers are compared as the public scheduler
// does, so ties fall the same way.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

/// Passes of a microbatch over a rank, in order: forward on the first leg of the V and on the
/// second, input gradient on the second and on the first. Even ones come from the rank above.
enum Pass : int { kForward0, kForward1, kInput1, kInput0 };
constexpr int kPasses = 4;

int leg_of(int pass) {
  return pass == kForward1 || pass == kInput1 ? 1 : 0;
}
bool is_forward(int pass) {
  return pass <= kForward1;
}

/// Memory counts in halves of a chunk's activations: a forward takes two, each gradient gives one
/// back. Source: zbv.py with M_F = 2, M_I = M_W = -1.
constexpr int kForwardHalves = 2;
constexpr double kChunks = 2;

enum class WarmUp {
  /// As many forwards as time and memory have room for.
  Greedy,
  /// What equal stages come to: two more on the first leg than the rank below, whatever the times.
  Shape,
};

struct Habits {
  WarmUp warm_up = WarmUp::Greedy;
  /// Weight gradients in gaps that are too short for them: before second-leg input gradients, and
  /// before forwards.
  bool fill_inputs = true;
  bool fill_forwards = true;
};

struct Work {
  int leg = 0;
  int microbatch = 0;
};

struct Rank {
  std::array<double, kPasses> cost{};
  std::array<double, 2> weight_cost{};
  double most_halves = 0;
  int halves = 0;
  double now = 0;
  /// Time waited since the first forward, less what this rank has less to do than the busiest.
  double idle = 0;
  std::array<std::vector<double>, kPasses> end;
  /// Input gradients done, in order; the first `weights` have had their weight gradient.
  std::vector<Work> inputs;
  std::size_t weights = 0;
  int most_in_flight = 0;
  std::vector<Operation> list;

  [[nodiscard]] int done(int pass) const {
    return static_cast<int>(end[static_cast<std::size_t>(pass)].size());
  }
  [[nodiscard]] bool has_weight() const { return weights < inputs.size(); }
  [[nodiscard]] int forwards() const { return done(kForward0) + done(kForward1); }
};

class Walk {
 public:
  /// `excused`: idle times of an earlier walk. A rank that was idle for less than the worst may now
  /// wait for the difference before it is pressed to fill gaps.
  Walk(const ScheduleRequest& request, const std::vector<double>& limits, Habits habits,
       const std::vector<double>& excused)
      : habits_(habits),
        excused_(excused),
        p_(request.ranks),
        m_(request.microbatches),
        hop_(request.transfer_ms) {
    ranks_.resize(static_cast<std::size_t>(p_));
    for (int r = 0; r < p_; ++r) {
      Rank& rank = at(r);
      const std::array<StageMeans, 2> cost = {request.cost_of(r), request.cost_of(2 * p_ - 1 - r)};
      rank.cost = {cost[0].forward_ms, cost[1].forward_ms, cost[1].input_grad_ms,
                   cost[0].input_grad_ms};
      rank.weight_cost = {cost[0].weight_grad_ms, cost[1].weight_grad_ms};
      rank.most_halves = kForwardHalves * kChunks * limits[static_cast<std::size_t>(r)];
      double work = 0;
      for (const StageMeans& c : cost) work += c.forward_ms + c.input_grad_ms + c.weight_grad_ms;
      rank.idle = m_ * work;
      most_excused_ = std::max(most_excused_, excused[static_cast<std::size_t>(r)]);
    }
    double busiest = 0;
    for (const Rank& rank : ranks_) busiest = std::max(busiest, rank.idle);
    for (Rank& rank : ranks_) rank.idle -= busiest;
  }

  /// Whether the habits and the memory led to a complete order.
  bool run() {
    if (!descend() || !even_out()) return false;
    for (int i = 0; i < 2 * m_; ++i) {
      if (!inputs() || !forwards()) return false;
    }
    for (int r = 0; r < p_; ++r) {
      while (at(r).has_weight()) weight(r);
    }
    return true;
  }

  [[nodiscard]] double worst_idle() const { return worst_idle_; }
  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }

 private:
  Rank& at(int r) { return ranks_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const Rank& at(int r) const { return ranks_[static_cast<std::size_t>(r)]; }

  /// The rank that a pass comes from, or -1 where it starts or turns round.
  [[nodiscard]] int source(int r, int pass) const {
    const int from = pass % 2 == 0 ? r - 1 : r + 1;
    return from < p_ ? from : -1;
  }
  /// Whether the neighbour has done its part of this rank's next operation of the pass.
  [[nodiscard]] bool arrived(int r, int pass) const {
    const int from = source(r, pass);
    return from < 0 || at(from).done(pass) > at(r).done(pass);
  }
  [[nodiscard]] double arrival(int r, int pass) const {
    const int from = source(r, pass);
    const auto j = static_cast<std::size_t>(at(r).done(pass));
    return from < 0 ? at(r).now : at(from).end[static_cast<std::size_t>(pass)][j] + hop_;
  }

  void append(int r, OpKind kind, int leg, int microbatch) {
    const int stage = leg == 0 ? r : 2 * p_ - 1 - r;
    at(r).list.push_back({.kind = kind,
                          .slice = 0,
                          .stage = static_cast<std::uint16_t>(stage),
                          .microbatch = static_cast<std::uint32_t>(microbatch)});
  }

  [[nodiscard]] bool put(int r, int pass) {
    Rank& rank = at(r);
    const int j = rank.done(pass);
    if (j >= m_ || (pass > 0 && rank.done(pass - 1) <= j) || !arrived(r, pass)) return false;
    if (is_forward(pass) && rank.halves + kForwardHalves > rank.most_halves) return false;
    const double cost = rank.cost[static_cast<std::size_t>(pass)];
    const double unhindered = rank.now + cost;
    rank.now = std::max(unhindered, arrival(r, pass) + cost);
    if (rank.done(kForward0) > 0) rank.idle += rank.now - unhindered;
    worst_idle_ = std::max(worst_idle_, rank.idle);
    rank.end[static_cast<std::size_t>(pass)].push_back(rank.now);
    append(r, is_forward(pass) ? OpKind::Forward : OpKind::InputGrad, leg_of(pass), j);
    rank.halves += is_forward(pass) ? kForwardHalves : -1;
    if (!is_forward(pass)) rank.inputs.push_back({leg_of(pass), j});
    rank.most_in_flight =
        std::max(rank.most_in_flight, rank.forwards() - static_cast<int>(rank.inputs.size()));
    return true;
  }

  void weight(int r) {
    Rank& rank = at(r);
    const Work work = rank.inputs[rank.weights++];
    rank.now += rank.weight_cost[static_cast<std::size_t>(work.leg)];
    rank.halves -= 1;
    append(r, OpKind::WeightGrad, work.leg, work.microbatch);
  }

  /// First forwards: down the first leg, and back up, rank by rank, with more first-leg forwards
  /// on all ranks above while one waits.
  [[nodiscard]] bool descend() {
    for (int r = 0; r < p_; ++r) {
      if (!put(r, kForward0)) return false;
    }
    if (!put(p_ - 1, kForward1)) return false;
    for (int r = p_ - 2; r >= 0; --r) {
      while (at(r).done(kForward0) < m_ && wants_another(r)) {
        for (int up = 0; up <= r; ++up) {
          if (!put(up, kForward0)) return false;
        }
      }
      if (!put(r, kForward1)) return false;
    }
    return true;
  }

  [[nodiscard]] bool wants_another(int r) const {
    const Rank& rank = at(r);
    if (habits_.warm_up == WarmUp::Shape) {
      return rank.done(kForward0) < at(r + 1).done(kForward0) + 2;
    }
    // Each rank above has to take one of both legs before the first input gradient is there.
    const int still_needed = kForwardHalves * (2 + 2 * r);
    for (int up = 0; up <= r; ++up) {
      if (at(up).halves + still_needed > at(up).most_halves) return false;
    }
    return rank.now + rank.cost[kForward0] <= arrival(r, kForward1);
  }

  /// Forwards of both legs in turn until each rank has as many as the one above, and more of the
  /// second leg: then the input gradients follow each other without a gap.
  [[nodiscard]] bool even_out() {
    int pass = kForward0;
    for (int r = 1; r < p_; ++r) {
      const Rank& above = at(r - 1);
      while (at(r).forwards() < above.forwards() ||
             (at(r).done(kForward1) <= above.done(kForward1) && above.done(kForward1) < m_)) {
        for (int below = p_ - 1; below >= r; --below) {
          if (at(below).done(pass) < m_ && !put(below, pass)) return false;
        }
        pass = kForward1 - pass;
      }
    }
    return true;
  }

  /// Weight gradients until the input arrives; one that reaches beyond that only where waiting
  /// would make this rank the worst.
  void fill(int r, int pass, bool short_gaps) {
    if (source(r, pass) < 0 || !arrived(r, pass)) return;
    const Rank& rank = at(r);
    const double until = arrival(r, pass);
    const auto next_weight = [&] {
      return rank.weight_cost[static_cast<std::size_t>(rank.inputs[rank.weights].leg)];
    };
    while (rank.has_weight() && until >= rank.now + next_weight()) weight(r);
    const double excuse = most_excused_ - excused_[static_cast<std::size_t>(r)];
    if (short_gaps && rank.has_weight() &&
        until - rank.now > std::max(worst_idle_, excuse) - rank.idle) {
      weight(r);
    }
  }

  /// One input gradient a rank: of the first leg if its turn has come, else of the second.
  [[nodiscard]] bool inputs() {
    std::vector<int> first_leg;
    std::vector<int> second_leg;
    for (int r = 0; r < p_; ++r) {
      const Rank& rank = at(r);
      const bool first = rank.done(kInput0) < rank.done(kInput1) &&
                         (arrived(r, kInput0) || rank.done(kInput1) >= m_);
      (first ? first_leg : second_leg).push_back(r);
    }
    for (auto r = first_leg.rbegin(); r != first_leg.rend(); ++r) {
      fill(*r, kInput0, true);
      if (!put(*r, kInput0)) return false;
    }
    for (const int r : second_leg) {
      fill(r, kInput1, habits_.fill_inputs);
      if (!put(r, kInput1)) return false;
    }
    return true;
  }

  /// At most one forward a rank, of the second leg if it can be.
  [[nodiscard]] bool forwards() {
    for (int r = 0; r < p_; ++r) {
      const Rank& rank = at(r);
      if (rank.done(kForward1) >= m_) continue;
      int pass = kForward1;
      if (rank.done(kForward1) >= rank.done(kForward0)) {
        pass = kForward0;
      } else if (!arrived(r, kForward1)) {
        if (rank.done(kForward0) >= m_ || !arrived(r, kForward0)) continue;
        pass = kForward0;
      }
      while (rank.halves + kForwardHalves > rank.most_halves) {
        if (!rank.has_weight()) return false;
        weight(r);
      }
      fill(r, pass, habits_.fill_forwards);
      if (!put(r, pass)) return false;
    }
    return true;
  }

  Habits habits_;
  std::vector<double> excused_;
  int p_;
  int m_;
  double hop_;
  double worst_idle_ = 0;
  double most_excused_ = 0;
  std::vector<Rank> ranks_;
};

/// One limit a rank, in microbatches on both legs.
/// The walk, repeated with the idle times of the last one excused while that makes it better.
std::optional<Walk> refined(const ScheduleRequest& request, const std::vector<double>& limits,
                            Habits habits) {
  std::vector<double> excused(static_cast<std::size_t>(request.ranks), 0);
  std::optional<Walk> best;
  for (;;) {
    Walk walk(request, limits, habits, excused);
    if (!walk.run() || (best && walk.worst_idle() >= best->worst_idle())) return best;
    for (std::size_t r = 0; r < excused.size(); ++r) excused[r] = walk.ranks()[r].idle;
    best = std::move(walk);
  }
}

/// What the V needs at least: its warm-up, with each weight gradient right behind its input
/// gradient.
Diagnostic too_little(const ScheduleRequest& request, const std::vector<double>& limits) {
  const std::vector<double> unlimited(limits.size(), request.microbatches);
  Walk walk(request, unlimited, {WarmUp::Shape, true, true}, std::vector<double>(limits.size(), 0));
  SLUICE_CHECK(walk.run());
  for (std::size_t r = 0; r < limits.size(); ++r) {
    const double needs = walk.ranks()[r].most_in_flight / kChunks;
    if (limits[r] >= needs) continue;
    return error(Code::ScheduleConstraint, "pipeline.schedule.memory_limit",
                 "zb_v_auto: rank " + std::to_string(r) + " may hold " + short_number(limits[r]) +
                     " microbatches (of two chunks each), but the order needs " +
                     short_number(needs),
                 "v_half and v_min are made for less");
  }
  SLUICE_CHECK(false);
}

Result<Order> search(const ScheduleRequest& request, const Placement& placement) {
  const std::vector<double> limits = memory_limits(request, request.ranks);
  std::optional<Walk> best;
  for (const WarmUp warm_up : {WarmUp::Greedy, WarmUp::Shape}) {
    for (const bool fill_inputs : {true, false}) {
      for (const bool fill_forwards : {true, false}) {
        std::optional<Walk> walk = refined(request, limits, {warm_up, fill_inputs, fill_forwards});
        if (walk && (!best || walk->worst_idle() < best->worst_idle())) best = std::move(walk);
      }
    }
  }
  if (!best) return too_little(request, limits);
  OrderBuilder order(placement, request.microbatches,
                     6 * static_cast<std::size_t>(request.microbatches));
  for (const Rank& rank : best->ranks()) {
    for (const Operation& op : rank.list) {
      order.add(op.kind, op.stage, static_cast<int>(op.microbatch));
    }
    order.end_rank();
  }
  return order.take();
}

}  // namespace

ScheduleInfo zb_v_auto() {
  ScheduleInfo info;
  info.name = "zb_v_auto";
  info.aliases = {"zbv_auto"};
  info.family = "zero bubble, V";
  info.doc = "ZB-V searched for the given times: for stages whose F, I and W differ";
  info.parameters = {{.name = "memory_limit",
                      .type = ParameterType::NumberOrList,
                      .otherwise = "ranks",
                      .least = 0,
                      .doc = "Microbatches whose activations, of two chunks each, a rank may hold; "
                             "one number, or one a rank"}};
  info.constraints = {kTwoChunks};
  info.split_backward = true;
  info.source =
      "Qi et al. 2024, arXiv 2401.10241; sail-sg/zero-bubble-pipeline-parallelism, zbv.py (rule)";
  info.placement = v_shape;
  info.order = search;
  return info;
}

}  // namespace sluice

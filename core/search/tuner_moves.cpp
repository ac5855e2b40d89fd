// What one step of the tuner changes: boundaries, ranks of stages, habits; and of an order, the
// place of one operation.
#include <algorithm>
#include <cstddef>

#include "base/det_math.hpp"
#include "base/rng.hpp"
#include "search/balance.hpp"
#include "search/tuner.hpp"

namespace sluice {
namespace {

// Of 100: how often each move is tried. Source: specification of OctoPipe, section 4; exchanges of
// ranks with a new cut are ours.
constexpr std::uint64_t kBoundary = 50;
constexpr std::uint64_t kChain = 70;
constexpr std::uint64_t kSwap = 78;
constexpr std::uint64_t kSwapAndCut = 82;

/// Eighths: beyond this every stage but the first has one microbatch in flight.
constexpr std::int32_t kMostTaper = 16;

// A number below `n` from random bits, the next one from what is left of them.
std::uint32_t take(std::uint64_t& bits, std::uint64_t n) {
  const std::uint64_t value = bits % n;
  bits /= n;
  return static_cast<std::uint32_t>(value);
}

bool least_kept(const Instance& instance, const Layout& layout, std::size_t stage) {
  return layout.cuts[stage + 1] - layout.cuts[stage] >=
         fewest_layers(instance, stage, layout.stages());
}

}  // namespace

bool Tuner::move(State& state, Walk& walk) {
  std::uint64_t bits = random(walk.id, walk.iteration, 0);
  const Layout layout = state.layout;
  const Habits habits = state.habits;
  const bool partition = request_.axes.partition && instance_.movable && layout.stages() > 1;
  const bool placement = request_.axes.placement && instance_.movable && instance_.ranks > 1;
  const std::uint32_t what = take(bits, 100);
  if (what < kBoundary && partition) {
    move_boundary(state, bits);
  } else if (what < kChain && partition) {
    shift_chain(state);
  } else if (what < kSwapAndCut && placement) {
    swap_stages(state, bits);
    if (what >= kSwap && partition)
      state.layout.cuts = even_cuts(instance_, state.layout.rank_of_stage);
  } else if (request_.axes.schedule) {
    change_habits(state, bits);
  }
  return !(state.layout == layout && state.habits == habits);
}

void Tuner::move_boundary(State& state, std::uint64_t bits) const {
  Layout& layout = state.layout;
  const std::size_t cut = 1 + take(bits, layout.stages() - 1);
  const int by = take(bits, 2) == 0 ? 1 : -1;
  layout.cuts[cut] += by;
  if (!least_kept(instance_, layout, cut - 1) || !least_kept(instance_, layout, cut))
    layout.cuts[cut] -= by;
}

// From the busiest rank to the idlest: each boundary between one stage of each moves by a layer.
void Tuner::shift_chain(State& state) const {
  Layout& layout = state.layout;
  std::vector<std::int64_t> work(static_cast<std::size_t>(instance_.ranks), 0);
  for (std::size_t s = 0; s < layout.stages(); ++s) {
    work[layout.rank_of_stage[s]] += instance_.load(layout, s).work();
  }
  const auto [least, most] = std::minmax_element(work.begin(), work.end());
  const auto from_rank = static_cast<std::uint16_t>(most - work.begin());
  const auto to_rank = static_cast<std::uint16_t>(least - work.begin());
  // The two that lie nearest to each other.
  std::size_t from = layout.stages();
  std::size_t to = 0;
  std::size_t distance = layout.stages();
  for (std::size_t a = 0; a < layout.stages(); ++a) {
    if (layout.rank_of_stage[a] != from_rank) continue;
    for (std::size_t b = 0; b < layout.stages(); ++b) {
      const std::size_t apart = a < b ? b - a : a - b;
      if (layout.rank_of_stage[b] != to_rank || apart >= distance) continue;
      from = a;
      to = b;
      distance = apart;
    }
  }
  if (from == layout.stages() || from == to) return;
  const std::vector<std::int32_t> before = layout.cuts;
  for (std::size_t c = std::min(from, to) + 1; c <= std::max(from, to); ++c)
    layout.cuts[c] += from < to ? -1 : 1;
  for (std::size_t s = 0; s < layout.stages(); ++s) {
    if (!least_kept(instance_, layout, s)) layout.cuts = before;
  }
}

// Two stages change ranks; or two ranks all their stages, which keeps a loop or a zig-zag one.
void Tuner::swap_stages(State& state, std::uint64_t bits) const {
  std::vector<std::uint16_t>& ranks = state.layout.rank_of_stage;
  if (take(bits, 2) == 0) {
    const std::uint32_t one = take(bits, ranks.size());
    const std::uint32_t other = take(bits, ranks.size());
    std::swap(ranks[one], ranks[other]);
    return;
  }
  const auto n = static_cast<std::uint64_t>(instance_.ranks);
  const auto a = static_cast<std::uint16_t>(take(bits, n));
  const auto b = static_cast<std::uint16_t>(take(bits, n));
  for (std::uint16_t& r : ranks) r = r == a ? b : r == b ? a : r;
}

void Tuner::change_habits(State& state, std::uint64_t bits) const {
  Habits& h = state.habits;
  const auto ranks = static_cast<std::int32_t>(instance_.ranks);
  switch (take(bits, 9)) {
    case 0:
    case 1: {
      const auto by = static_cast<std::int32_t>(1 + take(bits, 2));
      h.in_flight = std::clamp(h.in_flight + (take(bits, 2) == 0 ? by : -by), 1,
                               static_cast<std::int32_t>(instance_.microbatches));
      break;
    }
    case 2:
      h.prefers = static_cast<Prefers>(take(bits, 3));
      break;
    case 3:
      h.deep_forward = !h.deep_forward;
      break;
    case 4:
      h.deep_backward = !h.deep_backward;
      break;
    case 5:
      h.guarded = !h.guarded;
      break;
    case 6:
    case 7:
      h.taper = std::clamp(h.taper + (take(bits, 2) == 0 ? 1 : -1), 0, kMostTaper);
      break;
    default:
      if (!h.split) return;
      h.put_off =
          take(bits, 3) == 0
              ? Habits{}.put_off
              : static_cast<std::int32_t>(1 + take(bits, 2U * static_cast<std::uint64_t>(ranks)));
  }
}

std::vector<std::uint32_t> critical_path(const OrderGraph& graph) {
  std::uint32_t last = 0;
  for (std::uint32_t n = 0; n < graph.nodes(); ++n) {
    if (graph.end(n) > graph.end(last)) last = n;
  }
  std::vector<std::uint32_t> path;
  for (std::uint32_t n = last; n != OrderGraph::kNoNode; n = graph.binding(n)) path.push_back(n);
  return path;
}

void Tuner::exchange(std::uint64_t bits, std::uint64_t chance_bits) {
  OrderGraph& graph = *graph_;
  // Mostly an operation that the critical path waits with, sometimes any.
  const bool anywhere = take(bits, 8) == 0;
  const std::uint32_t node = anywhere ? take(bits, graph.nodes()) : path_[take(bits, path_.size())];
  const std::uint32_t far = take(bits, 4) == 0 ? 2 + take(bits, 6) : 1;
  const bool earlier = take(bits, 4) != 0;
  std::uint32_t moved = 0;
  for (; moved < far; ++moved) {
    const std::uint32_t first = earlier ? graph.before(node) : node;
    if (first == OrderGraph::kNoNode || !graph.swap_with_next(first)) break;
  }
  if (moved == 0) return;
  const std::int64_t makespan = graph.makespan();
  const auto worse = static_cast<double>(makespan - repair_now_);
  const double chance = worse <= 0 ? 1 : det::exp(-worse / temperature_);
  const double drawn = uniform01(static_cast<std::uint32_t>(chance_bits >> 32),
                                 static_cast<std::uint32_t>(chance_bits));
  FoundPlan& plan = finalists_[finalist_];
  if (drawn >= chance || !fits(graph, plan.layout, graph.rank(node))) {
    for (; moved > 0; --moved) graph.swap_with_next(earlier ? node : graph.before(node));
    return;
  }
  repair_now_ = makespan;
  path_.clear();
  if (makespan >= repair_best_) return;
  repair_best_ = makespan;
  plan.order = graph.order();
  plan.makespan = makespan;
  if (!plan.origin.ends_with("+")) plan.origin += "+";
  if (!best_ || makespan < best_->makespan) {
    best_ = plan;
    ++version_;
  }
}

}  // namespace sluice

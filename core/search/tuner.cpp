#include "search/tuner.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/det_math.hpp"
#include "base/rng.hpp"
#include "base/stable_order.hpp"
#include "schedule/placement.hpp"
#include "search/balance.hpp"

namespace sluice {
namespace {

/// Shares of the evaluations that annealing has used when it ends, and known schedules at most.
constexpr double kAnnealingShare = 0.5;
constexpr std::size_t kKnownLayouts = 6;
constexpr std::size_t kFinalists = 3;
constexpr int kRounds = 3;
/// Share of a makespan by which a worse state is taken at first, and what is left of that at the
/// end of a round. Source: specification of OctoPipe, section 4.
constexpr double kFirstTemperature = 0.012;
constexpr double kTemperatureLeft = 0.01;
constexpr double kRepairTemperature = 0.002;
/// An exchange times a part of the graph: so many take about as long as timing an order.
constexpr std::uint32_t kExchanges = 8;

constexpr Prefers kPreferences[] = {Prefers::Backward, Prefers::Forward, Prefers::Alternate};
/// Microbatches in flight that the grid tries, in quarters of the ranks; the same for all stages,
/// or less with each; and what memory and weight gradients may do.
constexpr int kInFlightQuarters[] = {2, 3, 4, 6, 8};
constexpr std::size_t kLimits = std::size(kInFlightQuarters);
constexpr std::size_t kManners = 3;
constexpr std::size_t kGrid = std::size(kPreferences) * kLimits * 2 * kManners;
/// Of all evaluations, what the grid may take; it is thinned out where it would be more.
constexpr double kSeedingShare = 0.25;

}  // namespace

Tuner::Tuner(const Instance& instance, TunerRequest request)
    : instance_(instance), request_(std::move(request)), scheduler_(instance) {
  plan_walks();
  const double most = kSeedingShare * static_cast<double>(request_.evaluations);
  // Prime to every dimension of the grid, so that each still meets all its values.
  constexpr std::size_t kStrides[] = {1, 7, 11, 13, 17, 23, 31};
  for (const std::size_t stride : kStrides) {
    stride_ = stride;
    if (static_cast<double>(walks_.size() * (kGrid / stride + 1)) <= most) break;
  }
}

bool Tuner::step(std::uint64_t evaluations) {
  for (std::uint64_t i = 0; i < evaluations && phase_ != Phase::Over; ++i) advance();
  return phase_ == Phase::Over;
}

void Tuner::advance() {
  if (done_ >= request_.evaluations && best_) {
    phase_ = Phase::Over;
    return;
  }
  ++done_;
  switch (phase_) {
    case Phase::Seeding:
      return seed_one();
    case Phase::Annealing:
      return anneal_one();
    case Phase::Known:
      return known_one();
    case Phase::Repair:
      return repair_one();
    case Phase::Over:
      return;
  }
}

std::uint64_t Tuner::random(std::uint64_t stream, std::uint32_t count, std::uint32_t number) const {
  const PhiloxBlock block = draw({.seed = request_.seed,
                                  .purpose = Purpose::Search,
                                  .entity = stream,
                                  .microbatch = count,
                                  .number = number});
  return (std::uint64_t{block[0]} << 32) | block[1];
}

// --- seeding

void Tuner::plan_walks() {
  const auto add = [&](Layout layout) {
    for (const bool split : {true, false}) {
      if (split && !request_.axes.schedule) continue;
      Walk walk;
      walk.id = walks_.size() + 1;
      walk.now.layout = layout;
      walk.now.habits.split = split;
      walk.now.value = walk.best.value = static_cast<double>(kUnlimited);
      walks_.push_back(std::move(walk));
    }
  };
  if (!instance_.movable) {
    for (std::size_t f = 0; f < instance_.fixed.size(); ++f) {
      Layout layout;
      layout.rank_of_stage = instance_.fixed[f].rank_of_stage;
      layout.fixed = static_cast<std::uint16_t>(f);
      add(std::move(layout));
      if (!request_.axes.placement) break;
    }
    return;
  }
  const int most_chunks = request_.axes.placement ? request_.chunks : 1;
  for (int chunks = 1; chunks <= most_chunks; ++chunks) {
    const int stages = chunks * instance_.ranks;
    if (stages > kMaxStages || stages > instance_.layers) break;
    for (const bool loop : {true, false}) {
      if (!loop && (chunks == 1 || instance_.ranks == 1)) continue;
      Layout layout;
      layout.rank_of_stage = (loop ? loop_placement(instance_.ranks, chunks)
                                   : zigzag_placement(instance_.ranks, chunks))
                                 .rank_of_stage;
      if (!request_.axes.partition) {
        layout.cuts = uniform_cuts(instance_.layers, layout.stages());
        add(std::move(layout));
        continue;
      }
      layout.cuts = even_cuts(instance_, layout.rank_of_stage);
      add(layout);
      if (chunks > 1) continue;
      Layout balanced = layout;
      balanced.cuts = balanced_cuts(instance_, layout.rank_of_stage);
      if (!(balanced == layout)) add(std::move(balanced));
    }
  }
  for (const Layout& seed : request_.seeds) add(seed);
}

void Tuner::seed_one() {
  Walk& walk = walks_[walk_];
  State state;
  state.layout = walk.now.layout;
  Habits& h = state.habits;
  h.split = walk.now.habits.split;
  constexpr int kWhole = 8;
  const auto stages = static_cast<int>(state.layout.stages());
  std::size_t at = grid_;
  const auto take = [&](std::size_t n) {
    const std::size_t value = at % n;
    at /= n;
    return value;
  };
  h.prefers = kPreferences[take(std::size(kPreferences))];
  constexpr int kQuarters = 4;
  h.in_flight = std::max(1, kInFlightQuarters[take(kLimits)] * instance_.ranks / kQuarters);
  if (take(2) == 1) h.taper = kWhole * h.in_flight / stages;
  const std::size_t manner = take(kManners);
  h.guarded = manner > 0;
  if (manner > 1) h.put_off = 1;
  if (!request_.axes.schedule) {
    // As 1F1B has them.
    h = {.split = false, .in_flight = instance_.ranks, .taper = kWhole * instance_.ranks / stages};
    grid_ = kGrid;
  }
  value(state);
  if (state.value < walk.best.value) walk.best = state;
  grid_ += stride_;
  if (grid_ < kGrid) return;
  grid_ = 0;
  walk.now = walk.best;
  if (++walk_ < walks_.size()) return;
  begin_round();
}

void Tuner::value(State& state) {
  state.played = scheduler_.play(state.layout, state.habits);
  state.value = static_cast<double>(state.played.makespan);
  if (state.played.makespan == kUnlimited) return;
  weigh(state);
  if (state.played.overflow == 0) note(state);
}

// What passes memory counts more from round to round, so that the last ones end where all fits.
void Tuner::weigh(State& state) const {
  constexpr double kWeights[] = {1, 1, 5, 30};
  state.value =
      static_cast<double>(state.played.makespan) * (1 + kWeights[round_] * state.played.overflow);
}

// A play that fits and beats the best so far.
void Tuner::note(const State& state) {
  if (best_ && state.played.makespan >= best_->makespan) return;
  best_ = FoundPlan{state.layout, scheduler_.order(), state.played.makespan, "list"};
  ++version_;
}

// --- annealing

void Tuner::begin_round() {
  if (round_ == 0) {
    // A layout that gets stuck whatever the habits.
    std::erase_if(walks_, [](const Walk& w) { return w.best.layout.stages() == 0; });
  } else {
    sort_stably(walks_, [](const Walk& a, const Walk& b) { return a.best.value < b.best.value; });
    walks_.resize((2 * walks_.size() + 2) / 3);
  }
  if (walks_.empty() || round_ == kRounds) {
    plan_known();
    return;
  }
  const auto until = static_cast<double>(request_.evaluations) * kAnnealingShare;
  const double left = std::max(0.0, until - static_cast<double>(done_));
  const double per_walk = left / (kRounds - round_) / static_cast<double>(walks_.size());
  round_length_ = static_cast<std::uint32_t>(per_walk);
  if (round_length_ == 0) {
    plan_known();
    return;
  }
  ++round_;
  for (Walk& walk : walks_) weigh(walk.best);
  walk_ = 0;
  phase_ = Phase::Annealing;
  cooling_ = det::exp(det::log(kTemperatureLeft) / per_walk);
  temperature_ = 0;
}

void Tuner::anneal_one() {
  Walk& walk = walks_[walk_];
  if (temperature_ == 0) {
    // Each round goes on from the best that the walk has seen.
    walk.now = walk.best;
    temperature_ = start_temperature_ = kFirstTemperature * walk.now.value;
  }
  State next = walk.now;
  ++walk.iteration;
  if (move(next, walk)) {
    value(next);
    const double worse = next.value - walk.now.value;
    const double chance = worse <= 0 ? 1 : det::exp(-worse / temperature_);
    const std::uint64_t bits = random(walk.id, walk.iteration, 1);
    if (uniform01(static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits)) <
        chance)
      walk.now = next;
    if (next.value < walk.best.value) walk.best = std::move(next);
  }
  temperature_ *= cooling_;
  if (temperature_ > start_temperature_ * kTemperatureLeft) return;
  temperature_ = 0;
  if (++walk_ == walks_.size()) begin_round();
}

// --- known schedules

void Tuner::plan_known() {
  phase_ = Phase::Known;
  for (const Walk& walk : walks_) {
    FoundPlan plan;
    plan.layout = walk.best.layout;
    const Played played = scheduler_.play(walk.best.layout, walk.best.habits);
    plan.makespan = played.makespan;
    plan.order = scheduler_.order();
    plan.origin = "list";
    if (played.overflow == 0) keep(std::move(plan));
  }
  if (best_) keep(*best_);
  // Besides where walks ended: what a plain cut of one stage a rank gives.
  const auto add = [&](const Layout& layout) {
    const bool there =
        std::find(known_layouts_.begin(), known_layouts_.end(), layout) != known_layouts_.end();
    if (!there && known_layouts_.size() < kKnownLayouts) known_layouts_.push_back(layout);
  };
  for (const Layout& seed : request_.seeds) add(seed);
  if (best_) add(best_->layout);
  if (!instance_.movable) {
    for (std::size_t f = 0; f < instance_.fixed.size(); ++f) {
      Layout layout;
      layout.rank_of_stage = instance_.fixed[f].rank_of_stage;
      layout.fixed = static_cast<std::uint16_t>(f);
      add(layout);
      if (!request_.axes.placement) break;
    }
  } else if (instance_.layers >= instance_.ranks) {
    Layout plain;
    plain.rank_of_stage = loop_placement(instance_.ranks, 1).rank_of_stage;
    plain.cuts = request_.axes.partition ? balanced_cuts(instance_, plain.rank_of_stage)
                                         : uniform_cuts(instance_.layers, plain.stages());
    add(plain);
  }
  for (const Walk& walk : walks_) add(walk.best.layout);
  static constexpr std::string_view kNames[] = {"1f1b",  "zb_h1", "zb_auto", "eager_1f1b",
                                                "gpipe", "zb_h2", "zb_v",    "interleaved_1f1b",
                                                "v_half"};
  for (std::size_t l = 0; l < known_layouts_.size(); ++l) {
    for (const std::string_view name : kNames) attempts_.push_back({name, l});
  }
  if (!request_.axes.schedule) attempts_.clear();
  if (attempts_.empty()) plan_repairs();
}

void Tuner::known_one() {
  const Attempt& attempt = attempts_[attempt_];
  const Layout& layout = known_layouts_[attempt.layout];
  const std::optional<Order> order = known_order(instance_, layout, attempt.schedule);
  if (order) {
    OrderGraph graph(*order, times_of(instance_, layout));
    if (graph.evaluate() && fits(graph, layout))
      keep({layout, *order, graph.makespan(), std::string(attempt.schedule)});
  }
  if (++attempt_ == attempts_.size()) plan_repairs();
}

bool Tuner::fits(const OrderGraph& graph, const Layout& layout) const {
  for (int r = 0; r < instance_.ranks; ++r) {
    if (!fits(graph, layout, r)) return false;
  }
  return true;
}

bool Tuner::fits(const OrderGraph& graph, const Layout& layout, int rank) const {
  std::int64_t held = graph.peak_activation(rank);
  for (std::size_t s = 0; s < layout.stages(); ++s) {
    if (layout.rank_of_stage[s] == rank) held += instance_.load(layout, s).resident;
  }
  return held <= instance_.memory[static_cast<std::size_t>(rank)];
}

void Tuner::keep(FoundPlan plan) {
  if (!best_ || plan.makespan < best_->makespan) {
    best_ = plan;
    ++version_;
  }
  for (const FoundPlan& other : finalists_) {
    if (other.order == plan.order && other.layout == plan.layout) return;
  }
  finalists_.push_back(std::move(plan));
}

// --- exchanges

void Tuner::plan_repairs() {
  sort_stably(finalists_,
              [](const FoundPlan& a, const FoundPlan& b) { return a.makespan < b.makespan; });
  if (finalists_.size() > kFinalists) finalists_.resize(kFinalists);
  const std::uint64_t left = request_.evaluations > done_ ? request_.evaluations - done_ : 0;
  repair_length_ = finalists_.empty() ? 0 : left / finalists_.size();
  if (repair_length_ == 0 || !request_.axes.schedule) {
    phase_ = Phase::Over;
    return;
  }
  phase_ = Phase::Repair;
  finalist_ = 0;
}

void Tuner::repair_one() {
  if (!graph_) {
    const FoundPlan& plan = finalists_[finalist_];
    graph_.emplace(plan.order, times_of(instance_, plan.layout));
    graph_->evaluate();
    repair_now_ = repair_best_ = graph_->makespan();
    repair_count_ = 0;
    path_.clear();
    temperature_ = kRepairTemperature * static_cast<double>(repair_now_);
    cooling_ = det::exp(det::log(kTemperatureLeft) / static_cast<double>(repair_length_));
  }
  const std::uint64_t stream = walks_.size() + 1000 + finalist_;
  const auto count = static_cast<std::uint32_t>(repair_count_);
  for (std::uint32_t i = 0; i < kExchanges; ++i) {
    if (path_.empty()) path_ = critical_path(*graph_);
    exchange(random(stream, count, 2 * i), random(stream, count, 2 * i + 1));
  }
  temperature_ *= cooling_;
  if (++repair_count_ == repair_length_) end_repair();
}

void Tuner::end_repair() {
  graph_.reset();
  if (++finalist_ < finalists_.size()) return;
  sort_stably(finalists_,
              [](const FoundPlan& a, const FoundPlan& b) { return a.makespan < b.makespan; });
  phase_ = Phase::Over;
}

}  // namespace sluice

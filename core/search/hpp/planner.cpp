#include "search/hpp/planner.hpp"

#include <algorithm>
#include <utility>

#include "base/stable_order.hpp"

namespace sluice::hpp {
namespace {

/// More divisions than this are not listed: nodes go in groups.
constexpr std::size_t kMostDivisions = 50'000;

int smallest_factor(int n) {
  for (int f = 2; f * f <= n; ++f) {
    if (n % f == 0) return f;
  }
  return n;
}

}  // namespace

Planner::Planner(const Problem& problem, PlannerOptions options, SyncMs sync_ms)
    : problem_(problem),
      options_(std::move(options)),
      sync_ms_(std::move(sync_ms)),
      times_(problem),
      group_(problem.types.size(), 1) {
  if (!options_.fast_fill && options_.pipelines.fill == Fill::Balanced)
    options_.pipelines.fill = Fill::Exhaustive;
  choose_groups();
  counts_.configurations = divisions_.size();
  if (!options_.cache) phase_ = Phase::Bound;
}

void Planner::choose_groups() {
  while (!divide(kMostDivisions)) {
    std::size_t most = 0;
    const auto groups = [&](std::size_t t) { return problem_.types[t].nodes / group_[t]; };
    for (std::size_t t = 1; t < group_.size(); ++t) {
      if (groups(t) > groups(most)) most = t;
    }
    group_[most] *= smallest_factor(groups(most));
  }
}

// All multisets of parts that make up the nodes; false when there are more than `most`.
bool Planner::divide(std::size_t most) {
  divisions_.clear();
  parts_.clear();
  const std::size_t types = group_.size();
  std::vector<int> all(types);
  for (std::size_t t = 0; t < types; ++t) all[t] = problem_.types[t].nodes / group_[t];
  NodeCounts part(types, 0);
  // Counts up, the last type fastest.
  for (;;) {
    std::size_t t = types;
    while (t > 0 && part[t - 1] == all[t - 1]) part[--t] = 0;
    if (t == 0) break;
    ++part[t - 1];
    const auto kinds = std::count_if(part.begin(), part.end(), [](int n) { return n > 0; });
    if (options_.one_type && kinds > 1) continue;
    parts_.push_back(part);
    if (parts_.size() > most) return false;
  }
  std::vector<std::uint32_t> taken;
  return divide_rest(all, 0, taken, most);
}

bool Planner::divide_rest(std::vector<int>& rest, std::uint32_t from,
                          std::vector<std::uint32_t>& taken, std::size_t most) {
  if (std::all_of(rest.begin(), rest.end(), [](int n) { return n == 0; })) {
    divisions_.push_back({taken, 0});
    return divisions_.size() <= most;
  }
  const std::size_t pipelines =
      options_.single ? 1 : static_cast<std::size_t>(problem_.most_pipelines);
  if (taken.size() == pipelines) return true;
  for (std::uint32_t p = from; p < parts_.size(); ++p) {
    bool fits = true;
    for (std::size_t t = 0; t < rest.size(); ++t) fits = fits && parts_[p][t] <= rest[t];
    if (!fits) continue;
    for (std::size_t t = 0; t < rest.size(); ++t) rest[t] -= parts_[p][t];
    taken.push_back(p);
    const bool few = divide_rest(rest, p, taken, most);
    taken.pop_back();
    for (std::size_t t = 0; t < rest.size(); ++t) rest[t] += parts_[p][t];
    if (!few) return false;
  }
  return true;
}

const std::vector<Pipeline>& Planner::forms_of(std::uint32_t part) {
  const auto plan = [&] {
    NodeCounts nodes = parts_[part];
    for (std::size_t t = 0; t < nodes.size(); ++t) nodes[t] *= group_[t];
    ++counts_.templates;
    return plan_template(problem_, times_, nodes, options_.pipelines, counts_.forms);
  };
  if (!options_.cache) return scratch_.emplace_back(plan());
  const auto known = forms_.find(part);
  return known != forms_.end() ? known->second : forms_.emplace(part, plan()).first->second;
}

std::uint64_t Planner::total() const {
  return (options_.cache ? parts_.size() : 0) + 2 * divisions_.size();
}

bool Planner::step(std::uint64_t units) {
  for (; units > 0 && phase_ != Phase::Over; --units) {
    switch (phase_) {
      case Phase::Plan:
        if (next_ < parts_.size()) forms_of(static_cast<std::uint32_t>(next_));
        ++done_;
        if (++next_ >= parts_.size()) {
          next_ = 0;
          phase_ = Phase::Bound;
        }
        break;
      case Phase::Bound: {
        bound(divisions_[next_]);
        ++done_;
        if (++next_ < divisions_.size()) break;
        std::erase_if(divisions_, [](const Division& d) { return d.bound < 0; });
        if (options_.order) {
          sort_stably(divisions_,
                      [](const Division& a, const Division& b) { return a.bound < b.bound; });
        }
        next_ = 0;
        phase_ = divisions_.empty() ? Phase::Over : Phase::Evaluate;
        break;
      }
      case Phase::Evaluate: {
        const Division& d = divisions_[next_];
        const bool hopeless =
            options_.skip && !plans_.empty() && options_.tolerance * d.bound >= plans_.front().ms;
        // In the order of bounds no later one is better.
        if (hopeless && options_.order) {
          phase_ = Phase::Over;
          break;
        }
        if (!hopeless) evaluate(d);
        ++done_;
        if (++next_ == divisions_.size()) phase_ = Phase::Over;
        break;
      }
      case Phase::Over:
        break;
    }
  }
  if (phase_ == Phase::Over) done_ = total();
  return phase_ == Phase::Over;
}

// Below 0 where a part holds no pipeline.
void Planner::bound(Division& division) {
  scratch_.clear();
  scratch_.reserve(division.parts.size());
  std::vector<const std::vector<Pipeline>*> forms;
  for (const std::uint32_t p : division.parts) {
    forms.push_back(&forms_of(p));
    if (forms.back()->empty()) {
      division.bound = -1;
      return;
    }
  }
  division.bound = split_bound(forms, problem_.global_batch);
}

std::optional<Split> Planner::split(const std::vector<const std::vector<Pipeline>*>& forms) const {
  if (!options_.equal_shares) return split_batch(forms, problem_.global_batch);
  const auto pipelines = static_cast<std::int64_t>(forms.size());
  if (problem_.global_batch % pipelines != 0) return std::nullopt;
  const std::int64_t share = problem_.global_batch / pipelines;
  Split out;
  for (const auto* f : forms) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < f->size(); ++i) {
      const Pipeline& p = (*f)[i];
      if (share % p.micro_batch != 0) continue;
      if (!best ||
          p.time_ms(share / p.micro_batch) < (*f)[*best].time_ms(share / (*f)[*best].micro_batch))
        best = i;
    }
    if (!best) return std::nullopt;
    const Pipeline& p = (*f)[*best];
    out.form.push_back(*best);
    out.microbatches.push_back(share / p.micro_batch);
    out.ms = std::max(out.ms, p.time_ms(out.microbatches.back()));
  }
  return out;
}

void Planner::evaluate(const Division& division) {
  ++counts_.evaluated;
  scratch_.clear();
  scratch_.reserve(division.parts.size());
  std::vector<const std::vector<Pipeline>*> forms;
  for (const std::uint32_t p : division.parts) forms.push_back(&forms_of(p));
  const std::optional<Split> s = split(forms);
  if (!s) return;
  HppPlan plan;
  for (std::size_t r = 0; r < forms.size(); ++r) {
    if (s->microbatches[r] == 0) continue;
    NodeCounts nodes = parts_[division.parts[r]];
    for (std::size_t t = 0; t < nodes.size(); ++t) nodes[t] *= group_[t];
    plan.pipelines.push_back({std::move(nodes), (*forms[r])[s->form[r]], s->microbatches[r]});
  }
  plan.sync_ms = sync_ms_ ? sync_ms_(plan.pipelines) : 0;
  plan.ms = s->ms + plan.sync_ms;
  keep(std::move(plan));
}

void Planner::keep(HppPlan plan) {
  const auto place = std::upper_bound(plans_.begin(), plans_.end(), plan.ms,
                                      [](double ms, const HppPlan& p) { return ms < p.ms; });
  plans_.insert(place, std::move(plan));
  if (plans_.size() > options_.keep) plans_.pop_back();
}

}  // namespace sluice::hpp

#include "search/bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/stable_order.hpp"

namespace sluice {
namespace {

// Least work of a single layer on any kind of rank, longest first.
std::vector<std::int64_t> layer_work(const Instance& instance) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(instance.layers), kUnlimited);
  for (const auto& kind : instance.loads) {
    for (int l = 0; l < instance.layers; ++l) {
      std::int64_t& least = out[static_cast<std::size_t>(l)];
      least = std::min(least, kind[0][instance.place(l, 1)].work());
    }
  }
  sort_stably(out, std::greater<>());
  return out;
}

std::int64_t undivided(const Instance& instance) {
  const std::vector<std::int64_t> work = layer_work(instance);
  const auto ranks = static_cast<std::size_t>(instance.ranks);
  std::int64_t most = work.front();
  if (instance.alike) {
    // In one stage they take least.
    const auto full = (work.size() + ranks - 1) / ranks;
    std::int64_t least = kUnlimited;
    for (const auto& kind : instance.loads)
      least = std::min(least, kind[0][instance.place(0, static_cast<int>(full))].work());
    return std::max(most, least);
  }
  // Stages of written layers take their sum, but for rounding.
  std::int64_t sum = 0;
  for (const std::int64_t w : work) sum += w;
  const auto whole = instance.loads.front()[0][instance.place(0, instance.layers)].work();
  if (instance.loads.size() > 1 || sum > whole + instance.layers) return most;
  for (std::size_t k = 1; k * ranks < work.size(); ++k) {
    std::int64_t shortest = 0;
    for (std::size_t i = k * ranks - k; i <= k * ranks; ++i) shortest += work[i];
    most = std::max(most, shortest - static_cast<std::int64_t>(k) - 1);
  }
  return most;
}

// All together do at least as much as in the placement that needs least. Of plans that hold each
// stage once, every rank does its own work, but that of the first and the last stage goes with
// them: no less than it does in some placement.
InstanceBounds fixed_bounds(const Instance& instance) {
  const auto ranks = static_cast<std::size_t>(instance.ranks);
  std::vector<std::int64_t> least(ranks, kUnlimited);
  std::int64_t total = instance.least_total;
  InstanceBounds out{.work = 0, .chain = kUnlimited, .layers = 0};
  for (const FixedLayout& layout : instance.fixed) {
    std::vector<std::int64_t> work(ranks, 0);
    std::int64_t all = 0;
    std::int64_t way = 0;
    for (std::size_t s = 0; s < layout.loads.size(); ++s) {
      work[layout.rank_of_stage[s]] += layout.loads[s].work();
      all += layout.loads[s].work();
      way += layout.loads[s].way();
    }
    for (std::size_t r = 0; r < ranks; ++r) least[r] = std::min(least[r], work[r]);
    total = std::min(total, all);
    out.chain = std::min(out.chain, way);
  }
  out.chain = std::min(out.chain, instance.least_way);
  out.work = total * instance.microbatches / instance.ranks;
  out.layers = *std::max_element(least.begin(), least.end()) * instance.microbatches;
  return out;
}

}  // namespace

InstanceBounds bounds_of(const Instance& instance) {
  InstanceBounds out;
  const std::int64_t m = instance.microbatches;
  if (!instance.movable) return fixed_bounds(instance);
  // A stage of a kind takes at least `slower` times what it takes on the first kind.
  const auto whole = instance.place(0, instance.layers);
  double speed = 0;
  for (std::size_t k = 0; k < instance.loads.size(); ++k) {
    double slower = 1e300;
    for (std::size_t edges = 0; edges < instance.loads[k].size(); ++edges) {
      const std::vector<StageLoad>& base = instance.loads.front()[edges];
      for (std::size_t i = 0; i < base.size(); ++i) {
        const auto ours = static_cast<double>(instance.loads[k][edges][i].work());
        const auto theirs = static_cast<double>(base[i].work());
        if (theirs > 0) slower = std::min(slower, ours / theirs);
      }
    }
    const auto ranks = std::count(instance.kind_of_rank.begin(), instance.kind_of_rank.end(), k);
    speed += static_cast<double>(ranks) / slower;
    const StageLoad& all = instance.loads[k][3][whole];
    out.chain = k == 0 ? all.way() : std::min(out.chain, all.way());
  }
  const auto total = static_cast<double>(instance.loads.front()[3][whole].work() * m);
  out.work = static_cast<std::int64_t>(total / speed);
  out.layers = undivided(instance) * m;
  return out;
}

}  // namespace sluice

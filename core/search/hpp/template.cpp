#include "search/hpp/template.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/heap.hpp"
#include "base/stable_order.hpp"
#include "cost/cut.hpp"

namespace sluice::hpp {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Times that are this near to each other count as equal: sums of the same terms in another order.
constexpr double kSame = 1e-12;

double ms_of(const StageCurve& curve, int layers) {
  return layers <= static_cast<int>(curve.size()) ? curve[static_cast<std::size_t>(layers) - 1]
                                                  : kNever;
}

struct Offer {
  double ms = 0;
  std::size_t stage = 0;

  static bool before(const Offer& a, const Offer& b) {
    return a.ms != b.ms ? a.ms < b.ms : a.stage < b.stage;
  }
};

// Gives layers one by one to the stage whose offer is least until none is left; `most`: no stage
// takes longer.
template <class OfferOf>
bool give(const std::vector<const StageCurve*>& curves, int layers, double most,
          const OfferOf& offer_of, std::vector<int>& out) {
  out.assign(curves.size(), 1);
  std::vector<Offer> heap;
  const auto offer = [&](std::size_t s) {
    if (ms_of(*curves[s], out[s] + 1) > most) return;
    heap_push(heap, Offer{offer_of(s), s}, Offer::before);
  };
  for (std::size_t s = 0; s < curves.size(); ++s) offer(s);
  for (int left = layers - static_cast<int>(curves.size()); left > 0; --left) {
    if (heap.empty()) return false;
    const std::size_t s = heap_pop(heap, Offer::before).stage;
    ++out[s];
    offer(s);
  }
  return true;
}

double most_of(const std::vector<const StageCurve*>& curves, const std::vector<int>& layers) {
  double most = 0;
  for (std::size_t s = 0; s < curves.size(); ++s)
    most = std::max(most, ms_of(*curves[s], layers[s]));
  return most;
}

// The least sum with no stage above `most`, which some cut keeps.
std::vector<int> cheapest(const std::vector<const StageCurve*>& curves, int layers, double most) {
  std::vector<int> out;
  const auto more = [&](std::size_t s) {
    return ms_of(*curves[s], out[s] + 1) - ms_of(*curves[s], out[s]);
  };
  if (!give(curves, layers, most * (1 + kSame), more, out)) out.clear();
  return out;
}

std::vector<int> balanced(const std::vector<const StageCurve*>& curves, int layers) {
  std::vector<int> out;
  const auto next = [&](std::size_t s) { return ms_of(*curves[s], out[s] + 1); };
  // Finite offers only.
  constexpr double kFinite = std::numeric_limits<double>::max();
  if (!give(curves, layers, kFinite, next, out)) return {};
  return cheapest(curves, layers, most_of(curves, out));
}

std::vector<int> exhaustive(const std::vector<const StageCurve*>& curves, int layers) {
  const auto time = [&](std::size_t s, std::size_t /*from*/, std::size_t count) {
    return count == 0 ? kNever : ms_of(*curves[s], static_cast<int>(count));
  };
  const std::vector<std::int32_t> cut =
      exact_cut(curves.size(), static_cast<std::size_t>(layers), kNever, time);
  return {cut.begin(), cut.end()};
}

std::vector<int> fixed_shares(const std::vector<const StageCurve*>& curves,
                              const std::vector<double>& shares, int layers) {
  // Largest remainder, at least one each.
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<int> out;
  std::vector<double> rest;
  int given = 0;
  for (const double share : shares) {
    const double exact = layers * share / all;
    out.push_back(std::max(1, static_cast<int>(exact)));
    rest.push_back(exact - out.back());
    given += out.back();
  }
  for (; given < layers; ++given) {
    const auto most = static_cast<std::size_t>(
        std::distance(rest.begin(), std::max_element(rest.begin(), rest.end())));
    ++out[most];
    --rest[most];
  }
  for (; given > layers; --given) {
    std::size_t least = out.size();
    for (std::size_t s = 0; s < out.size(); ++s) {
      if (out[s] > 1 && (least == out.size() || rest[s] < rest[least])) least = s;
    }
    if (least == out.size()) return {};
    --out[least];
    ++rest[least];
  }
  for (std::size_t s = 0; s < out.size(); ++s) {
    if (ms_of(*curves[s], out[s]) == kNever) return {};
  }
  return out;
}

/// Stages of one type within a pipeline.
struct TypeStages {
  StageShape shape;
  int stages = 0;
  /// In one node; 0 when a stage fills nodes.
  int in_node = 0;
};

class TemplatePlanner {
 public:
  TemplatePlanner(const Problem& problem, StageTimes& times, const NodeCounts& nodes,
                  const TemplateOptions& options, std::uint64_t& planned)
      : p_(problem), times_(times), nodes_(nodes), options_(options), planned_(planned) {}

  std::vector<Pipeline> plan() {
    std::vector<int> order;
    for (int t = 0; t < static_cast<int>(nodes_.size()); ++t) {
      if (nodes_[static_cast<std::size_t>(t)] > 0) order.push_back(t);
    }
    do {
      for (const std::int64_t m : p_.micro_batches) {
        std::vector<TypeStages> chosen;
        choose(order, m, chosen);
      }
    } while (std::next_permutation(order.begin(), order.end()));
    return front();
  }

 private:
  void choose(const std::vector<int>& order, std::int64_t m, std::vector<TypeStages>& chosen) {
    if (chosen.size() == order.size()) return try_stages(m, chosen);
    const int type = order[chosen.size()];
    const NodeType& node = p_.types[static_cast<std::size_t>(type)];
    const int all = nodes_[static_cast<std::size_t>(type)] * node.devices;
    for (int g = 1; g <= all; ++g) {
      const bool power = (g & (g - 1)) == 0;
      if ((!power && g != all) || all % g != 0) continue;
      if (g < node.devices ? node.devices % g != 0 : g % node.devices != 0) continue;
      if (all / g > p_.layers) continue;
      for (const int t : p_.tensor_sizes) {
        if (t > g || t > node.devices || node.devices % t != 0 || g % t != 0 || m % (g / t) != 0)
          continue;
        if (options_.uniform_stages && !chosen.empty() &&
            chosen.front().shape != StageShape{chosen.front().shape.type, t, g / t})
          continue;
        chosen.push_back({{type, t, g / t}, all / g, g < node.devices ? node.devices / g : 0});
        choose(order, m, chosen);
        chosen.pop_back();
      }
    }
  }

  void try_stages(std::int64_t m, const std::vector<TypeStages>& chosen) {
    int all = 0;
    for (const TypeStages& t : chosen) all += t.stages;
    if (all > p_.layers) return;
    const auto most = static_cast<int>(std::min<std::int64_t>(p_.layers, p_.global_batch / m));
    if (most == 0) return;
    ++planned_;
    Pipeline out;
    out.micro_batch = m;
    curves_.clear();
    rooms_.clear();
    double hops = 0;
    int index = 0;
    const StageShape* before = nullptr;
    for (const TypeStages& t : chosen) {
      for (int s = 0; s < t.stages; ++s, ++index) {
        const bool first = index == 0;
        const bool last = index + 1 == all;
        const StageCurve& curve =
            times_.curve(t.shape, m, first, last, std::min(all - index, most));
        if (curve.empty()) return;
        curves_.push_back(&curve);
        if (options_.fill == Fill::ByMemory)
          rooms_.push_back(t.shape.devices() * times_.figures(t.shape, m, first, last).room);
        if (before != nullptr) {
          const bool same_node = s > 0 && t.in_node > 0 && s % t.in_node != 0;
          out.stages.back().hop_ms = p_.hop_ms(*before, t.shape, same_node, m);
          hops += out.stages.back().hop_ms;
        }
        before = &t.shape;
        out.stages.push_back({.shape = t.shape});
      }
    }
    std::vector<int> layers = fill_layers(curves_, rooms_, p_.layers, options_.fill);
    if (layers.empty()) return;
    add(out, layers, 2 * hops);
    if (options_.fill == Fill::Balanced) trade(out, layers, 2 * hops);
  }

  void add(Pipeline& form, const std::vector<int>& layers, double hops) {
    form.bottleneck_ms = 0;
    form.fill_ms = hops;
    for (std::size_t s = 0; s < layers.size(); ++s) {
      const double ms = ms_of(*curves_[s], layers[s]);
      form.stages[s].layers = layers[s];
      form.stages[s].ms = ms;
      form.bottleneck_ms = std::max(form.bottleneck_ms, ms);
      form.fill_ms += ms;
    }
    found_.push_back(form);
  }

  // Few microbatches gain by a slower stage that makes all together faster. Slower and slower,
  // while the least that the pipeline may get of the batch can gain by it: a quarter of its share
  // of the devices.
  void trade(Pipeline& form, const std::vector<int>& balanced, double hops) {
    constexpr double kFinite = std::numeric_limits<double>::max() / 2;
    const double least = form.fill_ms;
    const std::vector<int> open = cheapest(curves_, p_.layers, kFinite);
    double open_sum = hops;
    for (std::size_t s = 0; s < open.size(); ++s) open_sum += ms_of(*curves_[s], open[s]);
    constexpr double kLeastShare = 0.25;
    const double microbatches = kLeastShare * share() * static_cast<double>(p_.global_batch) /
                                static_cast<double>(form.micro_batch);
    const double lost_by = std::max(0.0, std::floor(microbatches) - 1);
    const double begin = form.bottleneck_ms;
    std::vector<int> layers = balanced;
    while (form.fill_ms > open_sum * (1 + kSame)) {
      // The next time that some stage would take with a layer more.
      double cap = kNever;
      for (std::size_t s = 0; s < layers.size(); ++s) {
        const auto& curve = *curves_[s];
        const auto above =
            std::upper_bound(curve.begin(), curve.end(), form.bottleneck_ms * (1 + kSame));
        if (above != curve.end()) cap = std::min(cap, *above);
      }
      if (cap == kNever || lost_by * (cap - begin) >= least - open_sum) return;
      layers = cheapest(curves_, p_.layers, cap);
      add(form, layers, hops);
      // Where nobody takes the offer the bottleneck stays below it.
      form.bottleneck_ms = std::max(form.bottleneck_ms, cap);
    }
  }

  // Of the cluster's devices.
  [[nodiscard]] double share() const {
    double own = 0;
    double all = 0;
    for (std::size_t t = 0; t < nodes_.size(); ++t) {
      own += nodes_[t] * p_.types[t].devices;
      all += p_.types[t].nodes * p_.types[t].devices;
    }
    return own / all;
  }

  // Whether `a` has done, at every moment, at least as many samples as `b`.
  static bool beats(const Pipeline& a, const Pipeline& b) {
    const std::int64_t until = (b.micro_batch + a.micro_batch - 1) / a.micro_batch;
    return a.rate() >= b.rate() && a.time_ms(until) <= b.fill_ms;
  }

  std::vector<Pipeline> front() {
    sort_stably(found_, [](const Pipeline& a, const Pipeline& b) {
      return a.rate() != b.rate() ? a.rate() > b.rate() : a.fill_ms < b.fill_ms;
    });
    std::vector<Pipeline> out;
    for (Pipeline& p : found_) {
      const auto better = [&](const Pipeline& other) { return beats(other, p); };
      if (std::none_of(out.begin(), out.end(), better)) out.push_back(std::move(p));
    }
    return out;
  }

  const Problem& p_;
  StageTimes& times_;
  const NodeCounts& nodes_;
  const TemplateOptions& options_;
  std::uint64_t& planned_;
  std::vector<const StageCurve*> curves_;
  std::vector<double> rooms_;
  std::vector<Pipeline> found_;
};

}  // namespace

std::int64_t Pipeline::microbatches_by(double ms) const {
  if (ms < fill_ms) return 0;
  auto n = static_cast<std::int64_t>(std::floor((ms - fill_ms) / bottleneck_ms)) + 1;
  // Division and multiplication round apart.
  while (n > 0 && time_ms(n) > ms) --n;
  while (time_ms(n + 1) <= ms) ++n;
  return n;
}

std::vector<int> fill_layers(const std::vector<const StageCurve*>& curves,
                             const std::vector<double>& rooms, int layers, Fill fill) {
  switch (fill) {
    case Fill::Balanced:
      return balanced(curves, layers);
    case Fill::Exhaustive:
      return exhaustive(curves, layers);
    case Fill::Uniform:
      return fixed_shares(curves, std::vector<double>(curves.size(), 1), layers);
    case Fill::ByMemory:
      return fixed_shares(curves, rooms, layers);
  }
  return {};
}

std::vector<Pipeline> plan_template(const Problem& problem, StageTimes& times,
                                    const NodeCounts& nodes, const TemplateOptions& options,
                                    std::uint64_t& planned) {
  return TemplatePlanner(problem, times, nodes, options, planned).plan();
}

}  // namespace sluice::hpp

#include "search/balance.hpp"

#include <algorithm>
#include <cstddef>

#include "cost/cut.hpp"

namespace sluice {
namespace {

class Balancer {
 public:
  Balancer(const Instance& instance, const std::vector<std::uint16_t>& rank_of_stage)
      : instance_(instance),
        ranks_(rank_of_stage),
        held_(static_cast<std::size_t>(instance.ranks)) {
    for (const std::uint16_t r : ranks_) ++held_[r];
  }

  /// Empty when nothing fits.
  [[nodiscard]] std::vector<std::int32_t> cut(bool bounded) const {
    const std::vector<std::int32_t> taken =
        exact_cut(ranks_.size(), static_cast<std::size_t>(instance_.layers), kUnlimited,
                  [&](std::size_t s, std::size_t first, std::size_t count) {
                    return time(s, first, count, bounded);
                  });
    if (taken.empty()) return {};
    std::vector<std::int32_t> cuts{0};
    for (const std::int32_t layers : taken) cuts.push_back(cuts.back() + layers);
    return cuts;
  }

 private:
  [[nodiscard]] std::int64_t time(std::size_t s, std::size_t first, std::size_t count,
                                  bool bounded) const {
    if (count < static_cast<std::size_t>(fewest_layers(instance_, s, ranks_.size())))
      return kUnlimited;
    const std::size_t edges = (s == 0 ? 1U : 0U) + (s + 1 == ranks_.size() ? 2U : 0U);
    const std::size_t rank = ranks_[s];
    const StageLoad& load = instance_.loads[instance_.kind_of_rank[rank]][edges][instance_.place(
        static_cast<int>(first), static_cast<int>(count))];
    if (bounded) {
      const auto in_flight = std::min<std::int64_t>(static_cast<std::int64_t>(ranks_.size() - s),
                                                    instance_.microbatches);
      const std::int64_t bytes = load.resident + load.activation * in_flight;
      if (bytes > instance_.memory[rank] / held_[rank]) return kUnlimited;
    }
    return load.work();
  }

  const Instance& instance_;
  const std::vector<std::uint16_t>& ranks_;
  std::vector<std::int64_t> held_;
};

class Evener {
 public:
  Evener(const Instance& instance, const std::vector<std::uint16_t>& rank_of_stage)
      : instance_(instance) {
    layout_.rank_of_stage = rank_of_stage;
    begin();
  }

  std::vector<std::int32_t> run() {
    double now = unevenness();
    const std::size_t stages = layout_.stages();
    for (bool better = true; better;) {
      better = false;
      // Boundaries first .. last move by a layer: one stage gives it, another takes it.
      for (std::size_t first = 1; first < stages; ++first) {
        for (std::size_t last = first; last < stages; ++last) {
          for (const int by : {1, -1}) {
            shift(first, last, by);
            const double then = possible(first, last) ? unevenness() : now;
            if (then < now) {
              now = then;
              better = true;
            } else {
              shift(first, last, -by);
            }
          }
        }
      }
    }
    return layout_.cuts;
  }

 private:
  void begin() {
    const std::size_t stages = layout_.stages();
    const auto layers = static_cast<std::size_t>(instance_.layers);
    // Cumulative work of single layers on the first kind of rank.
    std::vector<double> sum{0};
    for (std::size_t l = 0; l < layers; ++l) {
      const StageLoad& load = instance_.loads.front()[0][instance_.place(static_cast<int>(l), 1)];
      sum.push_back(sum.back() + static_cast<double>(load.work()));
    }
    layout_.cuts.assign(stages + 1, 0);
    layout_.cuts.back() = instance_.layers;
    for (std::size_t s = 1; s < stages; ++s) {
      const double wanted = sum.back() * static_cast<double>(s) / static_cast<double>(stages);
      const auto at = std::lower_bound(sum.begin(), sum.end(), wanted) - sum.begin();
      // A layer for each stage before and behind.
      const auto least = layout_.cuts[s - 1] + 1;
      const auto most = instance_.layers - static_cast<int>(stages - s);
      layout_.cuts[s] = std::clamp(static_cast<std::int32_t>(at), least, most);
    }
  }

  void shift(std::size_t first, std::size_t last, int by) {
    for (std::size_t c = first; c <= last; ++c) layout_.cuts[c] += by;
  }

  [[nodiscard]] bool possible(std::size_t first, std::size_t last) const {
    for (const std::size_t s : {first - 1, last}) {
      if (layout_.cuts[s + 1] - layout_.cuts[s] < fewest_layers(instance_, s, layout_.stages()))
        return false;
    }
    return true;
  }

  [[nodiscard]] double unevenness() const {
    std::vector<double> work(static_cast<std::size_t>(instance_.ranks), 0);
    for (std::size_t s = 0; s < layout_.stages(); ++s)
      work[layout_.rank_of_stage[s]] += static_cast<double>(instance_.load(layout_, s).work());
    double sum = 0;
    for (const double w : work) sum += w * w;
    return sum;
  }

  const Instance& instance_;
  Layout layout_;
};

}  // namespace

std::vector<std::int32_t> even_cuts(const Instance& instance,
                                    const std::vector<std::uint16_t>& rank_of_stage) {
  return Evener(instance, rank_of_stage).run();
}

std::vector<std::int32_t> balanced_cuts(const Instance& instance,
                                        const std::vector<std::uint16_t>& rank_of_stage) {
  const Balancer balancer(instance, rank_of_stage);
  std::vector<std::int32_t> cuts = balancer.cut(true);
  return cuts.empty() ? balancer.cut(false) : cuts;
}

int fewest_layers(const Instance& instance, std::size_t stage, std::size_t stages) {
  const std::size_t edges = (stage == 0 ? 1U : 0U) + (stage + 1 == stages ? 2U : 0U);
  if (edges == 0 || stages == 1) return 1;
  // What a first or last stage does without a layer: embedding, output layer.
  return instance.loads.front()[edges][instance.place(0, 0)].forward > 0 ? 0 : 1;
}

}  // namespace sluice

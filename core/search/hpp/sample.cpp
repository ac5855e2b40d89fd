#include "search/hpp/sample.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/rng.hpp"

namespace sluice::hpp {
namespace {

/// Draws of one plan, one after the other.
class Chance {
 public:
  explicit Chance(std::uint64_t number) : number_(number) {}
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(share() * static_cast<double>(n));
  }
  /// In [0, 1).
  double share() {
    const PhiloxBlock bits = draw({.seed = number_,
                                   .purpose = Purpose::Search,
                                   .entity = 0,
                                   .microbatch = next_++,
                                   .number = 0});
    return uniform01(bits[0], bits[1]);
  }

 private:
  std::uint64_t number_;
  std::uint32_t next_ = 0;
};

class Sampler {
 public:
  Sampler(const Problem& problem, StageTimes& times, std::uint64_t number)
      : p_(problem), times_(times), chance_(number) {}

  std::optional<HppPlan> sample() {
    micro_batch_ = p_.micro_batches[chance_.below(p_.micro_batches.size())];
    // How far layers and shares are from their proportion: some plans are good, some are not.
    layers_off_ = chance_.share();
    shares_off_ = chance_.share();
    HppPlan plan;
    for (const NodeCounts& nodes : divided()) {
      std::optional<Pipeline> pipeline = pipeline_over(nodes);
      if (!pipeline) return std::nullopt;
      plan.pipelines.push_back({nodes, std::move(*pipeline), 0});
    }
    if (!share_out(plan)) return std::nullopt;
    for (const PlannedPipeline& p : plan.pipelines)
      plan.ms = std::max(plan.ms, p.pipeline.time_ms(p.microbatches));
    return plan;
  }

 private:
  std::vector<NodeCounts> divided() {
    constexpr std::size_t kMost = 4;
    std::vector<NodeCounts> parts(1 + chance_.below(kMost), NodeCounts(p_.types.size(), 0));
    for (std::size_t t = 0; t < p_.types.size(); ++t) {
      for (int n = 0; n < p_.types[t].nodes; ++n) ++parts[chance_.below(parts.size())][t];
    }
    std::erase_if(parts, [](const NodeCounts& part) {
      return std::all_of(part.begin(), part.end(), [](int n) { return n == 0; });
    });
    return parts;
  }

  std::optional<Pipeline> pipeline_over(const NodeCounts& nodes) {
    Pipeline out;
    out.micro_batch = micro_batch_;
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < nodes.size(); ++t) {
      if (nodes[t] > 0)
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(chance_.below(order.size() + 1)),
                     t);
    }
    for (const std::size_t type : order) {
      const std::optional<StageShape> shape = shape_of(static_cast<int>(type), nodes[type]);
      if (!shape) return std::nullopt;
      const int stages = nodes[type] * p_.types[type].devices / shape->devices();
      for (int s = 0; s < stages; ++s) out.stages.push_back({.shape = *shape});
    }
    if (!put_layers(out)) return std::nullopt;
    return out;
  }

  std::optional<StageShape> shape_of(int type, int nodes) {
    const NodeType& node = p_.types[static_cast<std::size_t>(type)];
    std::vector<StageShape> fitting;
    for (const int t : p_.tensor_sizes) {
      for (int d = 1; d <= micro_batch_; d *= 2) {
        const int g = t * d;
        if (t > node.devices || nodes * node.devices % g != 0 || micro_batch_ % d != 0) continue;
        if (g < node.devices ? node.devices % g == 0 : g % node.devices == 0)
          fitting.push_back({type, t, d});
      }
    }
    if (fitting.empty()) return std::nullopt;
    return fitting[chance_.below(fitting.size())];
  }

  bool put_layers(Pipeline& out) {
    const auto stages = static_cast<int>(out.stages.size());
    if (stages > p_.layers) return false;
    std::vector<const StageCurve*> curves;
    std::vector<double> weights;
    const auto most =
        static_cast<int>(std::min<std::int64_t>(p_.layers, p_.global_batch / micro_batch_));
    for (int s = 0; s < stages; ++s) {
      const StageCurve& curve =
          times_.curve(out.stages[static_cast<std::size_t>(s)].shape, micro_batch_, s == 0,
                       s + 1 == stages, std::min(stages - s, most));
      if (curve.empty()) return false;
      curves.push_back(&curve);
      weights.push_back((1 + layers_off_ * (2 * chance_.share() - 1)) / curve.front());
    }
    const std::vector<int> layers = fill_layers(curves, weights, p_.layers, Fill::ByMemory);
    if (layers.empty()) return false;
    for (std::size_t s = 0; s < layers.size(); ++s) {
      PipelineStage& stage = out.stages[s];
      stage.layers = layers[s];
      stage.ms = (*curves[s])[static_cast<std::size_t>(layers[s]) - 1];
      if (s + 1 < layers.size())
        stage.hop_ms = p_.hop_ms(stage.shape, out.stages[s + 1].shape, false, micro_batch_);
      out.bottleneck_ms = std::max(out.bottleneck_ms, stage.ms);
      out.fill_ms += stage.ms + 2 * stage.hop_ms;
    }
    return true;
  }

  bool share_out(HppPlan& plan) {
    const std::int64_t all = p_.global_batch / micro_batch_;
    if (p_.global_batch % micro_batch_ != 0 ||
        all < static_cast<std::int64_t>(plan.pipelines.size()))
      return false;
    std::vector<double> weights;
    double sum = 0;
    for (const PlannedPipeline& p : plan.pipelines) {
      weights.push_back(p.pipeline.rate() * (1 + shares_off_ * (2 * chance_.share() - 1)));
      sum += weights.back();
    }
    std::int64_t left = all - static_cast<std::int64_t>(plan.pipelines.size());
    for (std::size_t r = 0; r < weights.size(); ++r) {
      const bool last = r + 1 == weights.size();
      const auto share = static_cast<std::int64_t>(static_cast<double>(all) * weights[r] / sum);
      const std::int64_t more = last ? left : std::min(left, std::max<std::int64_t>(0, share - 1));
      plan.pipelines[r].microbatches = 1 + more;
      left -= more;
    }
    return true;
  }

  const Problem& p_;
  StageTimes& times_;
  Chance chance_;
  std::int64_t micro_batch_ = 1;
  double layers_off_ = 0;
  double shares_off_ = 0;
};

}  // namespace

std::optional<HppPlan> random_plan(const Problem& problem, StageTimes& times,
                                   std::uint64_t number) {
  return Sampler(problem, times, number).sample();
}

}  // namespace sluice::hpp

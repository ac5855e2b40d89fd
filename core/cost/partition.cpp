#include "cost/partition.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>

#include "cost/costs.hpp"
#include "cost/transformer.hpp"

namespace sluice {
namespace {

constexpr const char* kPath = "pipeline.partition";

/// Forward and backward of one stage, ms, by its first layer and how many it holds.
using Table = std::vector<std::vector<double>>;

std::vector<std::int64_t> uniform(std::int64_t layers, std::size_t stages) {
  const auto n = static_cast<std::int64_t>(stages);
  std::vector<std::int64_t> out(stages, layers / n);
  for (std::int64_t i = 0; i < layers % n; ++i) ++out[static_cast<std::size_t>(i)];
  return out;
}

// Stage by stage: the least possible maximum for the layers so far.
std::vector<std::int64_t> balanced(const std::vector<const Table*>& cost, std::size_t layers) {
  const std::size_t stages = cost.size();
  const bool alike = cost.front()->size() == 1;
  std::vector<std::vector<double>> best(
      stages + 1, std::vector<double>(layers + 1, std::numeric_limits<double>::max()));
  std::vector<std::vector<std::size_t>> taken(stages + 1, std::vector<std::size_t>(layers + 1, 0));
  best[0][0] = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t all = 0; all <= layers; ++all) {
      for (std::size_t own = 0; own <= all; ++own) {
        const double most = std::max(best[s][all - own], (*cost[s])[alike ? 0 : all - own][own]);
        if (most >= best[s + 1][all]) continue;
        best[s + 1][all] = most;
        taken[s + 1][all] = own;
      }
    }
  }
  std::vector<std::int64_t> out(stages);
  std::size_t left = layers;
  for (std::size_t s = stages; s > 0; --s) {
    out[s - 1] = static_cast<std::int64_t>(taken[s][left]);
    left -= taken[s][left];
  }
  return out;
}

// One row a first layer; where all layers are alike the first row stands for all.
Table stage_table(const PipelineSection& p, const Recompute& recompute, const ModelShape& model,
                  TransformerStage stage, const Device& device, const Calibration& calibration) {
  const auto layers = static_cast<std::size_t>(model.layers);
  const bool alike = layer_runs(model, 0, model.layers).size() == 1;
  Table table(alike ? 1 : layers + 1);
  for (std::size_t from = 0; from < table.size(); ++from) {
    for (std::size_t n = 0; from + n <= layers; ++n) {
      stage.from = static_cast<std::int64_t>(from);
      stage.layers = static_cast<int>(n);
      double ms = 0;
      for (const OpPart part : {OpPart::Forward, OpPart::Backward}) {
        ms += stage_time(part, model, stage, device, calibration,
                         static_cast<double>(p.micro_batch_size), recompute)
                  .ms;
      }
      table[from].push_back(ms);
    }
  }
  return table;
}

// Stages of equal devices share a table, but for the first and the last.
std::vector<std::int64_t> balance(const PipelineSection& p, const ModelShape& model,
                                  const Network& network, const Calibration& calibration,
                                  const std::vector<std::size_t>& entry_of_stage) {
  const std::size_t stages = entry_of_stage.size();
  const auto entry = [&](std::size_t s) -> const StageSpec& { return p.stages[entry_of_stage[s]]; };
  const auto recompute = [&](std::size_t s) { return entry(s).recompute.value_or(p.recompute); };
  std::vector<TransformerStage> kinds(stages);
  std::vector<Table> tables(stages);
  std::vector<const Table*> cost;
  for (std::size_t s = 0; s < stages; ++s) {
    const Device& device = *network.find(entry(s).device);
    kinds[s].first = s == 0;
    kinds[s].last = s + 1 == stages;
    kinds[s].tensor = tensor_group(entry(s), network);
    kinds[s].experts = expert_group(p, network, calibration, device);
    std::size_t same = 0;
    while (same < s) {
      const Device& other = *network.find(entry(same).device);
      if (kinds[same] == kinds[s] && recompute(same) == recompute(s) &&
          other.preset == device.preset && other.peak == device.peak &&
          other.memory_bandwidth == device.memory_bandwidth)
        break;
      ++same;
    }
    if (same == s) tables[s] = stage_table(p, recompute(s), model, kinds[s], device, calibration);
    cost.push_back(same == s ? &tables[s] : cost[same]);
  }
  return balanced(cost, static_cast<std::size_t>(model.layers));
}

// Layers whose costs are written: the same on every device.
Table written_table(const std::vector<LayerCost>& layers) {
  std::vector<double> ms;
  for (const LayerCost& layer : layers) {
    ms.insert(ms.end(), static_cast<std::size_t>(layer.count),
              layer.forward_ms + layer.input_grad_ms + layer.weight_grad_ms);
  }
  Table table(ms.size() + 1);
  for (std::size_t from = 0; from < table.size(); ++from) {
    table[from].push_back(0);
    for (std::size_t n = from; n < ms.size(); ++n)
      table[from].push_back(table[from].back() + ms[n]);
  }
  return table;
}

std::int64_t layers_to_spread(const PipelineSection& p, const ModelShape& model) {
  if (p.layer_costs.empty()) return model.layers;
  std::int64_t layers = 0;
  for (const LayerCost& layer : p.layer_costs) layers += layer.count;
  return layers;
}

}  // namespace

Result<std::vector<std::int64_t>> partition_layers(const Scenario& scenario, const Network& network,
                                                   const Presets& presets,
                                                   const std::vector<std::size_t>& entry_of_stage) {
  const PipelineSection& p = scenario.pipeline;
  const Partition& partition = *p.partition;
  const std::size_t stages = entry_of_stage.size();
  const ModelShape model = complete(p.model.value_or(ModelShape{}));
  const std::int64_t layers = layers_to_spread(p, model);
  const bool written = !p.layer_costs.empty();
  if ((!p.model && !written) || (layers == 0 && partition.kind != PartitionKind::Listed)) {
    return error(Code::KeyMissing, kPath,
                 "`partition` spreads `model.layers` or `layer_costs`, and there are none");
  }
  if (partition.kind == PartitionKind::Listed) {
    const std::int64_t sum =
        std::accumulate(partition.layers.begin(), partition.layers.end(), std::int64_t{0});
    const std::size_t ranks = p.stages.size();
    if (partition.layers.size() != stages && partition.layers.size() != ranks) {
      return error(Code::ValueRange, kPath,
                   std::to_string(partition.layers.size()) + " entries for " +
                       std::to_string(stages) + " stages" +
                       (ranks == stages ? "" : " on " + std::to_string(ranks) + " ranks"));
    }
    if (layers != 0 && sum != layers) {
      return error(Code::ValueRange, kPath,
                   "its layers add up to " + std::to_string(sum) + ", the model has " +
                       std::to_string(layers));
    }
    return partition.layers;
  }
  if (written) {
    if (partition.kind == PartitionKind::Uniform) return uniform(layers, stages);
    const Table table = written_table(p.layer_costs);
    return balanced(std::vector<const Table*>(stages, &table), static_cast<std::size_t>(layers));
  }
  const Calibration* calibration = presets.calibration(p.calibration);
  const bool known = calibration != nullptr &&
                     std::all_of(p.stages.begin(), p.stages.end(), [&](const StageSpec& s) {
                       return network.find(s.device) != nullptr &&
                              (s.tensor_parallel < 2 || network.reach(Locality::SameSocket));
                     });
  // What is missing for balance is reported where the costs are made.
  if (partition.kind == PartitionKind::Uniform || !known || !check_shape(model).empty())
    return uniform(layers, stages);
  return balance(p, model, network, *calibration, entry_of_stage);
}

}  // namespace sluice

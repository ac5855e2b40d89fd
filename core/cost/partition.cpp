#include "cost/partition.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "cost/costs.hpp"
#include "cost/cut.hpp"
#include "cost/transformer.hpp"

namespace sluice {
namespace {

constexpr const char* kPath = "pipeline.partition";
/// Stages whose costs are made in one go.
constexpr std::size_t kAtOnce = 4096;

/// What a stage of so many layers costs; of one that cannot be, forever.
struct Choice {
  double ms = std::numeric_limits<double>::infinity();
  std::int64_t resident = 0;
  std::int64_t per_microbatch = 0;
};

/// By its first layer and how many it holds; one row where all layers are alike.
using Table = std::vector<std::vector<Choice>>;

struct Stage {
  std::size_t entry = 0;
  /// Which table it shares with stages that cost the same.
  std::size_t table = 0;
  bool first = false;
  bool last = false;
  /// Its part of the device's memory, and the microbatches that 1F1B has in flight on it.
  std::int64_t room = 0;
  std::int64_t in_flight = 1;
};

std::vector<std::int64_t> uniform(std::int64_t layers, std::size_t stages) {
  const auto n = static_cast<std::int64_t>(stages);
  std::vector<std::int64_t> out(stages, layers / n);
  for (std::int64_t i = 0; i < layers % n; ++i) ++out[static_cast<std::size_t>(i)];
  return out;
}

// Empty where `bounded` and nothing fits.
std::vector<std::int64_t> cut(const std::vector<Stage>& stages, const std::vector<Table>& tables,
                              std::size_t layers, bool bounded) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto time = [&](std::size_t s, std::size_t from, std::size_t count) {
    const Stage& stage = stages[s];
    const Table& table = tables[stage.table];
    const Choice& c = table[table.size() == 1 ? 0 : from][count];
    const bool fits = c.resident + c.per_microbatch * stage.in_flight <= stage.room;
    return bounded && !fits ? kNever : c.ms;
  };
  const std::vector<std::int32_t> found = exact_cut(stages.size(), layers, kNever, time);
  return {found.begin(), found.end()};
}

std::vector<Stage> stages_of(const Scenario& scenario, const Network& network,
                             const std::vector<std::size_t>& entry_of_stage) {
  const auto stages = static_cast<std::int64_t>(entry_of_stage.size());
  const auto device = [&](std::size_t entry) {
    return network.id_of(scenario.pipeline.stages[entry].device).index();
  };
  std::vector<Stage> out;
  for (const std::size_t entry : entry_of_stage) {
    const auto s = static_cast<std::int64_t>(out.size());
    const auto held = std::count_if(entry_of_stage.begin(), entry_of_stage.end(),
                                    [&](std::size_t e) { return device(e) == device(entry); });
    const auto bytes = static_cast<double>(network.devices()[device(entry)].memory_capacity.value) *
                       (1 - scenario.hardware.memory_reserve);
    out.push_back({.entry = entry,
                   .table = 0,
                   .first = s == 0,
                   .last = s + 1 == stages,
                   .room = static_cast<std::int64_t>(bytes) / held,
                   .in_flight = std::min(stages - s, scenario.simulation.microbatches)});
  }
  return out;
}

// Stages that cost the same share a table. `scenario` has its layers on some entries, wherever.
std::vector<std::int64_t> balance(const Scenario& scenario, const Network& network,
                                  const Presets& presets, std::vector<Stage> stages,
                                  std::int64_t layers, bool alike) {
  std::vector<StagePlace> places;
  std::vector<Choice*> choices;
  bool known_costs = true;
  // A few thousand at a time: there may be millions.
  const auto settle = [&](std::size_t at_least) {
    if (places.size() < at_least) return;
    const Result<Costs> costs = build_costs(scenario, network, presets, places);
    known_costs = known_costs && costs.ok();
    for (std::size_t i = 0; known_costs && i < choices.size(); ++i) {
      const StageCosts& stage = costs.value().stages[i];
      const StageWorking working = stage.memory ? stage.memory->working : StageWorking{};
      *choices[i] = {.ms = stage.forward.typical_ms() + stage.backward.typical_ms(),
                     .resident = stage.resident.value +
                                 std::max(working.forward.value, working.backward.value),
                     .per_microbatch = stage.activation.value};
    }
    places.clear();
    choices.clear();
  };
  std::vector<Table> tables;
  std::vector<std::size_t> first_with;
  for (Stage& stage : stages) {
    const auto same = [&](std::size_t other) {
      const Stage& o = stages[other];
      return o.first == stage.first && o.last == stage.last &&
             same_costs(scenario, network, o.entry, stage.entry);
    };
    const auto known = std::find_if(first_with.begin(), first_with.end(), same);
    stage.table = static_cast<std::size_t>(known - first_with.begin());
    if (known != first_with.end()) continue;
    first_with.push_back(static_cast<std::size_t>(&stage - stages.data()));
    const std::int64_t ends = alike ? 0 : layers;
    tables.emplace_back(static_cast<std::size_t>(ends) + 1);
    for (std::int64_t from = 0; known_costs && from <= ends; ++from) {
      std::vector<Choice>& row = tables.back()[static_cast<std::size_t>(from)];
      row.resize(static_cast<std::size_t>(layers - from) + 1);
      for (std::int64_t n = 0; from + n <= layers; ++n) {
        // A first stage begins with the first layer, a last one ends with the last.
        const bool ends_early = !alike && from + n < layers;
        if ((stage.first && from > 0) || (stage.last && ends_early)) continue;
        places.push_back({.entry = stage.entry,
                          .device = network.id_of(scenario.pipeline.stages[stage.entry].device),
                          .first = stage.first,
                          .last = stage.last,
                          .cut = StagePlace::Cut{from, n}});
        choices.push_back(&row[static_cast<std::size_t>(n)]);
      }
      settle(kAtOnce);
    }
  }
  settle(1);
  if (!known_costs) return {};
  std::vector<std::int64_t> out = cut(stages, tables, static_cast<std::size_t>(layers), true);
  return out.empty() ? cut(stages, tables, static_cast<std::size_t>(layers), false) : out;
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
  if (partition.kind == PartitionKind::Uniform || (!written && !check_shape(model).empty()))
    return uniform(layers, stages);
  for (const StageSpec& stage : p.stages) {
    // What is missing for balance is reported where the costs are made.
    if (network.find(stage.device) == nullptr) return uniform(layers, stages);
  }
  Scenario spread = scenario;
  spread.pipeline.partition.reset();
  const std::vector<std::int64_t> anyhow = uniform(layers, p.stages.size());
  for (std::size_t i = 0; i < anyhow.size(); ++i) spread.pipeline.stages[i].layers = anyhow[i];
  const bool alike = !written && layer_runs(model, 0, layers).size() == 1;
  std::vector<std::int64_t> found = balance(
      spread, network, presets, stages_of(scenario, network, entry_of_stage), layers, alike);
  return found.empty() ? uniform(layers, stages) : found;
}

}  // namespace sluice

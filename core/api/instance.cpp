#include "api/instance.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cost/layers.hpp"
#include "schedule/placement.hpp"

namespace sluice {
namespace {

/// As many stages a rank as a search tries.
constexpr int kMostChunks = 3;

std::int64_t ps(const DurationModel& model) {
  return time_from_ms(model.typical_ms()).value_or(kMaxRunTime).ps;
}

StageLoad load_of(const StageCosts& costs) {
  return {.forward = ps(costs.forward),
          .backward = ps(costs.backward),
          .input_grad = ps(costs.input_grad),
          .weight_grad = ps(costs.weight_grad),
          .resident = costs.resident.value,
          .activation = costs.activation.value,
          .kept_for_weights = costs.kept_for_weights.value};
}

class InstanceMaker {
 public:
  InstanceMaker(const Loaded& loaded, const Presets& presets)
      : loaded_(loaded), p_(loaded.scenario.pipeline), presets_(presets) {}

  Result<Instance> make(bool cut) {
    out_.ranks = static_cast<int>(p_.stages.size());
    out_.microbatches = static_cast<int>(loaded_.scenario.simulation.microbatches);
    out_.movable = cut && layers_move(loaded_.scenario);
    for (const StageSpec& s : p_.stages) devices_.push_back(loaded_.network.id_of(s.device));
    add_hops();
    add_memory();
    if (out_.movable) {
      add_kinds();
      add_cuts();
    } else {
      add_fixed();
    }
    if (!problems_.empty()) return problems_;
    return std::move(out_);
  }

 private:
  void add_hops() {
    const bool timed = loaded_.scenario.simulation.transfers != Transfers::Latency;
    for (const DeviceId from : devices_) {
      for (const DeviceId to : devices_) out_.hop.push_back(from == to ? 0 : hop(from, to, timed));
    }
  }

  // A pair that nothing joins is as far away as can be: no plan has it in the end.
  [[nodiscard]] std::int64_t hop(DeviceId from, DeviceId to, bool timed) const {
    constexpr std::int64_t kFar = kPsPerSecond * 1000;
    const Result<Link> link = loaded_.network.link(from, to);
    if (!link) return kFar;
    const double wire =
        timed ? link.value().wire_ms(static_cast<double>(loaded_.costs.boundary.value)) : 0;
    return link.value().latency.ps + time_from_ms(wire).value_or(kMaxRunTime).ps;
  }

  void add_memory() {
    for (const DeviceId id : devices_) {
      const auto sharing = std::count(devices_.begin(), devices_.end(), id);
      const auto bytes =
          static_cast<double>(loaded_.network.devices()[id.index()].memory_capacity.value);
      const auto own = static_cast<std::int64_t>(bytes * (1 - loaded_.costs.memory_reserve));
      out_.memory.push_back(std::max<std::int64_t>(1, own / sharing));
    }
  }

  void add_kinds() {
    std::vector<std::size_t> first;
    for (std::size_t r = 0; r < p_.stages.size(); ++r) {
      const auto same = [&](std::size_t other) {
        return same_costs(loaded_.scenario, loaded_.network, r, other);
      };
      const auto known = std::find_if(first.begin(), first.end(), same);
      out_.kind_of_rank.push_back(static_cast<std::uint16_t>(known - first.begin()));
      if (known == first.end()) first.push_back(r);
    }
    entry_of_kind_ = std::move(first);
  }

  [[nodiscard]] bool alike() const {
    if (!p_.layer_costs.empty()) {
      return std::all_of(p_.layer_costs.begin(), p_.layer_costs.end(), [&](LayerCost l) {
        l.count = p_.layer_costs.front().count;
        return l == p_.layer_costs.front();
      });
    }
    return layer_runs(complete(*p_.model), 0, out_.layers).size() == 1;
  }

  // Every stage that a cut can make, on every kind of rank.
  void add_cuts() {
    for (const StageSpec& s : p_.stages) out_.layers += static_cast<int>(s.layers.value_or(0));
    out_.alike = alike();
    std::vector<StagePlace> places;
    std::vector<StageLoad*> targets;
    out_.loads.resize(entry_of_kind_.size());
    for (std::size_t k = 0; k < entry_of_kind_.size(); ++k) {
      const std::size_t entry = entry_of_kind_[k];
      for (std::size_t edges = 0; edges < out_.loads[k].size(); ++edges) {
        std::vector<StageLoad>& table = out_.loads[k][edges];
        table.resize(out_.places());
        const bool first = edges % 2 == 1;
        const bool last = edges >= 2;
        const int ends = first || out_.alike ? 0 : out_.layers;
        for (int from = 0; from <= ends; ++from) {
          for (int n = 0; from + n <= out_.layers; ++n) {
            // A last stage ends with the last layer.
            if (last && (out_.alike ? first && n < out_.layers : from + n < out_.layers)) continue;
            const int begin = last && out_.alike ? out_.layers - n : from;
            places.push_back({.entry = entry,
                              .device = devices_[entry],
                              .first = first,
                              .last = last,
                              .cut = StagePlace::Cut{begin, n}});
            targets.push_back(&table[out_.place(from, n)]);
          }
        }
      }
    }
    const Result<Costs> costs = build_costs(loaded_.scenario, loaded_.network, presets_, places);
    if (!costs) {
      problems_ = costs.diagnostics();
      return;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const StageCosts& stage = costs.value().stages[i];
      *targets[i] = load_of(stage);
      if (places[i].first && !places[i].last) out_.first_extra = stage.first_extra.ps;
      if (places[i].last && !places[i].first) out_.last_extra = stage.first_extra.ps;
    }
  }

  // The rank's work, evenly over one stage, or over two or three in a loop or a zig-zag.
  void add_fixed() {
    out_.kind_of_rank.assign(p_.stages.size(), 0);
    const bool chunks = std::all_of(p_.stages.begin(), p_.stages.end(),
                                    [](const StageSpec& s) { return s.chunk_layers.empty(); });
    for (int v = 1; v <= (chunks ? kMostChunks : 1); ++v) {
      add_fixed(loop_placement(out_.ranks, v), v);
      if (v > 1 && out_.ranks > 1) add_fixed(zigzag_placement(out_.ranks, v), v);
    }
    add_mirrored();
  }

  // Schedules in two directions do half of each stage's work on the rank across.
  void add_mirrored() {
    const std::size_t stages = p_.stages.size();
    std::vector<StagePlace> places;
    for (std::size_t s = 0; s < stages; ++s) {
      places.push_back({.entry = s,
                        .device = devices_[stages - 1 - s],
                        .first = s == 0,
                        .last = s + 1 == stages});
    }
    const Result<Costs> costs = build_costs(loaded_.scenario, loaded_.network, presets_, places);
    if (!costs || out_.fixed.empty()) return;
    std::int64_t here = 0;
    std::int64_t across = 0;
    std::int64_t way = 0;
    for (const StageLoad& load : out_.fixed.front().loads) here += load.work();
    for (const StageCosts& stage : costs.value().stages) {
      across += load_of(stage).work();
      way += load_of(stage).way();
    }
    out_.least_total = (here + across) / 2;
    out_.least_way = way;
  }

  void add_fixed(const Placement& placement, int chunks) {
    std::vector<StagePlace> places;
    std::vector<int> seen(p_.stages.size(), 0);
    const std::size_t stages = placement.rank_of_stage.size();
    for (std::size_t s = 0; s < stages; ++s) {
      const std::size_t rank = placement.rank_of_stage[s];
      places.push_back({.entry = rank,
                        .device = devices_[rank],
                        .parts = chunks,
                        .part = seen[rank]++,
                        .first = s == 0,
                        .last = s + 1 == stages});
    }
    const Result<Costs> costs = build_costs(loaded_.scenario, loaded_.network, presets_, places);
    if (!costs) {
      // Not every work can be divided so; one stage a rank is what was loaded.
      if (chunks == 1) problems_ = costs.diagnostics();
      return;
    }
    FixedLayout fixed;
    fixed.rank_of_stage = placement.rank_of_stage;
    for (const StageCosts& stage : costs.value().stages) fixed.loads.push_back(load_of(stage));
    out_.first_extra = costs.value().stages.front().first_extra.ps;
    out_.last_extra = costs.value().stages.back().first_extra.ps;
    out_.fixed.push_back(std::move(fixed));
  }

  const Loaded& loaded_;
  const PipelineSection& p_;
  const Presets& presets_;
  std::vector<DeviceId> devices_;
  std::vector<std::size_t> entry_of_kind_;
  Instance out_;
  Diagnostics problems_;
};

}  // namespace

bool layers_move(const Scenario& scenario) {
  const auto& stages = scenario.pipeline.stages;
  return std::all_of(stages.begin(), stages.end(),
                     [](const StageSpec& s) { return s.layers.has_value(); });
}

Result<Instance> make_instance(const Loaded& loaded, const Presets& presets, bool cut) {
  return InstanceMaker(loaded, presets).make(cut);
}

}  // namespace sluice

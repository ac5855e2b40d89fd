#include "api/load.hpp"

#include <algorithm>
#include <utility>

#include "api/adaptive.hpp"
#include "api/draft.hpp"
#include "api/load_pipelines.hpp"
#include "base/hash.hpp"
#include "cost/partition.hpp"
#include "io/model_presets.hpp"
#include "io/presets.hpp"
#include "io/print_scenario.hpp"
#include "schedule/order_text.hpp"

namespace sluice {
namespace {

void append(Diagnostics& to, const Diagnostics& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Diagnostics check_limits(const Scenario& s) {
  Diagnostics out;
  const auto stages = static_cast<std::int64_t>(s.pipeline.stages.size());
  const std::int64_t m = s.simulation.microbatches;
  if (stages > kMaxStages) {
    out.push_back(error(Code::LimitStages, "pipeline.stages",
                        std::to_string(stages) + " stages; at most " + std::to_string(kMaxStages) +
                            " are simulated"));
  }
  if (m > kMaxMicrobatches) {
    out.push_back(error(Code::LimitMicrobatches, "simulation.microbatches",
                        "`microbatches` is " + std::to_string(m) + "; at most " +
                            std::to_string(kMaxMicrobatches) + " are simulated"));
  }
  // A split backward has three operations a microbatch and stage.
  if (out.empty() && stages * m * 3 > kMaxOperations / s.simulation.batches) {
    out.push_back(error(Code::LimitOperations, "simulation",
                        "stages x microbatches x batches is " + std::to_string(stages) + " x " +
                            std::to_string(m) + " x " + std::to_string(s.simulation.batches) +
                            "; at most " + std::to_string(kMaxOperations / 3) +
                            " are simulated in one run"));
  }
  return out;
}

// HOPS checks before it runs: weights and as many activations as the schedule may hold.
Diagnostics check_capacity(const Scenario& s, const Program& program, const Costs& costs) {
  Diagnostics out;
  if (s.simulation.options.capacity != Capacity::Error) return out;
  const bool all_at_once = program.plan.name == "gpipe" || program.plan.name == "hops/gpipe";
  const auto stages = static_cast<std::int64_t>(costs.stages.size());
  const auto& ranks = program.plan.placement.rank_of_stage;
  std::vector<Bytes> need(program.machine.devices.size());
  for (std::int64_t i = 0; i < stages; ++i) {
    const std::uint32_t d = program.device_of_rank[ranks[static_cast<std::size_t>(i)]];
    const std::int64_t live =
        all_at_once ? s.simulation.microbatches : std::min(stages - i, s.simulation.microbatches);
    const StageCosts& cost = costs.stages[static_cast<std::size_t>(i)];
    need[d] += cost.resident + cost.activation * live;
  }
  for (std::size_t d = 0; d < need.size(); ++d) {
    const Device& device = program.machine.devices[d];
    if (need[d] <= device.memory_capacity) continue;
    const auto gib = [](Bytes b) {
      return std::to_string(static_cast<double>(b.value) / kGiB).substr(0, 6) + " GiB";
    };
    out.push_back(
        error(Code::CapacityExceeded, "hardware.devices[" + std::to_string(d) + "]",
              "\"" + device.id + "\" needs " + gib(need[d]) + " of " + gib(device.memory_capacity),
              "fewer weights or microbatches in flight, or simulation.options.capacity: warn"));
  }
  return out;
}

// What is asked of the schedule layer, but for costs. Problems are added to `problems`.
PlanRequest plan_request(const Scenario& s, Diagnostics& problems) {
  const ScheduleChoice& choice = s.pipeline.schedule;
  PlanRequest request;
  request.name = choice.policy ? "policy" : choice.order ? "order" : choice.name;
  request.parameters = choice.parameters;
  request.hops_policies = s.simulation.options.policies == Policies::Hops;
  request.microbatches = static_cast<int>(s.simulation.microbatches);
  request.batches = static_cast<int>(s.simulation.batches);
  if (choice.policy) {
    Result<Policy> policy =
        compile_policy(choice.policy->split, choice.policy->rules, "pipeline.schedule.policy");
    if (policy) {
      request.policy = std::move(policy).value();
    } else {
      append(problems, policy.diagnostics());
    }
  }
  if (choice.order) {
    Result<Order> order =
        parse_order(*choice.order, static_cast<int>(s.pipeline.stages.size()),
                    static_cast<int>(s.simulation.microbatches), "pipeline.schedule");
    if (order) {
      request.order = std::move(order).value();
    } else {
      append(problems, order.diagnostics());
    }
  }
  return request;
}

// The schedule by itself, so that what is wrong with it is told together with what is wrong
// elsewhere.
Result<Placement> placement_of(const Scenario& s, PlanRequest& request) {
  Diagnostics problems;
  request = plan_request(s, problems);
  // Which device is which rank is not known yet, only how many there are.
  request.device_of_rank.assign(s.pipeline.stages.size(), DeviceId{0});
  if (problems.empty()) return place(request);
  return problems;
}

std::vector<StagePlace> stage_places(const Placement& placement, const PlanRequest& request) {
  const auto per_pipe = static_cast<std::size_t>(placement.stages());
  std::vector<int> parts(static_cast<std::size_t>(placement.ranks), 0);
  for (std::size_t s = 0; s < per_pipe; ++s) ++parts[placement.rank_of_stage[s]];
  std::vector<StagePlace> places;
  std::vector<int> seen(parts.size(), 0);
  for (std::size_t s = 0; s < placement.rank_of_stage.size(); ++s) {
    // Other pipes are copies of the first, on other ranks.
    const std::size_t entry = placement.rank_of_stage[s % per_pipe];
    places.push_back({.entry = entry,
                      .device = request.device_of_rank[placement.rank_of_stage[s]],
                      .parts = parts[entry],
                      .part = seen[entry]++ % parts[entry],
                      .first = s % per_pipe == 0,
                      .last = (s + 1) % per_pipe == 0});
  }
  return places;
}

// Entry that holds each stage of the first pipe.
std::vector<std::size_t> entry_of_stage(const Placement& placement) {
  const auto begin = placement.rank_of_stage.begin();
  return {begin, begin + placement.stages()};
}

// Layers that a partition gave, by entry; stage by stage where an entry holds several.
void spread(const std::vector<std::int64_t>& layers, const std::vector<std::size_t>& entries,
            std::vector<StageSpec>& stages) {
  if (layers.size() == stages.size()) {
    for (std::size_t i = 0; i < layers.size(); ++i) stages[i].layers = layers[i];
    return;
  }
  for (std::size_t s = 0; s < layers.size(); ++s) {
    StageSpec& entry = stages[entries[s]];
    entry.layers = entry.layers.value_or(0) + layers[s];
    entry.chunk_layers.push_back(layers[s]);
  }
}

// Layers that are written stage by stage need as many numbers as the entry has stages.
Diagnostics check_chunk_layers(const Scenario& s, const std::vector<std::size_t>& entries) {
  Diagnostics out;
  for (std::size_t i = 0; i < s.pipeline.stages.size(); ++i) {
    const std::size_t written = s.pipeline.stages[i].chunk_layers.size();
    const auto held = static_cast<std::size_t>(std::count(entries.begin(), entries.end(), i));
    if (written == 0 || written == held) continue;
    out.push_back(error(Code::ValueRange, "pipeline.stages[" + std::to_string(i) + "].layers",
                        std::to_string(written) + " entries for " + std::to_string(held) +
                            (held == 1 ? " stage" : " stages") + " of the rank"));
  }
  return out;
}

// Mean time of the slowest hop of the first pipe: schedules that look at transfers know one number.
double slowest_transfer_ms(const Scenario& s, const Network& network, const Placement& placement,
                           const PlanRequest& request, const Costs& costs) {
  double slowest = 0;
  for (int k = 0; k + 1 < placement.stages(); ++k) {
    const DeviceId from = request.device_of_rank[static_cast<std::size_t>(placement.rank_of(k))];
    const DeviceId to = request.device_of_rank[static_cast<std::size_t>(placement.rank_of(k + 1))];
    if (from == to) continue;
    const Result<Link> link = network.link(from, to);
    // A missing link is reported when the plan is compiled.
    if (!link) continue;
    double ms = to_ms(link.value().latency);
    if (s.simulation.transfers != Transfers::Latency) {
      constexpr double kMsPerSecond = 1000;
      ms += static_cast<double>(costs.boundary.value) / link.value().bandwidth.value * kMsPerSecond;
    }
    slowest = std::max(slowest, ms);
  }
  return slowest;
}

bool check_preset(const Scenario& s, Diagnostics& problems) {
  if (!s.pipeline.model) return true;
  const auto unknown = check_model_preset(s.pipeline.model->preset);
  if (unknown) problems.push_back(*unknown);
  return !unknown;
}

Diagnostics check_devices(const Scenario& s, const Network& network) {
  Diagnostics out;
  for (std::size_t i = 0; i < s.pipeline.stages.size(); ++i) {
    const std::string& id = s.pipeline.stages[i].device;
    if (network.find(id) != nullptr) continue;
    out.push_back(network.unknown_device(id, "pipeline.stages[" + std::to_string(i) + "].device"));
  }
  return out;
}

Result<Plan> plan_of(const Scenario& s, const Network& network, const Costs& costs,
                     const Placement& placement, PlanRequest request) {
  for (const StageCosts& c : costs.stages) {
    request.costs.push_back({.forward_ms = c.forward.typical_ms(),
                             .backward_ms = c.backward.typical_ms(),
                             .input_grad_ms = c.input_grad.typical_ms(),
                             .weight_grad_ms = c.weight_grad.typical_ms()});
  }
  request.transfer_ms = slowest_transfer_ms(s, network, placement, request, costs);
  return make_plan(request, placement);
}

}  // namespace

Result<Loaded> load_scenario(std::string_view text, const std::vector<Setting>& settings) {
  return load_scenario(text, settings, load_presets());
}

Result<Loaded> load_scenario(std::string_view text, const std::vector<Setting>& settings,
                             const Presets& presets) {
  const Result<Draft> draft = Draft::make(text, settings);
  if (!draft) return draft.diagnostics();
  const Result<ReadScenario> read = draft.value().read();
  if (!read) return read.diagnostics();
  Result<Loaded> loaded = prepare(read.value(), presets);
  if (!loaded) return loaded;
  loaded.value().title = draft.value().title();
  loaded.value().scenario_hash = hash_text(print_scenario(loaded.value().scenario));
  return loaded;
}

Result<Loaded> prepare(const ReadScenario& read, const Presets& presets) {
  if (!read.scenario.pipelines.empty()) return prepare_pipelines(read, presets);
  const Places& places = read.places;
  const auto refuse = [&](Diagnostics problems) {
    append(problems, read.diagnostics);
    places.locate(problems);
    settle(problems);
    return problems;
  };

  Loaded out;
  out.scenario = read.scenario;
  if (out.scenario.plan && out.scenario.pipeline.stages.empty()) {
    return refuse({error(Code::KeyMissing, "pipeline.stages", "the pipelines are still to be found",
                         "`sluice plan` finds them")});
  }
  Diagnostics problems = check_limits(out.scenario);
  std::string adaptive;
  if (problems.empty() && is_adaptive(out.scenario.pipeline.schedule)) {
    Result<AdaptiveChoice> choice = resolve_adaptive(read, presets);
    if (!choice) return refuse(choice.diagnostics());
    // As with a partition: what is simulated is the outcome, and who compiles it again searches no
    // more.
    out.scenario.pipeline.schedule = std::move(choice.value().schedule);
    adaptive = std::move(choice.value().label);
  }
  PlanRequest request;
  Result<Placement> placement = Placement{};
  if (problems.empty()) {
    placement = placement_of(out.scenario, request);
    if (!placement) append(problems, placement.diagnostics());
  }
  const bool known_model = check_preset(out.scenario, problems);
  Result<Network> network = Network::build(out.scenario, presets);
  if (!network) {
    append(problems, network.diagnostics());
    return refuse(std::move(problems));
  }
  out.network = std::move(network).value();
  append(problems, check_devices(out.scenario, out.network));
  // What follows from the shape would only be more of the same.
  if (!known_model) return refuse(std::move(problems));
  if (problems.empty()) {
    const std::vector<std::size_t> entries = entry_of_stage(placement.value());
    append(problems, check_chunk_layers(out.scenario, entries));
    if (out.scenario.pipeline.partition) {
      const auto layers = partition_layers(out.scenario, out.network, presets, entries);
      if (!layers) return refuse(layers.diagnostics());
      spread(layers.value(), entries, out.scenario.pipeline.stages);
      // What is simulated is the outcome of a partition, not the wish for one.
      out.scenario.pipeline.partition.reset();
    }
  }
  // Costs of the entries by themselves find what is wrong with them even when the schedule is.
  Result<Costs> costs = build_costs(out.scenario, out.network, presets);
  if (!costs) append(problems, costs.diagnostics());
  if (!problems.empty()) return refuse(std::move(problems));
  for (std::size_t r = 0; r < request.device_of_rank.size(); ++r)
    request.device_of_rank[r] = out.network.id_of(out.scenario.pipeline.stages[r].device);
  costs = build_costs(out.scenario, out.network, presets, stage_places(placement.value(), request));
  if (!costs) return refuse(costs.diagnostics());
  out.costs = std::move(costs).value();

  Result<Plan> plan = plan_of(out.scenario, out.network, out.costs, placement.value(), request);
  if (!plan) return refuse(plan.diagnostics());
  if (!adaptive.empty()) {
    plan.value().name = kAdaptive;
    plan.value().resolved = std::move(adaptive);
  }
  Result<Program> program =
      compile(out.scenario, out.network, out.costs, std::move(plan).value(), out.diagnostics);
  if (!program) return refuse(program.diagnostics());
  out.program = std::move(program).value();
  problems = check_capacity(out.scenario, out.program, out.costs);
  if (!problems.empty()) return refuse(std::move(problems));

  append(out.diagnostics, out.network.warnings());
  append(out.diagnostics, uncertain_devices(out.scenario, out.costs.certainty));
  append(out.diagnostics, read.diagnostics);
  places.locate(out.diagnostics);
  settle(out.diagnostics);
  out.places = places;
  return out;
}

}  // namespace sluice

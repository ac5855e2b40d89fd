#include "api/load.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "io/presets.hpp"
#include "io/print_scenario.hpp"
#include "io/reader.hpp"

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
  std::vector<Bytes> need(program.machine.devices.size());
  for (std::int64_t i = 0; i < stages; ++i) {
    const std::uint32_t d = program.device_of_rank[static_cast<std::size_t>(i)];
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

Result<Plan> plan_of(const Scenario& s, const Network& network, const Costs& costs) {
  PlanRequest request;
  request.name = s.pipeline.schedule.policy ? "policy" : s.pipeline.schedule.name;
  request.hops_policies = s.simulation.options.policies == Policies::Hops;
  request.microbatches = static_cast<int>(s.simulation.microbatches);
  for (const StageCosts& c : costs.stages) {
    request.costs.push_back({.forward_ms = c.forward.typical_ms(),
                             .backward_ms = c.backward.typical_ms(),
                             .input_grad_ms = c.input_grad.typical_ms(),
                             .weight_grad_ms = c.weight_grad.typical_ms()});
  }
  for (const StageSpec& stage : s.pipeline.stages)
    request.device_of_rank.push_back(network.id_of(stage.device));
  if (s.pipeline.schedule.policy) {
    const PolicyText& text = *s.pipeline.schedule.policy;
    Result<Policy> policy = compile_policy(text.split, text.rules, "pipeline.schedule.policy");
    if (!policy) return policy.diagnostics();
    request.policy = std::move(policy).value();
  }
  return make_plan(request);
}

// The schedule by itself, so that a wrong name is told together with what is wrong elsewhere.
Diagnostics check_schedule(const Scenario& s) {
  const ScheduleChoice& schedule = s.pipeline.schedule;
  if (schedule.policy) {
    const Result<Policy> policy =
        compile_policy(schedule.policy->split, schedule.policy->rules, "pipeline.schedule.policy");
    return policy ? Diagnostics{} : policy.diagnostics();
  }
  PlanRequest smallest;
  smallest.name = schedule.name;
  smallest.hops_policies = s.simulation.options.policies == Policies::Hops;
  smallest.costs.emplace_back();
  smallest.device_of_rank.push_back(DeviceId{0});
  const Result<Plan> plan = make_plan(smallest);
  if (plan) return {};
  Diagnostics unknown = plan.diagnostics();
  // What depends on the number of ranks or microbatches is for the real plan to say.
  const auto other = [](const Diagnostic& d) { return d.code != Code::ReferenceSchedule; };
  unknown.erase(std::remove_if(unknown.begin(), unknown.end(), other), unknown.end());
  return unknown;
}

}  // namespace

std::string title_of(std::string_view text) {
  constexpr int kFirstLines = 8;
  constexpr std::string_view kMark = "# title:";
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (int i = 0; i < kFirstLines && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.starts_with(kMark)) {
      line.remove_prefix(kMark.size());
      while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
      return std::string(line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

Result<Loaded> load_scenario(std::string_view text, const std::vector<Setting>& settings) {
  Result<YamlTree> tree = parse_yaml(text);
  if (!tree) return tree.diagnostics();
  if (!settings.empty()) {
    Result<YamlTree> changed = apply_settings(*tree.value(), settings);
    if (!changed) return changed.diagnostics();
    tree = std::move(changed);
  }
  Result<ReadScenario> read = read_scenario(*tree.value());
  if (!read) return read.diagnostics();
  const Places& places = read.value().places;
  const auto refuse = [&](Diagnostics problems) {
    append(problems, read.value().diagnostics);
    places.locate(problems);
    settle(problems);
    return problems;
  };

  Loaded out;
  out.title = title_of(text);
  out.scenario = read.value().scenario;
  Diagnostics problems = check_limits(out.scenario);
  append(problems, check_schedule(out.scenario));
  Result<Network> network = Network::build(out.scenario, load_presets());
  if (!network) {
    append(problems, network.diagnostics());
    return refuse(std::move(problems));
  }
  out.network = std::move(network).value();
  Result<Costs> costs = build_costs(out.scenario, out.network);
  if (!costs) append(problems, costs.diagnostics());
  if (!problems.empty()) return refuse(std::move(problems));
  out.costs = std::move(costs).value();

  Result<Plan> plan = plan_of(out.scenario, out.network, out.costs);
  if (!plan) return refuse(plan.diagnostics());
  Result<Program> program =
      compile(out.scenario, out.network, out.costs, std::move(plan).value(), out.diagnostics);
  if (!program) return refuse(program.diagnostics());
  out.program = std::move(program).value();
  problems = check_capacity(out.scenario, out.program, out.costs);
  if (!problems.empty()) return refuse(std::move(problems));

  append(out.diagnostics, out.network.warnings());
  append(out.diagnostics, read.value().diagnostics);
  places.locate(out.diagnostics);
  settle(out.diagnostics);
  out.places = places;
  out.scenario_hash = hash_text(print_scenario(out.scenario));
  return out;
}

}  // namespace sluice

#include "io/summary_json.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "io/expect_json.hpp"
#include "io/json.hpp"
#include "io/memory_parts.hpp"
#include "io/resource_text.hpp"
#include "io/staleness_json.hpp"
#include "metrics/bound.hpp"
#include "metrics/economy.hpp"
#include "metrics/overlap.hpp"
#include "schedule/registry.hpp"
#include "trace/trace.hpp"

namespace sluice {
namespace {

constexpr std::string_view kEngineVersion = "0.1.0";
constexpr double kGiga = 1e9;
constexpr double kUsPerMs = 1000;

std::string_view until_text(ThroughputUntil until) {
  return until == ThroughputUntil::WorkEnd ? "work_end" : "last_backward";
}

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json throughput_json(const Summary& s) {
  const double per_s = s.throughput_per_ms * 1000;
  const double samples = per_s * (s.micro_batch_size * static_cast<double>(s.replicas));
  Json j =
      json_object({{"per_ms", s.throughput_per_ms}, {"per_s", per_s}, {"samples_per_s", samples}});
  j["tokens_per_s"] = s.seq_len ? Json(samples * static_cast<double>(*s.seq_len)) : Json(nullptr);
  j["until"] = until_text(s.throughput_until);
  return j;
}

Json contention_json(const Summary& s, const Machine& machine) {
  Json per_link = Json::object();
  for (const LinkUse& l : s.links) {
    per_link[link_text(machine, l.link)] =
        json_object({{"contended_transfer_fraction", l.contended_fraction},
                     {"peak_concurrency", static_cast<double>(l.peak_concurrency)},
                     {"transfer_count", static_cast<double>(l.transfers)}});
  }
  return json_object({{"global_contended_transfer_fraction", s.contended_fraction},
                      {"global_peak_concurrency", static_cast<double>(s.peak_concurrency)},
                      {"per_link", per_link}});
}

Json memory_json(const Summary& s, const Machine& machine) {
  Json mb = Json::object();
  Json parts = Json::object();
  Json peaks = Json::object();
  Json bytes = Json::object();
  Json capacity = Json::object();
  for (std::size_t d = 0; d < machine.devices.size(); ++d) {
    if (!s.holds_stages[d]) continue;
    const std::string& id = machine.devices[d].id;
    mb[id] = static_cast<double>(s.peak_memory[d].value) / kMiB;
    bytes[id] = s.peak_memory[d].value;
    capacity[id] = s.memory_capacity[d].value;
    Json own = Json::object();
    for (const PartField& field : kPartFields)
      own[std::string(field.name)] = (s.memory_parts[d].*field.bytes).value;
    parts[id] = own;
    const MemoryPeak& peak = s.memory_peaks[d];
    peaks[id] = json_object({{"time_ms", to_ms(peak.at)}, {"operation", peak.operation}});
  }
  return json_object({{"peak_per_device_mb", mb},
                      {"peak_bytes", bytes},
                      {"capacity_bytes", capacity},
                      {"parts_bytes", parts},
                      {"peak", peaks}});
}

Json utilization_json(const Summary& s, const Program& program) {
  Json stages = Json::object();
  for (std::size_t i = 0; i < s.rank_utilization.size(); ++i)
    stages[std::to_string(i)] = s.rank_utilization[i];
  Json devices = Json::object();
  for (std::size_t d = 0; d < program.machine.devices.size(); ++d) {
    if (s.holds_stages[d]) devices[program.machine.devices[d].id] = s.device_utilization[d];
  }
  Json links = Json::object();
  for (const LinkUse& l : s.links) links[link_text(program.machine, l.link)] = l.utilization;
  return json_object({{"per_stage", stages}, {"per_device", devices}, {"per_link", links}});
}

struct TermField {
  std::string_view name;
  double StageTerms::*ms;
};

constexpr std::array<TermField, 10> kTermFields{{
    {"matmul_ms", &StageTerms::matmul_ms},
    {"elementwise_ms", &StageTerms::elementwise_ms},
    {"attention_scores_ms", &StageTerms::scores_ms},
    {"weight_gradient_ms", &StageTerms::weight_gradient_ms},
    {"head_ms", &StageTerms::head_ms},
    {"embedding_ms", &StageTerms::embedding_ms},
    {"recompute_ms", &StageTerms::recompute_ms},
    {"tensor_parallel_ms", &StageTerms::tensor_parallel_ms},
    {"expert_parallel_ms", &StageTerms::expert_parallel_ms},
    {"host_dispatch_ms", &StageTerms::dispatch_ms},
}};

Json terms_json(const StageTerms& terms) {
  Json j = Json::object();
  for (const TermField& field : kTermFields) j[std::string(field.name)] = terms.*field.ms;
  return j;
}

// Of stages whose times follow from layers: device time by term, and the host's beside it, which
// overlap.
Json terms_json(const Costs& costs) {
  Json stages = Json::array();
  for (std::size_t s = 0; s < costs.stages.size(); ++s) {
    const StageCosts& c = costs.stages[s];
    if (!c.forward_terms || !c.backward_terms) continue;
    stages.push_back(json_object({{"stage", s},
                                  {"forward_ms", c.forward.typical_ms()},
                                  {"forward", terms_json(*c.forward_terms)},
                                  {"backward_ms", c.backward.typical_ms()},
                                  {"backward", terms_json(*c.backward_terms)}}));
  }
  return stages;
}

Json parameters_json(const Parameters& parameters) {
  Json j = Json::object();
  if (parameters.empty()) return j;
  const std::vector<ScheduleInfo> table = all_schedules();
  for (const auto& [name, values] : parameters) {
    const ParameterInfo* info = find_parameter(table, name);
    if (info != nullptr && !info->choices.empty()) {
      j[name] = info->choices[static_cast<std::size_t>(values.front())];
    } else {
      j[name] = values.size() == 1 ? Json(values.front()) : Json(values);
    }
  }
  return j;
}

Json optional_error(const std::optional<ErrorFigures>& error) {
  if (!error) return nullptr;
  return json_object({{"mean_pct", error->mean_pct}, {"worst_pct", error->worst_pct}});
}

// Communication: of the least certain link that carried something.
Json certainty_json(const Certainty& c, const Summary& s, const Machine& machine) {
  Basis links = Basis::Given;
  for (const LinkUse& l : s.links) links = std::min(links, link_basis(machine.links[l.link]));
  return json_object({{"compute", basis_text(c.compute)},
                      {"communication", s.links.empty() ? Json(nullptr) : Json(basis_text(links))},
                      {"memory", c.memory_from_layers ? "from_layers" : "given"},
                      {"calibration", c.calibration.empty() ? Json(nullptr) : Json(c.calibration)},
                      {"period_error", optional_error(c.period)},
                      {"uncalibrated", c.uncalibrated}});
}

Json communication_json(const SummaryContext& context) {
  const Program& p = context.program;
  const std::vector<Overlap> found = overlaps(p, context.idle.trace, context.idle.idle.plays());
  Json ranks = Json::array();
  for (const std::uint32_t device : p.device_of_rank) {
    ranks.push_back(json_object({{"transfer_ms", to_ms(found[device].transfer)},
                                 {"overlap_ms", to_ms(found[device].hidden)}}));
  }
  return json_object({{"messages", context.summary.messages},
                      {"bytes", context.summary.message_bytes.value},
                      {"per_rank", ranks}});
}

Json idle_json(const Summary& s) {
  Json ranks = Json::array();
  for (const IdleByPosition& idle : s.idle) {
    ranks.push_back(json_object({{"warm_up", to_ms(idle.warm_up)},
                                 {"steady", to_ms(idle.steady)},
                                 {"drain", to_ms(idle.drain)}}));
  }
  return json_object({{"per_rank", ranks}});
}

}  // namespace

std::string_view engine_version() {
  return kEngineVersion;
}

namespace {

// All but what is said about it.
Json figures_json(const SummaryContext& context) {
  const Summary& s = context.summary;
  const Program& p = context.program;
  const double compute = to_ms(s.compute);
  Json j;
  j["schema_version"] = kSchemaVersion;
  j["engine_version"] = kEngineVersion;
  j["scenario_hash"] = hash_text_of(context.scenario_hash);
  j["trace_hash"] = hash_text_of(context.trace_hash);
  j["physics"] = p.simulation.physics == Physics::Hops ? "hops" : "sluice";
  j["seed"] = p.simulation.seed;
  j["schedule"] = json_object({{"name", p.plan.name},
                               {"resolved", p.plan.resolved},
                               {"parameters", parameters_json(p.plan.parameters)},
                               {"chunks", p.plan.placement.chunks()},
                               {"slices", p.plan.slices()},
                               {"weight_copies", p.plan.weight_copies}});
  if (p.plan.order && !p.plan.order->updates.empty()) j["staleness"] = staleness_json(p);
  j["completed_microbatches"] = s.completed_microbatches;
  j["throughput"] = throughput_json(s);
  j["latency_ms"] = json_object(
      {{"p50_ms", s.latency_p50_ms}, {"p99_ms", s.latency_p99_ms}, {"mean_ms", s.latency_mean_ms}});
  j["time_ms"] = json_object(
      {{"makespan_ms", to_ms(s.makespan)},
       {"trace_duration_ms", to_ms(s.trace_duration)},
       {"compute_ms", compute},
       {"transfer_ms", to_ms(s.transfer)},
       {"communication_overhead_ratio", compute > 0 ? to_ms(s.transfer) / compute : 0.0}});
  j["bubble_ratio"] = s.bubble.idle_over_makespan;
  j["bubble"] = json_object({{"idle_over_makespan", s.bubble.idle_over_makespan},
                             {"idle_over_work", s.bubble.idle_over_work},
                             {"span", s.bubble.span}});
  j["lower_bound_ms"] = s.lower_bound ? Json(to_ms(*s.lower_bound)) : Json(nullptr);
  j["gap_pct"] = optional_number(gap_pct(s.makespan, s.lower_bound));
  j["idle_by_position_ms"] = idle_json(s);
  j["idle_ms"] = idle_ms_json(context.idle);
  j["busy_ms"] = busy_ms_json(context.idle);
  j["critical_path"] = critical_path_json(context.idle);
  j["top_gaps"] = top_gaps_json(context.idle);
  j["communication"] = communication_json(context);
  j["weight_gathers_per_rank"] = s.weight_gathers;
  j["mfu"] = optional_number(s.mfu);
  if (context.costs.model) {
    j["model"] = json_object({{"parameters", context.costs.model->parameters},
                              {"active_parameters", context.costs.model->active}});
  }
  if (s.replicas > 1) {
    j["replicas"] =
        json_object({{"count", s.replicas}, {"gradient_reduction_ms", context.costs.replicas.ms}});
  }
  const Economy cost = economy(p, context.costs, s);
  j["energy"] = json_object({{"average_power_W", optional_number(cost.power)},
                             {"joules_per_token", optional_number(cost.energy_per_token)}});
  j["price"] =
      json_object({{"per_hour", optional_number(cost.price_per_hour)},
                   {"per_million_tokens", optional_number(cost.price_per_million_tokens)}});
  j["certainty"] = certainty_json(context.costs.certainty, s, p.machine);
  j["utilization"] = utilization_json(s, p);
  j["memory"] = memory_json(s, p.machine);
  j["fits"] = s.fits;
  j["optimizer"] = json_object({{"allreduce_time_ms", to_ms(s.allreduce)},
                                {"weight_update_time_ms", to_ms(s.weight_update)}});
  j["failures"] =
      json_object({{"count", s.failures},
                   {"total_downtime_ms", to_ms(s.downtime)},
                   {"lost_work_ms", s.lost_work ? Json(to_ms(*s.lost_work)) : Json(nullptr)}});
  if (s.goodput) {
    j["failures"].update({{"rollbacks", s.rollbacks},
                          {"checkpoints", s.checkpoints},
                          {"lost_time_ms", to_ms(s.lost_time)},
                          {"recovery_time_ms", to_ms(s.recovering)},
                          {"checkpoint_time_ms", to_ms(s.saving)},
                          {"goodput", *s.goodput}});
  }
  j["contention"] = contention_json(s, p.machine);
  // HOPS counts tasks committed to a stage here, which is one wherever a stage runs one thing at a
  // time.
  Json committed = Json::object();
  for (std::size_t i = 0; i < s.rank_utilization.size(); ++i) committed[std::to_string(i)] = 1;
  j["peak_in_flight_per_stage"] = committed;
  j["peak_in_flight"] = json_object({{"until_W", s.in_flight_until_weight},
                                     {"until_I", s.in_flight_until_input},
                                     {"half", s.in_flight_half}});
  if (std::any_of(context.costs.stages.begin(), context.costs.stages.end(),
                  [](const StageCosts& c) { return c.forward_terms.has_value(); }))
    j["stage_terms"] = terms_json(context.costs);
  Json phases = Json::array();
  for (const PhaseTotal& t : s.phases) {
    phases.push_back(json_object(
        {{"stage", t.stage}, {"phase", t.phase}, {"total_ms", t.total_ms}, {"count", t.count}}));
  }
  j["phase_breakdown"] = phases;
  // A map first: the ordered object looks its keys up one by one, and there may be many.
  std::map<std::string, std::string> origins;
  for (const ValueOrigin& o : value_origins(context.scenario, context.places))
    origins.emplace(o.path, o.origin);
  j["origins"] = origins;
  return j;
}

Verdict verdict(const SummaryContext& context, const Json& figures) {
  Verdict out = judge(context.scenario.expect, figures);
  context.places.locate(out.unmet);
  return out;
}

}  // namespace

std::string summary_json(const SummaryContext& context, int indent) {
  Json j = figures_json(context);
  const Verdict found = verdict(context, j);
  Diagnostics all = context.diagnostics;
  all.insert(all.end(), found.unmet.begin(), found.unmet.end());
  j["expectations"] = found.list;
  j["diagnostics"] = diagnostics_to_json(all);
  return json_text(j, indent);
}

Diagnostics unmet_expectations(const SummaryContext& context) {
  return verdict(context, figures_json(context)).unmet;
}

// Where each pipe's last stage, and with it the loss, stands.
Json loss_ranks(const Placement& placement) {
  Json ranks = Json::array();
  for (int pipe = 0; pipe < placement.pipes; ++pipe)
    ranks.push_back(placement.rank_of(pipe * placement.stages() + placement.length(pipe) - 1));
  return ranks;
}

std::string plan_json(const Program& p) {
  Json kinds = Json::array();
  for (int k = 0; k < kOpKinds; ++k) kinds.push_back(kind_text(static_cast<OpKind>(k)));
  Json ranks = Json::array();
  for (std::size_t r = 0; r < p.device_of_rank.size(); ++r) {
    Json stages = Json::array();
    for (std::size_t s = 0; s < p.plan.placement.rank_of_stage.size(); ++s) {
      if (p.plan.placement.rank_of_stage[s] == r) stages.push_back(s);
    }
    const Device& d = p.machine.devices[p.device_of_rank[r]];
    ranks.push_back(json_object({{"rank", r},
                                 {"resource", p.device_of_rank[r]},
                                 {"device", d.id},
                                 {"node", d.node},
                                 {"stages", stages}}));
  }
  Json resources = Json::array();
  for (const Device& d : p.machine.devices) {
    resources.push_back(json_object({{"type", "device"},
                                     {"name", d.id},
                                     {"node", d.node},
                                     {"preset", d.preset},
                                     {"memory_capacity_bytes", d.memory_capacity.value}}));
  }
  for (std::uint32_t l = 0; l < p.machine.links.size(); ++l) {
    const Link& link = p.machine.links[l];
    resources.push_back(json_object({{"type", "link"},
                                     {"name", link_text(p.machine, l)},
                                     {"from", p.machine.device(link.from).id},
                                     {"to", p.machine.device(link.to).id},
                                     {"bandwidth_GBps", link.bandwidth.value / kGiga},
                                     {"latency_us", to_ms(link.latency) * kUsPerMs}}));
  }
  Json out = json_object(
      {{"kinds", kinds},
       {"stages", p.plan.placement.stages()},
       {"pipes", p.plan.placement.pipes},
       {"slices", p.plan.slices()},
       {"loss_ranks", loss_ranks(p.plan.placement)},
       {"microbatches", p.plan.microbatches},
       {"batches", p.simulation.batches},
       {"schedule", json_object({{"name", p.plan.name}, {"resolved", p.plan.resolved}})},
       {"ranks", ranks},
       {"resources", resources}});
  if (!p.plan.pipelines.empty()) out["pipelines"] = p.plan.pipelines;
  return json_text(out);
}

}  // namespace sluice

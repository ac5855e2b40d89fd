#include "io/summary_json.hpp"

#include <map>
#include <string>

#include "io/json.hpp"
#include "trace/trace.hpp"

namespace sluice {
namespace {

constexpr std::string_view kEngineVersion = "0.1.0";
constexpr double kGiga = 1e9;
constexpr double kUsPerMs = 1000;

std::string link_name(const Machine& machine, std::uint32_t link) {
  const Link& l = machine.links[link];
  return machine.device(l.from).id + "->" + machine.device(l.to).id;
}

std::string_view until_text(ThroughputUntil until) {
  return until == ThroughputUntil::WorkEnd ? "work_end" : "last_backward";
}

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json throughput_json(const Summary& s) {
  const double per_s = s.throughput_per_ms * 1000;
  const double samples = per_s * static_cast<double>(s.micro_batch_size);
  Json j{{"per_ms", s.throughput_per_ms}, {"per_s", per_s}, {"samples_per_s", samples}};
  j["tokens_per_s"] = s.seq_len ? Json(samples * static_cast<double>(*s.seq_len)) : Json(nullptr);
  j["until"] = until_text(s.throughput_until);
  return j;
}

Json contention_json(const Summary& s, const Machine& machine) {
  Json per_link = Json::object();
  for (const LinkUse& l : s.links) {
    per_link[link_name(machine, l.link)] = {
        {"contended_transfer_fraction", l.contended_fraction},
        {"peak_concurrency", static_cast<double>(l.peak_concurrency)},
        {"transfer_count", static_cast<double>(l.transfers)}};
  }
  return {{"global_contended_transfer_fraction", s.contended_fraction},
          {"global_peak_concurrency", static_cast<double>(s.peak_concurrency)},
          {"per_link", per_link}};
}

Json memory_json(const Summary& s, const Machine& machine) {
  Json mb = Json::object();
  Json bytes = Json::object();
  Json capacity = Json::object();
  for (std::size_t d = 0; d < machine.devices.size(); ++d) {
    if (!s.holds_stages[d]) continue;
    const std::string& id = machine.devices[d].id;
    mb[id] = static_cast<double>(s.peak_memory[d].value) / kMiB;
    bytes[id] = s.peak_memory[d].value;
    capacity[id] = s.memory_capacity[d].value;
  }
  return {{"peak_per_device_mb", mb}, {"peak_bytes", bytes}, {"capacity_bytes", capacity}};
}

Json utilization_json(const Summary& s, const Program& program) {
  Json stages = Json::object();
  for (std::size_t i = 0; i < s.stage_utilization.size(); ++i)
    stages[std::to_string(i)] = s.stage_utilization[i];
  Json devices = Json::object();
  for (std::size_t d = 0; d < program.machine.devices.size(); ++d) {
    if (s.holds_stages[d]) devices[program.machine.devices[d].id] = s.device_utilization[d];
  }
  Json links = Json::object();
  for (const LinkUse& l : s.links) links[link_name(program.machine, l.link)] = l.utilization;
  return {{"per_stage", stages}, {"per_device", devices}, {"per_link", links}};
}

}  // namespace

std::string_view engine_version() {
  return kEngineVersion;
}

std::string summary_json(const SummaryContext& context, int indent) {
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
  j["schedule"] = {
      {"name", p.plan.name}, {"resolved", p.plan.resolved}, {"parameters", Json::object()}};
  j["completed_microbatches"] = s.completed_microbatches;
  j["throughput"] = throughput_json(s);
  j["latency_ms"] = {
      {"p50_ms", s.latency_p50_ms}, {"p99_ms", s.latency_p99_ms}, {"mean_ms", s.latency_mean_ms}};
  j["time_ms"] = {
      {"makespan_ms", to_ms(s.makespan)},
      {"trace_duration_ms", to_ms(s.trace_duration)},
      {"compute_ms", compute},
      {"transfer_ms", to_ms(s.transfer)},
      {"communication_overhead_ratio", compute > 0 ? to_ms(s.transfer) / compute : 0.0}};
  j["bubble_ratio"] = s.bubble.idle_over_makespan;
  j["bubble"] = {{"idle_over_makespan", s.bubble.idle_over_makespan},
                 {"idle_over_work", s.bubble.idle_over_work},
                 {"span", s.bubble.span}};
  j["mfu"] = optional_number(s.mfu);
  j["utilization"] = utilization_json(s, p);
  j["memory"] = memory_json(s, p.machine);
  j["fits"] = s.fits;
  j["optimizer"] = {{"allreduce_time_ms", to_ms(s.allreduce)},
                    {"weight_update_time_ms", to_ms(s.weight_update)}};
  j["failures"] = {{"count", s.failures},
                   {"total_downtime_ms", to_ms(s.downtime)},
                   {"lost_work_ms", s.lost_work ? Json(to_ms(*s.lost_work)) : Json(nullptr)}};
  j["contention"] = contention_json(s, p.machine);
  // HOPS counts tasks committed to a stage here, which is one wherever a stage runs one thing at a
  // time.
  Json committed = Json::object();
  for (std::size_t i = 0; i < s.stage_utilization.size(); ++i) committed[std::to_string(i)] = 1;
  j["peak_in_flight_per_stage"] = committed;
  j["peak_in_flight"] = {{"until_W", s.in_flight_until_weight},
                         {"until_I", s.in_flight_until_input},
                         {"half", s.in_flight_half}};
  Json phases = Json::array();
  for (const PhaseTotal& t : s.phases) {
    phases.push_back(
        {{"stage", t.stage}, {"phase", t.phase}, {"total_ms", t.total_ms}, {"count", t.count}});
  }
  j["phase_breakdown"] = phases;
  // A map first: the ordered object looks its keys up one by one, and there may be many.
  std::map<std::string, std::string> origins;
  for (const ValueOrigin& o : context.origins) origins.emplace(o.path, o.origin);
  j["origins"] = origins;
  j["diagnostics"] = diagnostics_to_json(context.diagnostics);
  return json_text(j, indent);
}

std::string plan_json(const Program& p) {
  Json kinds = Json::array();
  for (int k = 0; k < kOpKinds; ++k) kinds.push_back(kind_text(static_cast<OpKind>(k)));
  Json ranks = Json::array();
  for (std::size_t r = 0; r < p.device_of_rank.size(); ++r) {
    Json stages = Json::array();
    for (std::size_t s = 0; s < p.plan.rank_of_stage.size(); ++s) {
      if (p.plan.rank_of_stage[s] == r) stages.push_back(s);
    }
    const Device& d = p.machine.devices[p.device_of_rank[r]];
    ranks.push_back({{"rank", r},
                     {"resource", p.device_of_rank[r]},
                     {"device", d.id},
                     {"node", d.node},
                     {"stages", stages}});
  }
  Json resources = Json::array();
  for (const Device& d : p.machine.devices) {
    resources.push_back({{"type", "device"},
                         {"name", d.id},
                         {"node", d.node},
                         {"preset", d.preset},
                         {"memory_capacity_bytes", d.memory_capacity.value}});
  }
  for (std::uint32_t l = 0; l < p.machine.links.size(); ++l) {
    const Link& link = p.machine.links[l];
    resources.push_back({{"type", "link"},
                         {"name", link_name(p.machine, l)},
                         {"from", p.machine.device(link.from).id},
                         {"to", p.machine.device(link.to).id},
                         {"bandwidth_GBps", link.bandwidth.value / kGiga},
                         {"latency_us", to_ms(link.latency) * kUsPerMs}});
  }
  return json_text({{"kinds", kinds},
                    {"stages", p.plan.stages()},
                    {"microbatches", p.plan.microbatches},
                    {"batches", p.simulation.batches},
                    {"schedule", {{"name", p.plan.name}, {"resolved", p.plan.resolved}}},
                    {"ranks", ranks},
                    {"resources", resources}});
}

}  // namespace sluice

#include "engine/program.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace sluice {
namespace {

constexpr double kMsPerSecond = 1000;

class Compiler {
 public:
  Compiler(const Scenario& scenario, const Network& network, const Costs& costs, Plan plan,
           Diagnostics& notes)
      : scenario_(scenario), network_(network), costs_(costs), notes_(notes) {
    p_.simulation = scenario.simulation;
    p_.failure = scenario.failure;
    p_.plan = std::move(plan);
    p_.machine.devices = network.devices();
  }

  Result<Program> compile() {
    add_ranks();
    p_.boundary = costs_.boundary;
    for (int s = 0; s < p_.plan.stages(); ++s) add_stage(static_cast<std::size_t>(s));
    add_optimizer();
    add_explicit_links();
    check_limits();
    if (!problems_.empty()) return problems_;
    return std::move(p_);
  }

 private:
  void add_ranks() {
    for (const DeviceId d : p_.plan.device_of_rank) p_.device_of_rank.push_back(d.value);
    const std::size_t devices = p_.machine.devices.size();
    p_.first_rank.assign(devices + 1, 0);
    for (std::uint32_t d = 0; d < devices; ++d) {
      for (std::uint32_t r = 0; r < p_.device_of_rank.size(); ++r) {
        if (p_.device_of_rank[r] == d) p_.ranks_of_device.push_back(r);
      }
      p_.first_rank[d + 1] = static_cast<std::uint32_t>(p_.ranks_of_device.size());
    }
    for (std::size_t s = 0; s < p_.plan.rank_of_stage.size(); ++s) {
      const std::uint32_t device = p_.device_of_rank[p_.plan.rank_of_stage[s]];
      const auto& known = p_.stage_devices;
      if (std::find(known.begin(), known.end(), device) != known.end()) continue;
      p_.stage_devices.push_back(device);
      p_.first_stage.push_back(static_cast<std::uint16_t>(s));
    }
  }

  [[nodiscard]] std::uint32_t device_of_stage(std::size_t s) const {
    return p_.device_of_rank[p_.plan.rank_of_stage[s]];
  }

  void add_stage(std::size_t s) {
    const StageCosts& cost = costs_.stages[s];
    const std::uint64_t key = p_.machine.devices[device_of_stage(s)].key;
    for (const DurationModel* model :
         {&cost.forward, &cost.backward, &cost.input_grad, &cost.weight_grad}) {
      OpTime time;
      time.model = *model;
      time.noisy = !model->fixed();
      time.key = key;
      time.fixed_ps = time_from_ms(model->typical_ms()).value_or(kMaxRunTime).ps;
      p_.times.push_back(time);
    }
    p_.means.push_back({.forward_ms = cost.forward.typical_ms(),
                        .backward_ms = cost.backward.typical_ms(),
                        .input_grad_ms = cost.input_grad.typical_ms(),
                        .weight_grad_ms = cost.weight_grad.typical_ms()});
    const bool last = s + 1 == p_.plan.rank_of_stage.size();
    p_.forward_hop.push_back(last ? Hop{} : hop(device_of_stage(s), device_of_stage(s + 1)));
    p_.backward_hop.push_back(s == 0 ? Hop{} : hop(device_of_stage(s), device_of_stage(s - 1)));
  }

  // Index of the link in the machine, added when it is new; kNoLink after a problem.
  std::uint32_t link_index(std::uint32_t from, std::uint32_t to) {
    const auto known = link_index_.find({from, to});
    if (known != link_index_.end()) return known->second;
    Result<Link> link = network_.link(DeviceId{from}, DeviceId{to});
    std::uint32_t index = kNoLink;
    if (link) {
      index = static_cast<std::uint32_t>(p_.machine.links.size());
      p_.machine.links.push_back(link.value());
    } else {
      problems_.insert(problems_.end(), link.diagnostics().begin(), link.diagnostics().end());
    }
    link_index_[{from, to}] = index;
    return index;
  }

  std::int64_t wire_ps(const Link& link, double bytes) {
    const auto time = time_from_ms(bytes / link.bandwidth.value * kMsPerSecond);
    if (time) return time->ps;
    problems_.push_back(
        error(Code::LimitTime, "hardware", "a transfer would take more than 100 days"));
    return 0;
  }

  Hop hop(std::uint32_t from, std::uint32_t to) {
    Hop out;
    out.to_device = to;
    if (from == to) return out;
    out.link = link_index(from, to);
    if (out.link == kNoLink) return out;
    const Link& link = p_.machine.links[out.link];
    const bool timed = p_.simulation.transfers != Transfers::Latency;
    out.wire_ps = timed ? wire_ps(link, static_cast<double>(costs_.boundary.value)) : 0;
    out.latency_ps = link.latency.ps;
    out.noisy = !link.jitter.fixed() || link.jitter.a != 0;
    return out;
  }

  void add_optimizer() {
    const OptimizerSection& o = scenario_.optimizer;
    p_.updates = o.enabled;
    p_.accumulation_steps = o.accumulation_steps;
    p_.update = costs_.update;
    p_.barrier = costs_.barrier;
    if (!o.enabled || costs_.gradient.value == 0) return;
    if (p_.simulation.options.allreduce_over == AllReduceOver::Replicas) {
      notes_.push_back(warning(
          Code::GradientNoReplicas, "optimizer.gradient_mb",
          "nothing is reduced: there is one replica of the pipeline, and its stages hold different "
          "parameters",
          "simulation.options.allreduce_over: stages reduces over stages, as HOPS does"));
      return;
    }
    const std::size_t n = p_.stage_devices.size();
    if (n < 2) return;
    const auto gradient = static_cast<double>(costs_.gradient.value);
    const bool ring = o.algorithm == AllReduceAlgorithm::Ring;
    p_.collective_rounds = ring ? 2 * static_cast<std::uint32_t>(n - 1) : 1;
    const double bytes = ring ? gradient / static_cast<double>(n) : gradient;
    p_.collective_bytes = bytes_from(bytes);
    for (std::size_t i = 0; i < (ring ? n : n - 1); ++i) {
      const std::uint32_t a = p_.stage_devices[i];
      const std::uint32_t b = p_.stage_devices[(i + 1) % n];
      add_collective_hop(a, b, bytes);
      if (!ring) add_collective_hop(b, a, bytes);
    }
  }

  void add_collective_hop(std::uint32_t from, std::uint32_t to, double bytes) {
    const std::uint32_t link = link_index(from, to);
    if (link == kNoLink) return;
    p_.collective.push_back({link, wire_ps(p_.machine.links[link], bytes)});
  }

  // Links that the scenario names can fail even when nothing is sent over them.
  void add_explicit_links() {
    if (!p_.failure.enabled) return;
    for (const auto& [from, to] : network_.explicit_pairs()) link_index(from.value, to.value);
  }

  void check_limits() {
    const auto m = static_cast<std::int64_t>(p_.plan.microbatches);
    const std::int64_t stages = p_.plan.stages();
    const std::int64_t parts = p_.plan.split_backward ? 3 : 2;
    p_.operations_per_batch = static_cast<std::uint64_t>(stages * m * parts);
    std::uint64_t hops = 0;
    for (const auto* list : {&p_.forward_hop, &p_.backward_hop}) {
      for (const Hop& h : *list) hops += h.link != kNoLink ? 1U : 0U;
    }
    p_.rows_per_batch = p_.operations_per_batch + hops * static_cast<std::uint64_t>(m) +
                        static_cast<std::uint64_t>(p_.collective.size()) * p_.collective_rounds +
                        p_.stage_devices.size();
    if (!p_.plan.order && !p_.simulation.step_barrier) {
      problems_.push_back(error(Code::ScheduleConstraint, "simulation.step_barrier",
                                "a policy plays batch by batch; it needs step_barrier: true"));
    }
    // Everything one after the other is an upper bound of the makespan without failures.
    double total_ms = 0;
    for (const OpTime& t : p_.times) total_ms += t.model.typical_ms() * static_cast<double>(m);
    for (const auto* list : {&p_.forward_hop, &p_.backward_hop}) {
      for (const Hop& h : *list)
        total_ms += to_ms(Time{h.wire_ps + h.latency_ps}) * static_cast<double>(m);
    }
    total_ms *= static_cast<double>(p_.simulation.batches);
    if (!(total_ms < to_ms(kMaxRunTime))) {
      problems_.push_back(error(Code::LimitTime, "simulation",
                                "the run could take more than 100 days of simulated time, which is "
                                "the most that is kept exactly"));
    }
  }

  const Scenario& scenario_;
  const Network& network_;
  const Costs& costs_;
  Diagnostics& notes_;
  Program p_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> link_index_;
  Diagnostics problems_;
};

}  // namespace

Result<Program> compile(const Scenario& scenario, const Network& network, const Costs& costs,
                        Plan plan, Diagnostics& notes) {
  return Compiler(scenario, network, costs, std::move(plan), notes).compile();
}

}  // namespace sluice

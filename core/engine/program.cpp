#include "engine/program.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/own_updates.hpp"

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
    p_.machine.price_per_kWh = scenario.hardware.price_per_kWh;
  }

  Result<Program> compile() {
    add_ranks();
    slices_ = p_.plan.slices();
    p_.calls = costs_.calls;
    p_.boundary = bytes_from(static_cast<double>(costs_.boundary.value) / slices_);
    p_.boundary_of_pipe = costs_.boundary_of_pipe;
    p_.plays = static_cast<std::uint32_t>(p_.simulation.batches / p_.plan.batches_in_order);
    for (int s = 0; s < p_.plan.stages(); ++s) add_stage(static_cast<std::size_t>(s));
    add_optimizer();
    add_explicit_links();
    add_trouble();
    check_limits();
    check_cells();
    if (!problems_.empty()) return problems_;
    return std::move(p_);
  }

 private:
  void add_ranks() {
    for (const DeviceId d : p_.plan.device_of_rank) p_.device_of_rank.push_back(d.value);
    const std::size_t devices = p_.machine.devices.size();
    p_.first_rank.assign(devices + 1, 0);
    p_.update_slot.assign(devices, 0);
    for (std::uint32_t d = 0; d < devices; ++d) {
      for (std::uint32_t r = 0; r < p_.device_of_rank.size(); ++r) {
        if (p_.device_of_rank[r] == d) p_.ranks_of_device.push_back(r);
      }
      p_.first_rank[d + 1] = static_cast<std::uint32_t>(p_.ranks_of_device.size());
    }
    for (std::size_t s = 0; s < p_.plan.placement.rank_of_stage.size(); ++s) {
      if (!p_.plan.placement.has(s)) continue;
      const std::uint32_t device = p_.device_of_rank[p_.plan.placement.rank_of_stage[s]];
      const auto& known = p_.stage_devices;
      if (std::find(known.begin(), known.end(), device) != known.end()) continue;
      p_.update_slot[device] = static_cast<std::uint32_t>(p_.stage_devices.size());
      p_.stage_devices.push_back(device);
      p_.first_stage.push_back(static_cast<std::uint16_t>(s));
    }
  }

  [[nodiscard]] std::uint32_t device_of_stage(std::size_t s) const {
    return p_.device_of_rank[p_.plan.placement.rank_of_stage[s]];
  }

  void add_stage(std::size_t s) {
    const StageCosts& cost = costs_.stages[s];
    const bool there = p_.plan.placement.has(s);
    const std::uint64_t key = there ? p_.machine.devices[device_of_stage(s)].key : 0;
    const DurationModel nothing;
    for (const DurationModel* model :
         {&cost.forward, &cost.backward, &cost.input_grad, &cost.weight_grad,
          cost.overlapped ? &*cost.overlapped : &nothing}) {
      OpTime time;
      time.model = *model;
      time.model.offset_ms /= slices_;
      time.model.scale /= slices_;
      time.noisy = !model->fixed();
      time.key = key;
      time.sum = model == &nothing;
      time.fixed_ps = time_from_ms(time.model.typical_ms()).value_or(kMaxRunTime).ps;
      p_.times.push_back(time);
    }
    p_.means.push_back({.forward_ms = cost.forward.typical_ms(),
                        .backward_ms = cost.backward.typical_ms(),
                        .input_grad_ms = cost.input_grad.typical_ms(),
                        .weight_grad_ms = cost.weight_grad.typical_ms()});
    p_.gather_ps.push_back(cost.gather.ps);
    p_.first_extra_ps.push_back(cost.first_extra.ps);
    const bool first = !there || p_.plan.placement.opens(s);
    const bool last = !there || p_.plan.placement.closes(s);
    p_.forward_hop.push_back(last ? Hop{} : hop(s, s + 1));
    p_.backward_hop.push_back(first ? Hop{} : hop(s, s - 1));
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
    const auto time = time_from_ms(link.wire_ms(bytes));
    if (time) return time->ps;
    problems_.push_back(
        error(Code::LimitTime, "hardware", "a transfer would take more than 100 days"));
    return 0;
  }

  // Between two stages of a pipe.
  Hop hop(std::size_t from_stage, std::size_t to_stage) {
    const std::uint32_t from = device_of_stage(from_stage);
    const std::uint32_t to = device_of_stage(to_stage);
    const auto bytes = static_cast<double>(p_.boundary_of(from_stage).value);
    Hop out;
    out.to_device = to;
    if (from == to) return out;
    out.link = link_index(from, to);
    if (out.link == kNoLink) return out;
    const Link& link = p_.machine.links[out.link];
    const bool timed = p_.simulation.transfers != Transfers::Latency;
    out.wire_ps = timed ? wire_ps(link, bytes) : 0;
    const auto held = time_from_ms(link.held_ms(bytes, static_cast<double>(p_.calls.buffer.value)));
    out.held_ps = timed ? held.value_or(kMaxRunTime).ps : 0;
    out.latency_ps = link.latency.ps;
    out.noisy = !link.jitter.fixed() || link.jitter.a != 0;
    return out;
  }

  void add_optimizer() {
    const OptimizerSection& o = scenario_.optimizer;
    p_.updates = o.enabled;
    p_.accumulation_steps = o.accumulation_steps;
    for (const std::uint32_t d : p_.stage_devices)
      p_.update.push_back(costs_.device_updates.empty() ? costs_.update : costs_.device_updates[d]);
    p_.barrier = costs_.barrier;
    if (p_.plan.order && !p_.plan.order->updates.empty()) {
      const auto ring = [this](Program::Sum& sum) { add_ring(sum); };
      const auto wire = [this](const Link& link, double bytes) { return wire_ps(link, bytes); };
      const LinkTools tools{ring, wire};
      return add_own_updates(p_, o.enabled, costs_, tools, notes_);
    }
    if (o.enabled && costs_.tied) add_tied(*costs_.tied);
    for (const GradientSum& sum : costs_.sums) add_sum(sum);
    if (!o.enabled || costs_.gradient.value == 0 || !p_.plan.placement.lengths.empty()) return;
    if (p_.simulation.options.allreduce_over == AllReduceOver::Replicas) {
      if (p_.plan.placement.pipes > 1) return exchange_between_copies();
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

  void add_tied(const TiedReduction& tied) {
    const Placement& placement = p_.plan.placement;
    Program::Tied out;
    out.first_rank = placement.rank_of_stage.front();
    out.last_rank = placement.rank_of_stage[static_cast<std::size_t>(placement.stages()) - 1];
    const std::uint32_t a = p_.device_of_rank[out.first_rank];
    const std::uint32_t b = p_.device_of_rank[out.last_rank];
    out.links[0] = reduction_link(a, b);
    out.links[1] = reduction_link(b, a);
    const auto time =
        time_from_ms(static_cast<double>(tied.bytes.value) / tied.rate * kMsPerSecond);
    out.duration_ps = time.value_or(kMaxRunTime).ps;
    p_.tied = out;
  }

  void add_ring(Program::Sum& sum) {
    for (std::size_t i = 0; i < sum.ranks.size(); ++i) {
      const std::uint32_t from = p_.device_of_rank[sum.ranks[i]];
      const std::uint32_t to = p_.device_of_rank[sum.ranks[(i + 1) % sum.ranks.size()]];
      const std::uint32_t link = from == to ? kNoLink : link_index(from, to);
      if (link != kNoLink) sum.links.push_back(link);
    }
  }

  void add_sum(const GradientSum& sum) {
    Program::Sum out{.ranks = sum.ranks, .stages = {}, .links = {}, .duration_ps = 0, .bytes = {}};
    add_ring(out);
    out.duration_ps = time_from_ms(sum.ms).value_or(kMaxRunTime).ps;
    p_.sums.push_back(std::move(out));
  }

  // The first and the last stage may be joined by nothing that the scenario names: the calibration
  // knows their cards.
  std::uint32_t reduction_link(std::uint32_t from, std::uint32_t to) {
    const auto known = link_index_.find({from, to});
    if (known != link_index_.end()) return known->second;
    Link link;
    link.from = DeviceId{from};
    link.to = DeviceId{to};
    link.bandwidth = {costs_.tied->rate};
    const auto index = static_cast<std::uint32_t>(p_.machine.links.size());
    p_.machine.links.push_back(link);
    link_index_[{from, to}] = index;
    return index;
  }

  // Two pipes over the same ranks hold the same weights: each stage sends its gradient to its other
  // copy, which for two is the whole all-reduce.
  void exchange_between_copies() {
    const Placement& placement = p_.plan.placement;
    const int stages = placement.stages();
    const int parts = std::max(1, stages / placement.ranks);
    const double bytes = static_cast<double>(costs_.gradient.value) / parts;
    p_.collective_rounds = 1;
    p_.collective_bytes = bytes_from(bytes);
    for (int s = 0; s < stages; ++s) {
      const std::uint32_t a = device_of_stage(static_cast<std::size_t>(s));
      const std::uint32_t b =
          device_of_stage(static_cast<std::size_t>(s) + static_cast<std::size_t>(stages));
      if (a == b) continue;
      add_collective_hop(a, b, bytes);
      add_collective_hop(b, a, bytes);
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

  void add_trouble() {
    if (!scenario_.stragglers.empty()) slow_down(p_, paces_of(scenario_, p_.machine, problems_));
    if (!p_.failure.enabled) return;
    p_.components = components_of(scenario_, p_.machine, problems_);
    const FailureSection& f = p_.failure;
    const auto refuse = [&](const char* path, const char* what) {
      problems_.push_back(error(Code::ScheduleConstraint, path, what));
    };
    if (f.recovery == Recovery::Operation) {
      if (f.spares > 0)
        refuse("failure.spares",
               "a spare takes over when work begins anew; it needs recovery: step or checkpoint");
      if (f.checkpoint != CheckpointSection{})
        refuse("failure.checkpoint", "checkpoints need recovery: checkpoint");
      return;
    }
    if (!p_.simulation.step_barrier)
      refuse("failure.recovery", "steps can be begun anew only with simulation.step_barrier: true");
    if (p_.simulation.options.failure_effect == FailureEffect::DelayStarts)
      refuse("failure.recovery", "where outages only delay starts, nothing is lost to recover");
  }

  void check_limits() {
    const std::vector<std::int64_t> units = p_.plan.units_of_pipes();
    const auto per_pipe = static_cast<std::size_t>(p_.plan.placement.stages());
    const auto parts = static_cast<std::uint64_t>(p_.plan.split_backward ? 3 : 2);
    p_.operations_per_batch = 0;
    std::uint64_t transfers = 0;
    // Everything one after the other is an upper bound of the makespan without failures.
    double total_ms = 0;
    for (std::size_t s = 0; s < p_.forward_hop.size(); ++s) {
      if (!p_.plan.placement.has(s)) continue;
      const auto n = static_cast<std::uint64_t>(units[s / per_pipe]);
      const auto times = static_cast<double>(n);
      p_.operations_per_batch += n * parts;
      for (const Hop* h : {&p_.forward_hop[s], &p_.backward_hop[s]}) {
        transfers += h->link != kNoLink ? n : 0;
        total_ms += to_ms(Time{h->wire_ps + h->latency_ps}) * times;
      }
      // At worst the rank turns to another stage at every forward and backward.
      total_ms += 2 * to_ms(Time{p_.gather_ps[s]}) * times;
      for (int k = 0; k < kTimedKinds; ++k) {
        const std::size_t at = s * kTimedKinds + static_cast<std::size_t>(k);
        total_ms += p_.times[at].model.typical_ms() * times;
      }
    }
    if (p_.plan.order) {
      p_.operations_per_batch = 0;
      for (int r = 0; r < p_.plan.ranks(); ++r)
        p_.operations_per_batch += p_.plan.order->of_rank(r).size();
    }
    std::size_t updates = 1;
    if (p_.own_updates) {
      p_.operations_per_batch += p_.plan.order->updates.size();
      for (const OrderUpdate& update : p_.plan.order->updates)
        updates = std::max(updates, std::size_t{update.number} + 1);
      for (const DurationModel& update : p_.update)
        total_ms += update.typical_ms() * static_cast<double>(updates);
    }
    if (p_.tied) {
      total_ms += to_ms(Time{p_.tied->duration_ps});
      transfers += 2;
      if (!p_.simulation.step_barrier) {
        problems_.push_back(error(Code::ScheduleConstraint, "simulation.step_barrier",
                                  "a tied embedding is reduced at the end of each step; it needs "
                                  "step_barrier: true"));
      }
    }
    for (const Program::Sum& sum : p_.sums) {
      total_ms += to_ms(Time{sum.duration_ps}) * static_cast<double>(updates);
      transfers += sum.links.size() * updates;
    }
    p_.rows_per_batch = p_.operations_per_batch + transfers +
                        static_cast<std::uint64_t>(p_.collective.size()) * p_.collective_rounds +
                        p_.stage_devices.size();
    if (!p_.plan.order && !p_.simulation.step_barrier) {
      problems_.push_back(error(Code::ScheduleConstraint, "simulation.step_barrier",
                                "a policy plays batch by batch; it needs step_barrier: true"));
    }
    if (p_.simulation.communication != Communication::Async) {
      const char* reason = !p_.plan.order ? "a policy has no order of sends and receives"
                           : p_.failure.enabled
                               ? "outages interrupt transfers, which only async allows"
                               : nullptr;
      if (reason != nullptr) {
        problems_.push_back(error(Code::ScheduleConstraint, "simulation.communication",
                                  std::string(reason) + "; it needs communication: async"));
      }
    }
    total_ms *= p_.plays;
    if (!(total_ms < to_ms(kMaxRunTime))) {
      problems_.push_back(error(Code::LimitTime, "simulation",
                                "the run could take more than 100 days of simulated time, which is "
                                "the most that is kept exactly"));
    }
  }

  // A cell cannot be over before its longer half is.
  void check_cells() {
    if (!p_.plan.order) return;
    const auto& operations = p_.plan.order->operations;
    const auto overlaps = [](const Operation& op) { return op.kind == OpKind::Overlapped; };
    if (std::none_of(operations.begin(), operations.end(), overlaps)) return;
    // Other pipes are copies of the first.
    for (std::size_t s = 0; s < static_cast<std::size_t>(p_.plan.placement.stages()); ++s) {
      const OpTime* t = &p_.times[s * kTimedKinds];
      const auto ps = [&](OpKind kind) { return t[static_cast<std::size_t>(kind)].fixed_ps; };
      const OpTime& cell = t[static_cast<std::size_t>(OpKind::Overlapped)];
      if (cell.sum || cell.fixed_ps >= std::max(ps(OpKind::Forward), ps(OpKind::Backward)))
        continue;
      const std::string rank = std::to_string(p_.plan.placement.rank_of_stage[s]);
      notes_.push_back(
          warning(Code::OverlapShort, "pipeline.stages[" + rank + "].overlapped",
                  "an overlapped cell of rank " + rank + " is shorter than its longer half",
                  "at least the longer of forward and backward"));
    }
  }

  const Scenario& scenario_;
  const Network& network_;
  const Costs& costs_;
  Diagnostics& notes_;
  Program p_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> link_index_;
  Diagnostics problems_;
  int slices_ = 1;
};

}  // namespace

Result<Program> compile(const Scenario& scenario, const Network& network, const Costs& costs,
                        Plan plan, Diagnostics& notes) {
  return Compiler(scenario, network, costs, std::move(plan), notes).compile();
}

}  // namespace sluice

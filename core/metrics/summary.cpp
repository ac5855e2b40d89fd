#include "metrics/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "base/stable_order.hpp"
#include "metrics/bound.hpp"

namespace sluice {
namespace {

// Union of intervals that come in the order of their starts.
struct Union {
  std::int64_t covered = 0;
  std::int64_t until = -1;

  void add(std::int64_t start, std::int64_t end) {
    if (start > until) {
      covered += end - start;
      until = end;
    } else if (end > until) {
      covered += end - until;
      until = end;
    }
  }
};

struct LinkTally {
  Union busy;
  std::uint64_t transfers = 0;
  std::uint64_t contended = 0;
  std::uint32_t peak = 0;
  /// Ends of transfers that may still overlap, and whether each is counted as contended.
  struct Open {
    std::int64_t end;
    bool counted;
  };
  std::vector<Open> open;

  void add(std::int64_t start, std::int64_t end) {
    busy.add(start, end);
    ++transfers;
    std::erase_if(open, [&](const Open& o) { return o.end <= start; });
    bool own = false;
    if (end > start) {
      for (Open& o : open) {
        own = true;
        if (!o.counted) ++contended;
        o.counted = true;
      }
      if (own) ++contended;
      open.push_back({end, own});
    }
    peak = std::max(peak, std::max<std::uint32_t>(1, static_cast<std::uint32_t>(open.size())));
  }
};

struct StageTally {
  std::array<std::int64_t, kOpKinds> time{};
  std::array<std::uint64_t, kOpKinds> count{};
  std::array<std::int64_t, kOpKinds> sent_time{};
  std::array<std::uint64_t, kOpKinds> sent_count{};
};

struct RankTally {
  Union busy;
  std::int64_t first = -1;
  std::int64_t last = 0;
  /// What is busy until the first backward, and from the last forward on, is known at the end only:
  /// busy time so far at these two moments.
  std::int64_t first_backward = -1;
  std::int64_t busy_before_backward = 0;
  std::int64_t last_forward = 0;
  std::int64_t busy_until_last_forward = 0;
  std::size_t held_stage = SIZE_MAX;
  std::uint32_t held_batch = 0;
  std::uint64_t gathers = 0;
  double live_weight = 0;
  double live_input = 0;
  double live_half = 0;
  double peak_weight = 0;
  double peak_input = 0;
  double peak_half = 0;

  void span(OpKind kind, std::int64_t start, std::int64_t end) {
    if (first < 0) first = start;
    last = std::max(last, end);
    const bool forward = kind == OpKind::Forward || kind == OpKind::Overlapped;
    const bool backward =
        kind == OpKind::Backward || kind == OpKind::InputGrad || kind == OpKind::Overlapped;
    if (backward && first_backward < 0) {
      first_backward = start;
      busy_before_backward = busy.covered;
    }
    busy.add(start, end);
    if (forward) {
      last_forward = end;
      busy_until_last_forward = busy.covered;
    }
  }

  // Weights change with the batch; a weight gradient needs none.
  void turn_to(std::size_t stage, std::uint32_t batch, OpKind kind) {
    if (kind == OpKind::WeightGrad || (stage == held_stage && batch == held_batch)) return;
    held_stage = stage;
    held_batch = batch;
    ++gathers;
  }

  [[nodiscard]] IdleByPosition idle(std::int64_t from, std::int64_t until) const {
    const std::int64_t all = until - from - busy.covered;
    if (first_backward < 0) return {.warm_up = {all}, .steady = {}, .drain = {}};
    const std::int64_t warm_up = first_backward - from - busy_before_backward;
    const bool drains_later = last_forward > first_backward;
    const std::int64_t turn = drains_later ? last_forward : first_backward;
    const std::int64_t busy_after =
        busy.covered - (drains_later ? busy_until_last_forward : busy_before_backward);
    const std::int64_t drain = until - turn - busy_after;
    return {.warm_up = {warm_up}, .steady = {all - warm_up - drain}, .drain = {drain}};
  }

  // Rows of a rank come in time order and do not overlap, so releases of earlier rows are already
  // counted.
  void track(OpKind kind) {
    switch (kind) {
      case OpKind::Forward:
      case OpKind::Overlapped:
        peak_weight = std::max(peak_weight, ++live_weight);
        peak_input = std::max(peak_input, ++live_input);
        live_half += 1;
        peak_half = std::max(peak_half, live_half);
        break;
      case OpKind::Backward:
        --live_weight;
        --live_input;
        live_half -= 1;
        break;
      case OpKind::InputGrad:
        --live_input;
        live_half -= 0.5;
        break;
      case OpKind::WeightGrad:
        --live_weight;
        live_half -= 0.5;
        break;
      default:
        break;
    }
  }
};

class Summarizer {
 public:
  Summarizer(const Program& program, const Costs& costs, const Scenario& scenario,
             const Trace& trace)
      : p_(program),
        costs_(costs),
        scenario_(scenario),
        t_(trace),
        stages_(static_cast<std::size_t>(program.plan.stages())),
        ranks_(static_cast<std::size_t>(program.plan.ranks())),
        links_(program.machine.links.size()),
        devices_(program.machine.devices.size()),
        memory_(program, costs),
        began_(static_cast<std::size_t>(program.plan.microbatches) *
                   static_cast<std::size_t>(program.simulation.batches),
               -1),
        done_(began_.size(), -1) {}

  Summary run(const FailureLog& failures) {
    start_memory();
    if (p_.failure.enabled) {
      for (const std::uint32_t row : rows_by_start()) add(row);
    } else {
      for (std::size_t row = 0; row < t_.rows(); ++row) add(row);
    }
    finish_times();
    finish_latency();
    finish_use();
    finish_memory();
    finish_phases();
    out_.failures = failures.count;
    out_.downtime = failures.downtime;
    if (p_.failure.enabled && p_.simulation.options.failure_effect == FailureEffect::Interrupt) {
      out_.lost_work = failures.lost_work;
    }
    if (p_.failure.enabled && p_.failure.recovery != Recovery::Operation) {
      out_.rollbacks = failures.rollbacks;
      out_.checkpoints = failures.checkpoints;
      out_.lost_time = failures.lost_time;
      out_.recovering = failures.recovering;
      out_.saving = failures.saving;
      const Duration spent = failures.lost_time + failures.recovering + failures.saving;
      if (last_compute_ > 0) out_.goodput = 1 - to_ms(spent) / to_ms(Time{last_compute_});
    }
    return std::move(out_);
  }

 private:
  void start_memory() {
    const std::size_t devices = p_.machine.devices.size();
    out_.holds_stages.assign(devices, false);
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (p_.plan.placement.has(s))
        out_.holds_stages[p_.device_of_rank[p_.plan.placement.rank_of_stage[s]]] = true;
    }
    peak_row_.assign(devices, kNoRow);
    for (std::size_t d = 0; d < devices; ++d) {
      out_.memory_parts.push_back(memory_.held(d));
      out_.peak_memory.push_back(memory_.held(d).total());
    }
  }

  // Outages make transfers wait, so that rows of a link may start in another order than they were
  // asked for.
  [[nodiscard]] std::vector<std::uint32_t> rows_by_start() const {
    return stable_order(
        t_.rows(), [&](std::uint32_t a, std::uint32_t b) { return t_.start[a] < t_.start[b]; });
  }

  void add(std::size_t row) {
    const OpKind kind = t_.kind_at(row);
    const std::int64_t start = t_.start[row];
    const std::int64_t end = t_.end[row];
    if (kind == OpKind::Failure) return;
    last_of_all_ = std::max(last_of_all_, end);
    first_of_all_ = first_of_all_ < 0 ? start : std::min(first_of_all_, start);
    const std::uint32_t resource = t_.resource[row];
    if (resource >= t_.devices) {
      out_.transfer += Time{end - start};
      links_[resource - t_.devices].add(start, end);
      if (kind == OpKind::AllReduce) {
        out_.allreduce += Time{end - start};
      } else {
        ++out_.messages;
        out_.message_bytes += p_.boundary_of(t_.stage[row]);
      }
      const std::size_t stage = t_.stage[row] == kNoStage
                                    ? first_stage_of(p_.machine.links[resource - t_.devices].from)
                                    : t_.stage[row];
      if (stage < stages_.size()) {
        stages_[stage].sent_time[static_cast<std::size_t>(kind)] += end - start;
        ++stages_[stage].sent_count[static_cast<std::size_t>(kind)];
      }
      return;
    }
    add_compute(row, kind, start, end);
  }

  [[nodiscard]] std::size_t first_stage_of(DeviceId device) const {
    for (std::size_t i = 0; i < p_.stage_devices.size(); ++i) {
      if (p_.stage_devices[i] == device.value) return p_.first_stage[i];
    }
    return stages_.size();
  }

  void add_compute(std::size_t row, OpKind kind, std::int64_t start, std::int64_t end) {
    const std::size_t stage = t_.stage[row];
    StageTally& s = stages_[stage];
    RankTally& rank = ranks_[p_.plan.placement.rank_of_stage[stage]];
    if (!t_.second_half(row)) {
      devices_[t_.resource[row]].add(start, end);
      rank.span(kind, start, end);
      last_compute_ = std::max(last_compute_, end);
      first_compute_ = first_compute_ < 0 ? start : std::min(first_compute_, start);
      out_.compute += Time{end - start};
      s.time[static_cast<std::size_t>(kind)] += end - start;
    }
    ++s.count[static_cast<std::size_t>(kind)];
    if (kind == OpKind::Update) out_.weight_update += Time{end - start};
    track_memory(row);
    if (!t_.per_microbatch(row)) return;
    std::int64_t& began = began_[t_.unit_at(row)];
    if (began < 0 || start < began) began = start;
    if (!t_.done_at(row)) return;
    rank.turn_to(stage, t_.batch_at(row), kind);
    rank.track(kind);
    const bool first = p_.plan.placement.opens(stage);
    if (first && (kind == OpKind::Backward || kind == OpKind::InputGrad))
      done_[t_.unit_at(row)] = end;
  }

  void track_memory(std::size_t row) {
    const std::uint32_t d = t_.resource[row];
    const MemoryParts& held = memory_.begin(t_, row);
    if (held.total() > out_.peak_memory[d]) {
      out_.peak_memory[d] = held.total();
      out_.memory_parts[d] = held;
      peak_row_[d] = static_cast<std::uint32_t>(row);
    }
    memory_.end(t_, row);
  }

  void finish_times() {
    out_.makespan = {
        std::max<std::int64_t>(0, last_compute_ - std::max<std::int64_t>(0, first_compute_))};
    out_.trace_duration = {
        std::max<std::int64_t>(0, last_of_all_ - std::max<std::int64_t>(0, first_of_all_))};
    double work = 0;
    std::int64_t most_work = 0;
    std::int64_t span = 0;
    for (const RankTally& r : ranks_) {
      most_work = std::max(most_work, r.busy.covered);
      work += static_cast<double>(r.busy.covered);
      span = std::max(span, r.last - std::max<std::int64_t>(0, r.first));
      out_.idle.push_back(r.idle(std::max<std::int64_t>(0, first_compute_), last_compute_));
    }
    const double lanes = static_cast<double>(ranks_.size());
    const double whole = static_cast<double>(out_.makespan.ps) * lanes;
    if (whole > 0) out_.bubble.idle_over_makespan = 1.0 - work / whole;
    if (work > 0) out_.bubble.idle_over_work = (whole - work) / work;
    if (span > 0) {
      out_.bubble.span = 1.0 - static_cast<double>(most_work) / static_cast<double>(span);
    }
    out_.lower_bound = p_.failure.enabled ? std::nullopt : sluice::lower_bound(p_);
    finish_mfu();
  }

  void finish_mfu() {
    double flops = 0;
    double peak = 0;
    const std::vector<std::int64_t> units = p_.plan.units_of_pipes();
    const double times = static_cast<double>(p_.plays) / p_.plan.slices();
    const auto per_pipe = static_cast<std::size_t>(p_.plan.placement.stages());
    for (std::size_t s = 0; s < costs_.stages.size(); ++s) {
      if (!p_.plan.placement.has(s)) continue;
      const StageCosts& stage = costs_.stages[s];
      if (stage.forward_flops == 0) return;
      // Of layers, twice the forward whatever time the backward takes.
      constexpr double kBackward = 2;
      const double backward = stage.forward_terms ? kBackward : scenario_.pipeline.backward_factor;
      const double carried = static_cast<double>(units[s / per_pipe]) * times;
      flops += stage.forward_flops * (1 + backward) * carried;
    }
    for (std::size_t i = 0; i < p_.stage_devices.size(); ++i) {
      peak += p_.machine.devices[p_.stage_devices[i]].peak.value *
              costs_.stages[p_.first_stage[i]].devices;
    }
    const double seconds = to_seconds(out_.makespan);
    if (seconds > 0 && peak > 0) out_.mfu = flops / (peak * seconds);
  }

  [[nodiscard]] double mean_micro_batch() const {
    if (scenario_.pipelines.empty())
      return static_cast<double>(scenario_.pipeline.micro_batch_size);
    double samples = 0;
    for (const PipelineEntry& p : scenario_.pipelines)
      samples += static_cast<double>(p.local_batch);
    return samples / p_.plan.microbatches;
  }

  void finish_latency() {
    std::vector<double> latencies;
    std::int64_t first = -1;
    std::int64_t last = 0;
    double total = 0;
    for (std::size_t i = 0; i < done_.size(); ++i) {
      if (done_[i] < 0) continue;
      const double ms = to_ms(Time{done_[i] - began_[i]});
      latencies.push_back(ms);
      total += ms;
      first = first < 0 ? began_[i] : std::min(first, began_[i]);
      last = std::max(last, done_[i]);
    }
    out_.completed_microbatches = latencies.size();
    out_.throughput_until = p_.simulation.options.throughput_until;
    out_.micro_batch_size = mean_micro_batch();
    out_.replicas = scenario_.pipeline.data_parallel;
    if (scenario_.pipeline.model) out_.seq_len = scenario_.pipeline.model->seq_len;
    if (latencies.empty()) return;
    if (out_.throughput_until == ThroughputUntil::WorkEnd) last = last_compute_;
    if (last > first)
      out_.throughput_per_ms = static_cast<double>(latencies.size()) / to_ms(Time{last - first});
    out_.latency_mean_ms = total / static_cast<double>(latencies.size());
    sort_stably(latencies, std::less<>());
    out_.latency_p50_ms = percentile(latencies, 0.5);
    out_.latency_p99_ms = percentile(latencies, 0.99);
  }

  void finish_use() {
    const auto share = [](std::int64_t part, Duration whole) {
      return whole.ps > 0 ? static_cast<double>(part) / static_cast<double>(whole.ps) : 0.0;
    };
    for (const RankTally& r : ranks_) {
      out_.rank_utilization.push_back(share(r.busy.covered, out_.makespan));
      out_.in_flight_until_weight.push_back(r.peak_weight);
      out_.in_flight_until_input.push_back(r.peak_input);
      out_.in_flight_half.push_back(r.peak_half);
      out_.weight_gathers.push_back(r.gathers);
    }
    for (const Union& d : devices_)
      out_.device_utilization.push_back(share(d.covered, out_.trace_duration));
    std::uint64_t transfers = 0;
    std::uint64_t contended = 0;
    for (std::uint32_t l = 0; l < links_.size(); ++l) {
      const LinkTally& tally = links_[l];
      if (tally.transfers == 0) continue;
      out_.links.push_back({.link = l,
                            .transfers = tally.transfers,
                            .utilization = share(tally.busy.covered, out_.trace_duration),
                            .peak_concurrency = tally.peak,
                            .contended_fraction = static_cast<double>(tally.contended) /
                                                  static_cast<double>(tally.transfers)});
      out_.peak_concurrency = std::max(out_.peak_concurrency, tally.peak);
      transfers += tally.transfers;
      contended += tally.contended;
    }
    if (transfers > 0)
      out_.contended_fraction = static_cast<double>(contended) / static_cast<double>(transfers);
  }

  void finish_memory() {
    for (const std::uint32_t row : peak_row_) {
      out_.memory_peaks.push_back(row == kNoRow ? MemoryPeak{}
                                                : MemoryPeak{{t_.start[row]}, row_text(t_, row)});
    }
    for (std::size_t d = 0; d < p_.machine.devices.size(); ++d) {
      out_.memory_capacity.push_back(p_.machine.devices[d].memory_capacity);
      if (out_.holds_stages[d] && out_.peak_memory[d] > out_.memory_capacity[d]) out_.fits = false;
    }
  }

  [[nodiscard]] std::string phase_name(OpKind kind) const {
    switch (kind) {
      case OpKind::Forward:
        return "FORWARD";
      case OpKind::Overlapped:
        return "OVERLAPPED";
      case OpKind::Backward:
        return "BACKWARD";
      case OpKind::InputGrad:
        return "BACKWARD_B";
      case OpKind::WeightGrad:
        return "BACKWARD_W";
      case OpKind::Update:
        return "OPTIMIZER";
      case OpKind::Activation:
        return "TRANSFER_FORWARD";
      case OpKind::Gradient:
        return p_.plan.split_backward ? "TRANSFER_BACKWARD_B" : "TRANSFER_BACKWARD";
      case OpKind::AllReduce:
        return "TRANSFER_OPTIMIZER";
      default:
        return std::string(kind_text(kind));
    }
  }

  void finish_phases() {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageTally& tally = stages_[s];
      std::vector<PhaseTotal> own;
      for (std::size_t k = 0; k < kOpKinds; ++k) {
        const std::uint64_t count = tally.count[k] + tally.sent_count[k];
        if (count == 0) continue;
        own.push_back({.stage = static_cast<std::int32_t>(s),
                       .phase = phase_name(static_cast<OpKind>(k)),
                       .count = count,
                       .total_ms = to_ms(Time{tally.time[k] + tally.sent_time[k]})});
      }
      sort_stably(own, [](const PhaseTotal& a, const PhaseTotal& b) { return a.phase < b.phase; });
      out_.phases.insert(out_.phases.end(), own.begin(), own.end());
    }
  }

  const Program& p_;
  const Costs& costs_;
  const Scenario& scenario_;
  const Trace& t_;
  std::vector<StageTally> stages_;
  std::vector<RankTally> ranks_;
  std::vector<LinkTally> links_;
  std::vector<Union> devices_;
  MemoryLedger memory_;
  /// By device, the row of its peak.
  std::vector<std::uint32_t> peak_row_;
  std::vector<std::int64_t> began_;
  std::vector<std::int64_t> done_;
  std::int64_t first_compute_ = -1;
  std::int64_t last_compute_ = 0;
  std::int64_t first_of_all_ = -1;
  std::int64_t last_of_all_ = 0;
  Summary out_;
};

}  // namespace

double percentile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = at - std::floor(at);
  return sorted[below] + (sorted[below + 1] - sorted[below]) * part;
}

Summary summarize(const Program& program, const Costs& costs, const Scenario& scenario,
                  const Trace& trace, const FailureLog& failures) {
  return Summarizer(program, costs, scenario, trace).run(failures);
}

}  // namespace sluice

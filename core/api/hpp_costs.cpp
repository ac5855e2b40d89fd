#include "api/hpp_costs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/stable_order.hpp"
#include "cost/gradient_groups.hpp"
#include "cost/layers.hpp"
#include "cost/memory.hpp"
#include "cost/step.hpp"

namespace sluice {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kUsPerMs = 1000;
constexpr double kMsPerSecond = 1000;
constexpr double kHalf = 2;
constexpr double kFull = 4;

double wide(std::int64_t bytes) {
  return static_cast<double>(bytes);
}

std::string entry_path(std::size_t i) {
  return "plan.cluster[" + std::to_string(i) + "]";
}

}  // namespace

HppCosts::HppCosts(Scenario scenario, const Presets& presets)
    : scenario_(std::move(scenario)),
      presets_(presets),
      calibration_(presets.calibration(scenario_.pipeline.calibration)),
      model_(complete(scenario_.pipeline.model.value_or(ModelShape{}))) {}

Result<HppCosts> HppCosts::make(const Scenario& scenario, const Presets& presets) {
  HppCosts out(scenario, presets);
  Diagnostics problems = out.prepare();
  if (!problems.empty()) return problems;
  return out;
}

Diagnostics HppCosts::prepare() {
  Diagnostics problems;
  const auto refuse = [&](Code code, const std::string& path, const std::string& message,
                          const std::string& hint = "") {
    problems.push_back(error(code, path, message, hint));
  };
  const PipelineSection& p = scenario_.pipeline;
  if (!scenario_.plan) {
    refuse(Code::KeyMissing, "plan", "`plan` is missing",
           "a cluster and a global batch to find pipelines for");
    return problems;
  }
  const PlanSection& plan = *scenario_.plan;
  if (!p.stages.empty()) {
    refuse(Code::KeyConflict, "pipeline.stages", "stages are what a plan looks for",
           "leave them out, or `sluice tune` the pipeline that is written");
  }
  if (!p.layer_costs.empty()) {
    refuse(Code::KeyConflict, "pipeline.layer_costs",
           "a plan takes times and memory from `model` alone");
  }
  if (!p.model) {
    refuse(Code::KeyMissing, "pipeline.model", "`model` is missing");
    return problems;
  }
  const Diagnostics shape = check_shape(model_);
  problems.insert(problems.end(), shape.begin(), shape.end());
  if (model_.seq_len == 0)
    refuse(Code::KeyMissing, "pipeline.model.seq_len", "`seq_len` is missing");
  if (model_.layers == 0) refuse(Code::KeyMissing, "pipeline.model.layers", "`layers` is missing");
  if (calibration_ == nullptr) {
    refuse(Code::ReferencePreset, "pipeline.calibration",
           "no calibration has the name \"" + p.calibration + "\"");
  }
  if (plan.cluster.empty()) refuse(Code::ValueEmpty, "plan.cluster", "a cluster has nodes");
  // With others divisions of the batch would not add up.
  std::erase_if(scenario_.plan->micro_batch_sizes,
                [&](std::int64_t m) { return plan.global_batch % m != 0; });
  if (plan.micro_batch_sizes.empty()) {
    refuse(Code::ValueRange, "plan.micro_batch_sizes",
           "none of them divides the global batch of " + std::to_string(plan.global_batch));
  }
  if (!problems.empty()) return problems;
  const auto runs = layer_runs(model_, 0, model_.layers);
  if (runs.size() > 1) {
    refuse(Code::KeyConflict, "pipeline.model",
           "a plan needs layers that are all alike, and these are of several kinds");
  }
  sort_stably(scenario_.plan->micro_batch_sizes, std::less<>());
  sort_stably(scenario_.plan->tensor_parallel, std::less<>());
  for (const std::int64_t t : plan.tensor_parallel) {
    if (model_.heads % t != 0) {
      refuse(Code::ValueRange, "plan.tensor_parallel",
             std::to_string(t) + " does not divide the model's " + std::to_string(model_.heads) +
                 " heads");
    }
  }
  for (std::size_t i = 0; i < plan.cluster.size(); ++i) add_device(i, problems);
  return problems;
}

void HppCosts::add_device(std::size_t index, Diagnostics& problems) {
  const NodeGroup& g = scenario_.plan->cluster[index];
  const DevicePreset* preset = presets_.device(g.gpu);
  if (preset == nullptr || preset->device_class != DeviceClass::Gpu) {
    std::vector<std::string> names;
    for (const DevicePreset& d : presets_.devices) {
      if (d.device_class == DeviceClass::Gpu) names.push_back(d.name);
    }
    problems.push_back(unknown_preset("device", g.gpu, names, entry_path(index) + ".gpu"));
    return;
  }
  const bool half = scenario_.pipeline.precision != Precision::Fp32;
  Device d;
  d.id = g.gpu;
  d.preset = g.gpu;
  d.peak = {(half ? g.tflops.value_or(preset->tflops_half) : preset->tflops_fp32) * kTera};
  d.memory_bandwidth = {g.memory_bandwidth_GBps.value_or(preset->memory_bandwidth_GBps) * kGiga};
  d.memory_capacity = bytes_from(g.memory_GiB.value_or(preset->memory_GiB) * kGiB);
  const std::optional<double> link = g.link_GBps ? g.link_GBps : preset->link_GBps;
  if (link) {
    d.link_bandwidth = BytesPerSecond{*link * kGiga};
    d.link_latency = time_from_ms(g.link_latency_us / kUsPerMs).value_or(Time{});
  } else if (g.devices > 1) {
    problems.push_back(error(Code::LinkMissing, entry_path(index) + ".link_GBps",
                             "nothing is known of the links between the devices of a node",
                             "write their bandwidth"));
  }
  devices_.push_back(d);
}

TransformerStage HppCosts::stage(const hpp::StageShape& shape, int layers, bool first,
                                 bool last) const {
  const Device& d = device(shape.type);
  return {.layers = layers,
          .first = first,
          .last = last,
          .from = 0,
          .tensor = {.size = shape.tensor,
                     .sequence = false,
                     .bandwidth = d.link_bandwidth.value_or(BytesPerSecond{}),
                     .latency = d.link_latency}};
}

const std::vector<MenuEntry>& HppCosts::menu(const hpp::StageShape& shape,
                                             std::int64_t samples) const {
  const auto [at, made] = menus_.try_emplace({shape.type, shape.tensor, samples});
  if (made) {
    at->second = recompute_menu(model_, stage(shape, 1, false, false), device(shape.type),
                                *calibration_, scenario_.pipeline.precision, wide(samples));
  }
  return at->second;
}

Recompute HppCosts::level(const hpp::StageShape& shape, std::int64_t samples,
                          std::size_t index) const {
  const std::vector<MenuEntry>& entries = menu(shape, samples);
  if (index >= entries.size()) return Recompute::Full;
  if (entries[index].again == 0) return Recompute::None;
  Recompute r{.kind = Recompute::Kind::Operators, .layers = {}};
  set_again(r, entries[index].again, Recompute::kAllLayers);
  return r;
}

Recompute HppCosts::recompute(const hpp::StageShape& shape, std::int64_t micro_batch,
                              hpp::LayerMix mix) const {
  const std::int64_t samples = micro_batch / shape.data;
  const auto index = static_cast<std::size_t>(mix.level);
  Recompute out = level(shape, samples, index);
  if (mix.heavy == 0) return out;
  out.kind = Recompute::Kind::Operators;
  const std::vector<MenuEntry>& entries = menu(shape, samples);
  const auto more = static_cast<OperatorSet>(entries[index + 1].again & ~entries[index].again);
  set_again(out, more, mix.heavy);
  return out;
}

hpp::StageFigures HppCosts::figures(const hpp::StageShape& shape, std::int64_t samples, bool first,
                                    bool last, bool full_only) const {
  const Device& d = device(shape.type);
  const double boundary = (scenario_.pipeline.precision == Precision::Fp32 ? kFull : kHalf) *
                          wide(model_.hidden_dim * model_.seq_len * samples);
  const auto memory = [&](int layers, bool edges, const Recompute& r) {
    return stage_memory(model_, stage(shape, layers, edges && first, edges && last),
                        scenario_.pipeline.precision, wide(samples), r, bytes_from(boundary));
  };
  hpp::StageFigures out;
  const StageMemory none = memory(0, true, Recompute::None);
  const StageMemory one = memory(1, true, Recompute::None);
  out.resident = wide(none.resident().value);
  out.resident_layer = wide((one.resident() - none.resident()).value);
  if (scenario_.plan->gradient_sync != GradientSync::None) {
    out.updating = wide(none.working.update.value);
    out.updating_layer = wide((one.working.update - none.working.update).value);
  }
  out.logits = wide(none.logits.value);
  out.head_gradient = wide(none.working.backward.value);
  out.forward_working = wide(none.working.forward.value);
  out.room = (1 - scenario_.hardware.memory_reserve) * wide(d.memory_capacity.value);
  const auto add = [&](const Recompute& r) {
    const auto ms = [&](int layers) {
      const auto part = [&](OpPart p) {
        return stage_time(p, model_, stage(shape, layers, first, last), d, *calibration_,
                          wide(samples), r)
            .ms;
      };
      return part(OpPart::Forward) + part(OpPart::Backward);
    };
    const StageMemory m = memory(1, false, r);
    const double first_ms = ms(1);
    out.levels.push_back(
        {first_ms, ms(2) - first_ms, wide(m.activation.value), wide(m.working.backward.value)});
  };
  const std::size_t entries = menu(shape, samples).size();
  for (std::size_t i = 0; i < (full_only ? 1 : entries); ++i) add(level(shape, samples, i));
  out.whole = static_cast<int>(out.levels.size());
  add(Recompute::Full);
  return out;
}

double HppCosts::hop_rate(const hpp::StageShape& from, const hpp::StageShape& to,
                          bool same_node) const {
  // Each device of the smaller side sends its part of its samples.
  const double lanes = std::min(from.tensor, to.tensor) * std::min(from.data, to.data);
  if (!same_node) return lanes * scenario_.plan->cross_node_GBps * kGiga;
  return lanes * device(from.type).link_bandwidth->value;
}

double HppCosts::hop_latency_us(const hpp::StageShape& from, bool same_node) const {
  const PlanSection& p = *scenario_.plan;
  return same_node ? p.cluster[static_cast<std::size_t>(from.type)].link_latency_us
                   : p.cross_node_latency_us;
}

hpp::Problem HppCosts::problem(HppRules rules) const {
  const PlanSection& plan = *scenario_.plan;
  hpp::Problem out;
  for (const NodeGroup& g : plan.cluster)
    out.types.push_back({static_cast<int>(g.nodes), static_cast<int>(g.devices)});
  out.layers = static_cast<int>(model_.layers);
  out.global_batch = plan.global_batch;
  out.micro_batches = plan.micro_batch_sizes;
  for (const std::int64_t t : plan.tensor_parallel) out.tensor_sizes.push_back(static_cast<int>(t));
  out.most_pipelines = static_cast<int>(plan.most_pipelines);
  out.recompute = rules.recompute;
  out.bounded = rules.bounded;
  out.figures = [this, full = rules.full_only](const hpp::StageShape& shape, std::int64_t samples,
                                               bool first, bool last) {
    return figures(shape, samples, first, last, full);
  };
  const double sample = (scenario_.pipeline.precision == Precision::Fp32 ? kFull : kHalf) *
                        wide(model_.hidden_dim * model_.seq_len);
  out.hop_ms = [this, sample](const hpp::StageShape& from, const hpp::StageShape& to,
                              bool same_node, std::int64_t samples) {
    return wide(samples) * sample / hop_rate(from, to, same_node) * kMsPerSecond +
           hop_latency_us(from, same_node) / kUsPerMs;
  };
  return out;
}

double HppCosts::ideal_ms() const {
  const PlanSection& plan = *scenario_.plan;
  TransformerStage whole{.layers = static_cast<int>(model_.layers), .first = true, .last = true};
  constexpr double kForwardAndBackward = 3;
  const double flops = kForwardAndBackward * stage_flops(model_, whole, wide(plan.global_batch));
  double rate = 0;
  for (std::size_t i = 0; i < plan.cluster.size(); ++i) {
    const Device& d = devices_[i];
    rate += wide(plan.cluster[i].nodes * plan.cluster[i].devices) * d.peak.value *
            calibration_->device(d.preset).matmul_efficiency;
  }
  return flops / rate * kMsPerSecond;
}

double HppCosts::behind_ms(const std::vector<hpp::PlannedPipeline>& pipelines,
                           GradientSync sync) const {
  if (sync == GradientSync::None) return 0;
  const PlanSection& plan = *scenario_.plan;
  std::vector<std::vector<HeldLayers>> held;
  /// By rank: when it is through with its last backward, and what it updates.
  std::vector<double> ready;
  std::vector<const Device*> devices;
  double last = 0;
  for (const hpp::PlannedPipeline& p : pipelines) {
    held.emplace_back();
    double end = p.pipeline.time_ms(p.microbatches);
    last = std::max(last, end);
    for (const hpp::PipelineStage& s : p.pipeline.stages) {
      held.back().push_back({s.layers, s.shape.tensor, s.shape.data});
      devices.push_back(&device(s.shape.type));
      ready.push_back(end);
    }
    // The first stage ends last; each later one so much earlier as the last gradient takes to come.
    const std::size_t first = ready.size() - p.pipeline.stages.size();
    for (std::size_t s = 0; s < p.pipeline.stages.size(); ++s) {
      ready[first + s] = end;
      constexpr double kBackward = 2.0 / 3.0;
      end -= p.pipeline.stages[s].ms * kBackward + p.pipeline.stages[s].hop_ms;
    }
  }
  const auto reach = [&](const std::vector<std::uint32_t>&) -> std::optional<Network::Reach> {
    return Network::Reach{{plan.cross_node_GBps * kGiga},
                          time_from_ms(plan.cross_node_latency_us / kUsPerMs).value_or(Time{})};
  };
  const GradientLayout layout = gradient_layout(model_, held);
  std::vector<double> own(ready.size(), 0);
  for (const GradientSum& sum : gradient_sums(
           layout, sync, tensors_of(model_), gradient_bytes(scenario_.pipeline.precision), reach)) {
    if (sum.ranks.size() == 1) {
      own[sum.ranks.front()] += sum.ms;
      continue;
    }
    double begin = 0;
    for (const std::uint32_t rank : sum.ranks) begin = std::max(begin, ready[rank]);
    for (const std::uint32_t rank : sum.ranks) ready[rank] = begin + sum.ms;
  }
  const double summed = std::max(last, *std::max_element(ready.begin(), ready.end()));
  double update = 0;
  std::size_t rank = 0;
  for (std::size_t p = 0; p < held.size(); ++p) {
    std::vector<UpdateLoad> loads;
    for (std::size_t s = 0; s < held[p].size(); ++s) {
      const hpp::PipelineStage& from = pipelines[p].pipeline.stages[s];
      const double parameters = device_parameters(
          model_, stage(from.shape, from.layers, s == 0, s + 1 == held[p].size()));
      loads.push_back(
          {devices[rank + s], static_cast<double>(from.layers), parameters, parameters});
    }
    for (const double ms :
         update_times(*calibration_, gradient_bytes(scenario_.pipeline.precision), loads, 0))
      update = std::max(update, ms + own[rank++]);
  }
  return summed - last + update;
}

}  // namespace sluice

#include "cost/costs.hpp"

#include <algorithm>
#include <cmath>

#include "cost/step.hpp"

namespace sluice {
namespace {

constexpr double kTera = 1e12;
constexpr double kMsPerSecond = 1000;
/// Bytes of an fp32 and of a half-precision value.
constexpr double kFp32Bytes = 4;
constexpr double kHalfBytes = 2;
/// Half precision keeps weights and a half-size copy beside them. Source: HOPS, core/types.py.
constexpr double kHopsHalfWeights = 1.5;
/// Kernel floor per layer, and the share of the head's forward that a backward pays. Fitted by HOPS
/// on 36 runs.
constexpr double kHopsLayerFloorMs = 1.4;
constexpr double kHopsHeadBackward = 0.7;
/// FLOPs of a layer's forward per token are 24 hidden^2, of the output layer 2 hidden vocab.
constexpr double kLayerFlops = 24;
constexpr double kHeadFlops = 2;

double clipped(double ms) {
  return std::fmax(0.0, ms);
}

DurationModel sampled(const Distribution& d, double scale) {
  return {0, scale, d};
}

class CostBuilder {
 public:
  CostBuilder(const Scenario& scenario, const Network& network, const Presets& presets)
      : scenario_(scenario),
        p_(scenario.pipeline),
        network_(network),
        presets_(presets),
        calibration_(presets.calibration(p_.calibration)),
        model_(complete(p_.model.value_or(ModelShape{}))),
        half_(p_.precision != Precision::Fp32),
        hops_(scenario.simulation.options.cost_model == CostModel::HopsRoofline) {}

  Result<Costs> build(const std::vector<StagePlace>& places) {
    check_sizes();
    check_model();
    check_parallel();
    if (!problems_.empty()) return problems_;
    lay_out(places);
    for (std::size_t i = 0; i < places.size(); ++i) add_stage(places[i], i);
    if (by_layers() || calls()) add_calls();
    if (by_layers()) {
      costs_.model = model_size(model_);
      add_step({scenario_, network_, *calibration_, model_, places, stages_}, costs_);
    }
    const OptimizerSection& o = scenario_.optimizer;
    costs_.gradient = bytes_from(o.gradient_mb * kMiB * size_factor());
    costs_.update = sampled(o.update.value_or(Distribution{}), 1);
    if (o.enabled && !o.update && !by_layers()) {
      problems_.push_back(error(Code::KeyMissing, "optimizer.update", "`update` is missing",
                                "Weight update of one device (ms)"));
    }
    add_written_updates();
    costs_.memory_reserve = scenario_.hardware.memory_reserve;
    if (o.iteration_barrier) costs_.barrier = sampled(*o.iteration_barrier, 1);
    check_time("optimizer.update", costs_.update);
    if (costs_.barrier) check_time("optimizer.iteration_barrier", *costs_.barrier);
    if (!problems_.empty()) return problems_;
    costs_.certainty = certainty(scenario_, network_, presets_);
    return std::move(costs_);
  }

 private:
  [[nodiscard]] double size_factor() const { return half_ ? 0.5 : 1.0; }

  void check_sizes() {
    if (p_.model && p_.model->seq_len == 0) {
      problems_.push_back(
          error(Code::KeyMissing, "pipeline.model.seq_len",
                "`seq_len` is missing, and the preset \"" + p_.model->preset + "\" has none"));
    }
    double mb = 0;
    if (p_.activation_mb) {
      mb = *p_.activation_mb;
    } else if (p_.model) {
      mb = static_cast<double>(p_.model->hidden_dim) * static_cast<double>(p_.model->seq_len) *
           static_cast<double>(p_.micro_batch_size) * kFp32Bytes / kMiB;
    } else {
      problems_.push_back(error(Code::KeyMissing, "pipeline.activation_mb",
                                "either `activation_mb` or `model` must be given",
                                "the size of what one stage sends to the next, in MiB as fp32"));
    }
    costs_.boundary = bytes_from(mb * kMiB * size_factor());
  }

  void check_time(const std::string& path, const DurationModel& m) {
    if (time_from_ms(m.offset_ms + m.scale * m.noise.a)) return;
    problems_.push_back(error(Code::LimitTime, path, "a duration beyond 100 days"));
  }

  void check_experts() {
    const std::int64_t devices = p_.expert_parallel;
    if (devices == 1) return;
    const auto refuse = [&](Code code, const char* message, const char* hint) {
      problems_.push_back(error(code, "pipeline.expert_parallel", message, hint));
    };
    if (model_.experts.count == 0 || model_.experts.count % devices != 0) {
      refuse(Code::ValueRange, "the model's experts cannot be divided so",
             "model.experts.count is a multiple of it");
    }
    if (p_.data_parallel % devices != 0) {
      refuse(Code::KeyConflict, "replicas divide the experts, and there are not as many",
             "data_parallel is a multiple of it");
    }
    const bool apart = std::any_of(p_.stages.begin(), p_.stages.end(), [&](const StageSpec& s) {
      const Device* device = network_.find(s.device);
      return device != nullptr && calibration_ != nullptr &&
             !replica_reach(network_, *calibration_, *device);
    });
    if (apart) {
      refuse(Code::LinkMissing, "nothing joins a device to those of other replicas",
             "name a preset in hardware.interconnect.cross_node");
    }
  }

  void check_parallel() {
    const auto refuse = [&](Code code, const std::string& path, const char* message,
                            const char* hint) {
      problems_.push_back(error(code, path, message, hint));
    };
    const bool replicas = p_.data_parallel > 1;
    if (replicas && !by_layers()) {
      refuse(Code::KeyConflict, "pipeline.data_parallel",
             "replicas need stages that name their layers", "their gradients follow from them");
    }
    check_experts();
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      const StageSpec& s = p_.stages[i];
      const std::string stage = "pipeline.stages[" + std::to_string(i) + "]";
      const std::string path = stage + ".tensor_parallel";
      const Device* device = network_.find(s.device);
      if (model_.heads % s.tensor_parallel != 0)
        refuse(Code::ValueRange, path, "it must divide the model's heads evenly", "");
      if (s.tensor_parallel > 1 && tensor_group(s, network_).bandwidth.value <= 0) {
        refuse(Code::LinkMissing, path, "nothing joins the devices of the group",
               "name a preset in hardware.interconnect.same_node, or the device's link_GBps");
      }
      if (p_.micro_batch_size % s.data_parallel != 0) {
        refuse(Code::ValueRange, stage + ".data_parallel",
               "it must divide the samples of a microbatch evenly",
               "pipeline.micro_batch_size is a multiple of it");
      }
      if ((replicas || s.data_parallel > 1) && scenario_.optimizer.enabled && s.layers &&
          device != nullptr && calibration_ != nullptr &&
          !replica_reach(network_, *calibration_, *device)) {
        refuse(Code::LinkMissing, replicas ? "pipeline.data_parallel" : stage + ".data_parallel",
               "nothing joins a device to those of other replicas",
               "name a preset in hardware.interconnect.cross_node");
      }
      for (std::size_t k = 0; k < i; ++k) {
        if (p_.stages[k].device != s.device || (p_.stages[k].tensor_parallel == s.tensor_parallel &&
                                                p_.stages[k].data_parallel == s.data_parallel))
          continue;
        refuse(Code::KeyConflict, path,
               "its device stands for another number of devices in another stage", "");
        break;
      }
    }
  }

  // Layers of a place are those written for the part, or the entry's spread over its parts, the
  // remainder over the first ones.
  [[nodiscard]] std::int64_t layers_of(const StagePlace& place) const {
    if (place.cut) return place.cut->layers;
    const StageSpec& spec = p_.stages[place.entry];
    if (!spec.chunk_layers.empty()) {
      const auto part = static_cast<std::size_t>(place.part);
      return part < spec.chunk_layers.size() ? spec.chunk_layers[part] : 0;
    }
    const std::int64_t all = spec.layers.value_or(0);
    return all / place.parts + (place.part < all % place.parts ? 1 : 0);
  }

  // Which layers of the model each place holds; each pipe holds the whole model.
  void lay_out(const std::vector<StagePlace>& places) {
    std::int64_t from = 0;
    for (const StagePlace& place : places) {
      if (place.first) from = 0;
      const Device& device = network_.devices()[place.device.index()];
      if (place.cut) from = place.cut->from;
      stages_.push_back({.layers = static_cast<int>(layers_of(place)),
                         .first = place.first,
                         .last = place.last,
                         .from = from,
                         .tensor = tensor_group(p_.stages[place.entry], network_),
                         .experts = by_layers() ? expert_group(p_, network_, *calibration_, device)
                                                : ExpertGroup{}});
      from += stages_.back().layers;
    }
  }

  void add_stage(const StagePlace& place, std::size_t index) {
    const StageSpec& spec = p_.stages[place.entry];
    const std::string path = "pipeline.stages[" + std::to_string(place.entry) + "]";
    const double share = 1.0 / place.parts;
    StageCosts cost;
    cost.resident = bytes_from(spec.weights_mb * kMiB * (half_ ? kHopsHalfWeights : 1.0) * share);
    cost.activation = bytes_from(static_cast<double>(costs_.boundary.value) * share);
    if (spec.layers && written_layers()) {
      add_written_layers(stages_[index], cost);
    } else if (spec.layers) {
      add_layers(place, stages_[index], cost);
    } else if (spec.compute.mode == ComputeMode::Explicit) {
      add_explicit(spec, share, cost);
    } else {
      add_analytical(spec, place, path, cost);
    }
    if (spec.backward) add_backward(*spec.backward, share, cost);
    if (spec.overlapped) cost.overlapped = sampled(*spec.overlapped, share);
    cost.forward.offset_ms += spec.extra.forward_ms * share;
    cost.backward.offset_ms += spec.extra.backward_ms * share;
    // What waits for the gradient waits for all of it.
    cost.input_grad.offset_ms += spec.extra.backward_ms * share;
    const auto gather = time_from_ms(spec.extra.weight_gather_ms * share);
    if (gather) {
      cost.gather = *gather;
    } else {
      problems_.push_back(
          error(Code::LimitTime, path + ".extra.weight_gather", "a duration beyond 100 days"));
    }
    for (const DurationModel* m : {&cost.forward, &cost.backward})
      check_time(path + ".compute", *m);
    if (cost.overlapped) check_time(path + ".overlapped", *cost.overlapped);
    costs_.stages.push_back(cost);
  }

  [[nodiscard]] bool written_layers() const { return !p_.layer_costs.empty(); }

  /// Whether times follow from the model's shape.
  [[nodiscard]] bool by_layers() const { return !written_layers() && names_layers(); }

  [[nodiscard]] bool names_layers() const {
    return std::any_of(p_.stages.begin(), p_.stages.end(),
                       [](const StageSpec& s) { return s.layers.has_value(); });
  }

  [[nodiscard]] bool calls() const {
    return scenario_.simulation.communication == Communication::Calls;
  }

  void check_model() {
    if (calibration_ == nullptr && (by_layers() || calls())) {
      problems_.push_back(error(Code::ReferencePreset, "pipeline.calibration",
                                "no calibration has the name \"" + p_.calibration + "\""));
    }
    if (written_layers() && names_layers()) check_written_layers();
    if (!by_layers()) return;
    if (!p_.model) {
      problems_.push_back(error(Code::KeyMissing, "pipeline.model",
                                "stages name their layers, but there is no `model`"));
    }
    if (!p_.model) return;
    const Diagnostics wrong = check_shape(model_);
    problems_.insert(problems_.end(), wrong.begin(), wrong.end());
    std::int64_t layers = 0;
    for (const StageSpec& s : p_.stages) layers += s.layers.value_or(0);
    if (model_.layers == 0) model_.layers = layers;
    if (model_.layers == layers) return;
    problems_.push_back(error(Code::ValueRange, "pipeline.model.layers",
                              "the model has " + std::to_string(model_.layers) +
                                  " layers, the stages hold " + std::to_string(layers)));
  }

  void check_written_layers() {
    const auto conflict = [&](const std::string& path, const char* what) {
      problems_.push_back(error(Code::KeyConflict, path, what,
                                "costs that are written are those of a whole layer"));
    };
    if (p_.model && p_.model->layers > 0)
      conflict("pipeline.model.layers", "`layer_costs` says how many layers there are");
    if (p_.recompute != Recompute::None)
      conflict("pipeline.recompute", "`recompute` has no effect on `layer_costs`");
    std::int64_t held = 0;
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      held += p_.stages[i].layers.value_or(0);
      if (p_.stages[i].tensor_parallel > 1) {
        conflict("pipeline.stages[" + std::to_string(i) + "].tensor_parallel",
                 "`tensor_parallel` has no effect on `layer_costs`");
      }
    }
    for (const LayerCost& layer : p_.layer_costs) layers_ += layer.count;
    if (layers_ == held) return;
    problems_.push_back(error(
        Code::ValueRange, "pipeline.layer_costs",
        "it has " + std::to_string(layers_) + " layers, the stages hold " + std::to_string(held)));
  }

  // Layers [from, from + count) of those that are written.
  void add_written_layers(const TransformerStage& stage, StageCosts& cost) const {
    double forward = 0;
    double input_grad = 0;
    double weight_grad = 0;
    double weights = 0;
    double activation = 0;
    std::int64_t at = 0;
    for (const LayerCost& layer : p_.layer_costs) {
      const std::int64_t begin = std::max(at, stage.from);
      at += layer.count;
      const auto n = static_cast<double>(
          std::max<std::int64_t>(0, std::min(at, stage.from + stage.layers) - begin));
      forward += n * layer.forward_ms;
      input_grad += n * layer.input_grad_ms;
      weight_grad += n * layer.weight_grad_ms;
      weights += n * layer.weights_mb;
      activation += n * layer.activation_mb;
    }
    cost.forward = fixed(forward);
    cost.backward = fixed(input_grad + weight_grad);
    cost.input_grad = fixed(input_grad);
    cost.weight_grad = fixed(weight_grad);
    cost.resident = bytes_from(weights * kMiB * (half_ ? kHopsHalfWeights : 1.0));
    cost.activation = bytes_from(activation * kMiB * size_factor());
    constexpr std::int64_t kParts = 2;
    cost.kept_for_weights = Bytes{cost.activation.value / kParts};
  }

  void add_layers(const StagePlace& place, const TransformerStage& stage, StageCosts& cost) {
    const ModelShape& model = model_;
    const Device& device = network_.devices()[place.device.index()];
    const StageSpec& spec = p_.stages[place.entry];
    // Of one group.
    const std::int64_t groups = spec.data_parallel;
    const auto samples = static_cast<double>(p_.micro_batch_size / groups);
    const Recompute recompute = spec.recompute.value_or(p_.recompute);
    const auto time = [&](OpPart part) {
      return stage_time(part, model, stage, device, *calibration_, samples, recompute);
    };
    const PartTime forward = time(OpPart::Forward);
    const PartTime backward = time(OpPart::Backward);
    cost.forward = fixed(forward.ms);
    cost.backward = fixed(backward.ms);
    cost.input_grad = fixed(time(OpPart::InputGrad).ms);
    cost.weight_grad = fixed(time(OpPart::WeightGrad).ms);
    cost.forward_terms = forward.terms;
    cost.backward_terms = backward.terms;
    cost.forward_flops = static_cast<double>(groups) * stage_flops(model, stage, samples);
    cost.devices = stage.tensor.size * static_cast<int>(groups);
    const CalibrationConstants& c = calibration_->constants;
    const double extra = place.first  ? c.first_microbatch_first_stage_ms
                         : place.last ? c.first_microbatch_last_stage_ms
                                      : 0;
    cost.first_extra = time_from_ms(extra).value_or(Time{});
    const StageMemory memory = stage_memory(
        model, stage, p_.precision, samples, recompute, Bytes{costs_.boundary.value / groups},
        p_.distributed_optimizer ? p_.data_parallel * groups : 1);
    cost.memory = memory;
    cost.resident = memory.resident();
    cost.activation = memory.activation;
    cost.kept_for_weights = memory.kept_for_weights;
  }

  static DurationModel fixed(double ms) { return {ms, 0, {}}; }

  void add_calls() {
    const CalibrationConstants& c = calibration_->constants;
    costs_.calls = {.before = time_from_ms(c.call_before_ms).value_or(Time{}),
                    .after = time_from_ms(c.call_after_ms).value_or(Time{}),
                    .none = time_from_ms(c.no_call_ms).value_or(Time{}),
                    .buffer = bytes_from(c.send_buffer_MiB * kMiB)};
  }

  // Updates that stages write themselves; of several on one device the last counts.
  void add_written_updates() {
    for (std::size_t s = 0; s < p_.stages.size(); ++s) {
      const StageSpec& spec = p_.stages[s];
      if (!spec.update || network_.find(spec.device) == nullptr) continue;
      if (costs_.device_updates.empty())
        costs_.device_updates.assign(network_.devices().size(), costs_.update);
      const DurationModel model = sampled(*spec.update, 1);
      costs_.device_updates[network_.id_of(spec.device).index()] = model;
      check_time("pipeline.stages[" + std::to_string(s) + "].update", model);
    }
  }

  void add_explicit(const StageSpec& spec, double share, StageCosts& cost) const {
    const Distribution& d = spec.compute.distribution;
    const double bf = p_.backward_factor * share;
    const double a = p_.activation_grad_fraction;
    cost.forward = sampled(d, share);
    cost.backward = sampled(d, bf);
    cost.input_grad = sampled(d, bf * a);
    cost.weight_grad = sampled(d, bf * (1 - a));
  }

  void add_backward(const Distribution& d, double share, StageCosts& cost) const {
    const double a = p_.activation_grad_fraction;
    cost.backward = sampled(d, share);
    cost.input_grad = sampled(d, share * a);
    cost.weight_grad = sampled(d, share * (1 - a));
  }

  // What the place of a stage's memory costs. A local stage pays the penalty of the same-socket
  // preset, as HOPS does.
  LocalityPenalty stage_penalty(const StageSpec& spec, const Device& device,
                                const std::string& path) {
    const MemoryPlacement& m = spec.memory_placement;
    if (m.kind == PlacementKind::Local) return network_.penalty(Locality::SameSocket);
    if (m.kind == PlacementKind::Device) {
      const Device* other = network_.find(m.device);
      if (other == nullptr) {
        problems_.push_back(network_.unknown_device(m.device, path + ".memory_placement.device"));
        return {};
      }
      return network_.penalty(locality(device, *other));
    }
    const bool known = std::any_of(network_.devices().begin(), network_.devices().end(),
                                   [&](const Device& d) { return d.node == m.node; });
    if (!known) {
      problems_.push_back(error(Code::ReferenceNode, path + ".memory_placement.node",
                                "no device sits in a node \"" + m.node + "\""));
    }
    if (m.node != device.node) return network_.penalty(Locality::CrossNode);
    return network_.penalty(m.socket == device.socket ? Locality::SameSocket : Locality::SameNode);
  }

  void add_analytical(const StageSpec& spec, const StagePlace& place, const std::string& path,
                      StageCosts& cost) {
    ComputeSpec c = spec.compute;
    c.tflop /= place.parts;
    c.memory_mb /= place.parts;
    const Device& device = network_.devices()[place.device.index()];
    const LocalityPenalty penalty = stage_penalty(spec, device, path);
    const double work_ms = c.tflop * kTera / (device.peak.value * c.compute_efficiency) *
                           kMsPerSecond * penalty.compute_scale;
    const double bandwidth =
        device.memory_bandwidth.value * c.memory_efficiency * penalty.memory_bandwidth_scale;
    const double memory_ms = c.memory_mb == 0 ? 0
                                              : c.memory_mb * kMiB / bandwidth * kMsPerSecond +
                                                    penalty.memory_latency_us / kMsPerSecond;
    const double floor_ms = hops_ ? kHopsLayerFloorMs * layers(c) : 0;
    const auto block = [&](double scale) {
      return std::max({work_ms * scale, memory_ms * scale, floor_ms});
    };
    const double head_ms = place.last ? head(spec, device, penalty) : 0;
    cost.forward_flops = c.tflop * kTera + (place.last ? head_flops() : 0);
    const double launch_ms = to_ms(device.launch);
    const double bf = p_.backward_factor;
    const double a = p_.activation_grad_fraction;
    const auto with_jitter = [&](double ms) { return DurationModel{clipped(ms), 1, c.jitter}; };
    cost.forward = with_jitter(block(1) + launch_ms + head_ms);
    if (hops_) {
      const double rest = launch_ms + kHopsHeadBackward * head_ms;
      cost.backward = with_jitter(block(bf) + rest);
      cost.input_grad = with_jitter(block(bf * a) + rest);
      cost.weight_grad = with_jitter(block(bf * (1 - a)) + rest);
      return;
    }
    const double whole = block(bf) + launch_ms + bf * head_ms;
    cost.backward = with_jitter(whole);
    cost.input_grad = with_jitter(whole * a);
    cost.weight_grad = with_jitter(whole * (1 - a));
  }

  // Transformer layers that the stage's work amounts to; attention scores are not counted.
  [[nodiscard]] double layers(const ComputeSpec& c) const {
    if (!p_.model) return 0;
    const auto hidden = static_cast<double>(p_.model->hidden_dim);
    const auto seq = static_cast<double>(p_.model->seq_len);
    return c.tflop / (kLayerFlops * seq * hidden * hidden / kTera);
  }

  // Arithmetic of the output layer, which stands on the last stage.
  [[nodiscard]] double head_flops() const {
    if (!p_.model) return 0;
    const double samples = hops_ ? 1.0 : static_cast<double>(p_.micro_batch_size);
    return kHeadFlops * static_cast<double>(p_.model->seq_len) *
           static_cast<double>(p_.model->hidden_dim) * static_cast<double>(p_.model->vocab_size) *
           samples;
  }

  // Its time, at the stage's own efficiencies.
  [[nodiscard]] double head(const StageSpec& spec, const Device& device,
                            const LocalityPenalty& penalty) const {
    if (!p_.model) return 0;
    const double work = head_flops() / (device.peak.value * spec.compute.compute_efficiency) *
                        kMsPerSecond * penalty.compute_scale;
    const double bytes = static_cast<double>(p_.model->hidden_dim) *
                         static_cast<double>(p_.model->vocab_size) *
                         (half_ ? kHalfBytes : kFp32Bytes);
    const double memory = bytes /
                          (device.memory_bandwidth.value * spec.compute.memory_efficiency *
                           penalty.memory_bandwidth_scale) *
                          kMsPerSecond;
    return std::max(work, memory);
  }

  const Scenario& scenario_;
  const PipelineSection& p_;
  const Network& network_;
  const Presets& presets_;
  const Calibration* calibration_;
  /// Completed; only where there is one.
  ModelShape model_;
  /// One a place.
  std::vector<TransformerStage> stages_;
  bool half_;
  bool hops_;
  /// Of `layer_costs`.
  std::int64_t layers_ = 0;
  Costs costs_;
  Diagnostics problems_;
};

}  // namespace

TensorGroup tensor_group(const StageSpec& stage, const Network& network) {
  auto reach = network.reach(Locality::SameSocket).value_or(Network::Reach{});
  const Device* device = network.find(stage.device);
  if (device != nullptr && device->link_bandwidth)
    reach = {*device->link_bandwidth, device->link_latency};
  return {.size = static_cast<int>(stage.tensor_parallel),
          .sequence = stage.sequence_parallel,
          .bandwidth = reach.bandwidth,
          .latency = reach.latency};
}

ExpertGroup expert_group(const PipelineSection& pipeline, const Network& network,
                         const Calibration& calibration, const Device& device) {
  if (pipeline.expert_parallel < 2) return {};
  const auto reach = replica_reach(network, calibration, device).value_or(Network::Reach{});
  return {.size = static_cast<int>(pipeline.expert_parallel),
          .bandwidth = reach.bandwidth,
          .latency = reach.latency};
}

double DurationModel::typical_ms() const {
  return clipped(offset_ms + (scale == 0 ? 0 : scale * typical(noise)));
}

namespace {

// What of an entry decides how long layers take on it.
StageSpec without_layers(StageSpec spec) {
  spec.device.clear();
  spec.layers.reset();
  spec.chunk_layers.clear();
  return spec;
}

Device without_name(Device device) {
  device.id.clear();
  device.node.clear();
  device.socket.clear();
  device.key = 0;
  return device;
}

}  // namespace

bool same_costs(const Scenario& scenario, const Network& network, std::size_t entry,
                std::size_t other) {
  const auto spec = [&](std::size_t i) -> const StageSpec& { return scenario.pipeline.stages[i]; };
  const auto device = [&](std::size_t i) -> const Device& {
    return network.devices()[network.id_of(spec(i).device).index()];
  };
  return without_layers(spec(entry)) == without_layers(spec(other)) &&
         without_name(device(entry)) == without_name(device(other));
}

Result<Costs> build_costs(const Scenario& scenario, const Network& network, const Presets& presets,
                          const std::vector<StagePlace>& places) {
  return CostBuilder(scenario, network, presets).build(places);
}

Result<Costs> build_costs(const Scenario& scenario, const Network& network,
                          const Presets& presets) {
  std::vector<StagePlace> places;
  for (std::size_t s = 0; s < scenario.pipeline.stages.size(); ++s) {
    if (network.find(scenario.pipeline.stages[s].device) == nullptr) continue;
    places.push_back({.entry = s,
                      .device = network.id_of(scenario.pipeline.stages[s].device),
                      .parts = 1,
                      .part = 0,
                      .first = s == 0,
                      .last = s + 1 == scenario.pipeline.stages.size()});
  }
  return build_costs(scenario, network, presets, places);
}

}  // namespace sluice

#include "cost/costs.hpp"

#include <algorithm>
#include <cmath>

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
  CostBuilder(const Scenario& scenario, const Network& network)
      : scenario_(scenario),
        p_(scenario.pipeline),
        network_(network),
        half_(p_.precision != Precision::Fp32),
        hops_(scenario.simulation.options.cost_model == CostModel::HopsRoofline) {}

  Result<Costs> build() {
    check_sizes();
    for (std::size_t s = 0; s < p_.stages.size(); ++s) add_stage(s);
    const OptimizerSection& o = scenario_.optimizer;
    costs_.gradient = bytes_from(o.gradient_mb * kMiB * size_factor());
    costs_.update = sampled(o.update, 1);
    if (o.iteration_barrier) costs_.barrier = sampled(*o.iteration_barrier, 1);
    check_time("optimizer.update", costs_.update);
    if (costs_.barrier) check_time("optimizer.iteration_barrier", *costs_.barrier);
    if (!problems_.empty()) return problems_;
    return std::move(costs_);
  }

 private:
  [[nodiscard]] double size_factor() const { return half_ ? 0.5 : 1.0; }

  void check_sizes() {
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

  void add_stage(std::size_t s) {
    const StageSpec& spec = p_.stages[s];
    const std::string path = "pipeline.stages[" + std::to_string(s) + "]";
    const Device* device = network_.find(spec.device);
    StageCosts cost;
    cost.resident = bytes_from(spec.weights_mb * kMiB * (half_ ? kHopsHalfWeights : 1.0));
    cost.activation = costs_.boundary;
    if (device == nullptr) {
      problems_.push_back(network_.unknown_device(spec.device, path + ".device"));
    } else if (spec.compute.mode == ComputeMode::Explicit) {
      add_explicit(spec, cost);
    } else {
      add_analytical(spec, *device, s, path, cost);
    }
    if (spec.backward) add_backward(*spec.backward, cost);
    for (const DurationModel* m : {&cost.forward, &cost.backward})
      check_time(path + ".compute", *m);
    costs_.stages.push_back(cost);
  }

  void add_explicit(const StageSpec& spec, StageCosts& cost) const {
    const Distribution& d = spec.compute.distribution;
    const double bf = p_.backward_factor;
    const double a = p_.activation_grad_fraction;
    cost.forward = sampled(d, 1);
    cost.backward = sampled(d, bf);
    cost.input_grad = sampled(d, bf * a);
    cost.weight_grad = sampled(d, bf * (1 - a));
  }

  void add_backward(const Distribution& d, StageCosts& cost) const {
    const double a = p_.activation_grad_fraction;
    cost.backward = sampled(d, 1);
    cost.input_grad = sampled(d, a);
    cost.weight_grad = sampled(d, 1 - a);
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

  void add_analytical(const StageSpec& spec, const Device& device, std::size_t s,
                      const std::string& path, StageCosts& cost) {
    const ComputeSpec& c = spec.compute;
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
    const double head_ms = s + 1 == p_.stages.size() ? head(spec, device, penalty) : 0;
    cost.forward_flops = c.tflop * kTera + (s + 1 == p_.stages.size() ? head_flops() : 0);
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
  bool half_;
  bool hops_;
  Costs costs_;
  Diagnostics problems_;
};

}  // namespace

double DurationModel::typical_ms() const {
  return clipped(offset_ms + (scale == 0 ? 0 : scale * typical(noise)));
}

Result<Costs> build_costs(const Scenario& scenario, const Network& network) {
  return CostBuilder(scenario, network).build();
}

}  // namespace sluice

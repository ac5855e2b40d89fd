#include "cost/step.hpp"

#include <algorithm>

namespace sluice {
namespace {

constexpr double kMsPerSecond = 1000;
/// Bytes of a gradient or weight in fp32 and in half precision.
constexpr double kFull = 4;
constexpr double kHalf = 2;

DurationModel fixed(double ms) {
  return {ms, 0, {}};
}

class StepBuilder {
 public:
  StepBuilder(const StepInputs& in, Costs& costs)
      : in_(in),
        c_(in.calibration.constants),
        p_(in.scenario.pipeline),
        gradient_(gradient_bytes(p_.precision)),
        costs_(costs) {}

  void build() {
    const OptimizerSection& o = in_.scenario.optimizer;
    costs_.replicas.replicas = p_.data_parallel;
    if (!o.enabled) return;
    add_loads();
    add_reduction();
    if (!o.update) {
      add_updates();
    } else if (costs_.replicas.ms > 0) {
      for (std::size_t d = 0; d < layers_.size(); ++d)
        costs_.device_updates.push_back({costs_.replicas.ms, 1, *o.update});
    }
    const auto ranks = static_cast<double>(p_.stages.size());
    if (!o.iteration_barrier)
      costs_.barrier = fixed(c_.step_tail_ms + c_.step_tail_rank_ms * ranks);
    add_tied();
  }

 private:
  // What each device holds.
  void add_loads() {
    layers_.resize(in_.network.devices().size());
    parameters_.resize(layers_.size());
    routed_.resize(layers_.size());
    copies_.assign(layers_.size(), p_.data_parallel);
    for (std::size_t i = 0; i < in_.places.size(); ++i) {
      const StagePlace& place = in_.places[i];
      if (!p_.stages[place.entry].layers) continue;
      const TransformerStage& stage = in_.stages[i];
      copies_[place.device.index()] = p_.data_parallel * p_.stages[place.entry].data_parallel;
      layers_[place.device.index()] += stage.layers;
      parameters_[place.device.index()] += device_parameters(in_.model, stage);
      routed_[place.device.index()] += routed_parameters(in_.model, stage);
    }
  }

  void add_reduction() {
    const double weight = p_.precision == Precision::Fp32 ? kFull : kHalf;
    // A reduction is a scatter and a gathering of the same bytes.
    const double bytes = (gradient_ + (p_.distributed_optimizer ? weight : gradient_)) / 2;
    for (std::size_t d = 0; d < layers_.size(); ++d) {
      if (parameters_[d] == 0 || copies_[d] < 2) continue;
      const auto reach = replica_reach(in_.network, in_.calibration, in_.network.devices()[d])
                             .value_or(Network::Reach{});
      const auto sum = [&](double parameters, std::int64_t devices) {
        return all_reduce_ms(bytes * parameters, static_cast<int>(devices), reach.bandwidth,
                             reach.latency);
      };
      double ms = sum(parameters_[d] - routed_[d], copies_[d]);
      // Each expert is on one of so many replicas.
      if (routed_[d] > 0) ms += sum(routed_[d], copies_[d] / p_.expert_parallel);
      costs_.replicas.ms = std::max(costs_.replicas.ms, ms);
    }
  }

  void add_updates() {
    std::vector<UpdateLoad> loads;
    for (std::size_t d = 0; d < layers_.size(); ++d) {
      const auto shards = static_cast<double>(p_.distributed_optimizer ? copies_[d] : 1);
      const double expert_shards =
          shards > 1 ? shards / static_cast<double>(p_.expert_parallel) : 1;
      const double updated = (parameters_[d] - routed_[d]) / shards + routed_[d] / expert_shards;
      loads.push_back({&in_.network.devices()[d], layers_[d], parameters_[d], updated});
    }
    for (const double ms : update_times(in_.calibration, gradient_, loads, costs_.replicas.ms))
      costs_.device_updates.push_back(fixed(ms));
  }

  void add_tied() {
    const StagePlace* ends[2] = {nullptr, nullptr};
    int devices = 1;
    for (std::size_t i = 0; i < in_.places.size(); ++i) {
      const StagePlace& place = in_.places[i];
      if (place.first && ends[0] == nullptr) ends[0] = &place;
      if (place.last && ends[1] == nullptr) ends[1] = &place;
      if (&place == ends[0]) devices = in_.stages[i].tensor.size;
      if (&place == ends[1]) devices = std::min(devices, in_.stages[i].tensor.size);
    }
    if (!in_.model.tied_embeddings || ends[0] == nullptr || ends[1] == nullptr ||
        ends[0]->device == ends[1]->device)
      return;
    const auto rate = tied_rate(ends[0]->device, ends[1]->device);
    const double bytes = gradient_ * static_cast<double>(in_.model.hidden_dim) *
                         static_cast<double>(in_.model.vocab_size) / devices;
    if (rate) costs_.tied = TiedReduction{bytes_from(bytes), *rate};
  }

  // Between nodes as the calibration measured it for their cards. Where it knows one of them not,
  // and within a node, over the link that joins the two, or else over the slower of their own best
  // links: a reduction that nobody measured still takes its time.
  [[nodiscard]] std::optional<double> tied_rate(DeviceId from, DeviceId to) const {
    const Device& a = in_.network.devices()[from.index()];
    const Device& b = in_.network.devices()[to.index()];
    if (a.node != b.node) {
      if (const auto rate = in_.calibration.reduction_rate(a.preset, b.preset)) return rate;
    }
    const Result<Link> link = in_.network.link(from, to);
    const double rate = link ? link.value().bandwidth.value : std::min(best_of(from), best_of(to));
    if (rate <= 0) return std::nullopt;
    return rate * c_.reduction_efficiency;
  }

  // Bytes a second of the fastest pair of a device that the scenario names; 0 without any.
  [[nodiscard]] double best_of(DeviceId device) const {
    double best = 0;
    for (const auto& [from, to] : in_.network.explicit_pairs()) {
      if (from == device || to == device)
        best = std::max(best, in_.network.link(from, to).value().bandwidth.value);
    }
    return best;
  }

  const StepInputs& in_;
  const CalibrationConstants& c_;
  const PipelineSection& p_;
  /// Bytes of a gradient as it is summed.
  double gradient_;
  Costs& costs_;
  /// One a device of the machine.
  std::vector<double> layers_;
  std::vector<double> parameters_;
  /// Of these, experts that replicas divide.
  std::vector<double> routed_;
  /// Devices that hold the same parameters, in its own stage and in other replicas.
  std::vector<std::int64_t> copies_;
};

}  // namespace

double gradient_bytes(Precision precision) {
  return precision == Precision::Fp16 ? kHalf : kFull;
}

std::vector<double> update_times(const Calibration& calibration, double gradient_bytes,
                                 const std::vector<UpdateLoad>& loads, double sums_ms) {
  const CalibrationConstants& c = calibration.constants;
  const auto memory_ms = [&](const Device& device, double bytes) {
    return bytes /
           (device.memory_bandwidth.value *
            calibration.device(device.preset).bandwidth_efficiency) *
           kMsPerSecond;
  };
  double prepared = 0;
  for (const UpdateLoad& l : loads) {
    prepared = std::max(
        prepared, c.norm_layer_ms * l.layers + memory_ms(*l.device, gradient_bytes * l.parameters));
  }
  prepared += sums_ms;
  std::vector<double> out;
  for (const UpdateLoad& l : loads) {
    out.push_back(c.optimizer_start_ms + prepared + c.optimizer_layer_ms * l.layers +
                  memory_ms(*l.device, c.optimizer_bytes * l.updated));
  }
  return out;
}

std::optional<Network::Reach> replica_reach(const Network& network, const Calibration& calibration,
                                            const Device& device) {
  if (const auto reach = network.reach(Locality::CrossNode)) return reach;
  if (const auto reach = network.default_reach()) return reach;
  const auto rate = calibration.reduction_rate(device.preset, device.preset);
  if (!rate) return std::nullopt;
  return Network::Reach{{*rate}, {}};
}

void add_step(const StepInputs& in, Costs& costs) {
  StepBuilder(in, costs).build();
}

}  // namespace sluice

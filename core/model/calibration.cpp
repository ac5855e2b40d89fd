#include "model/calibration.hpp"

#include <algorithm>

namespace sluice {

bool Calibration::knows(const std::string& gpu) const {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const DeviceCalibration& d) { return d.gpu == gpu; });
}

const DeviceCalibration& Calibration::device(const std::string& gpu) const {
  for (const DeviceCalibration& d : devices) {
    if (d.gpu == gpu) return d;
  }
  return otherwise;
}

std::optional<double> Calibration::reduction_rate(const std::string& a,
                                                  const std::string& b) const {
  constexpr double kGiga = 1e9;
  const double share = constants.reduction_efficiency * kGiga;
  for (const PairCalibration& p : pairs) {
    if (p.gpu == a && a == b) return p.reduction_GBps * share;
  }
  const auto x = device(a).nic_GBps;
  const auto y = device(b).nic_GBps;
  if (!x || !y) return std::nullopt;
  return std::min(*x, *y) * share;
}

const std::vector<NamedConstant>& calibration_constants() {
  using C = CalibrationConstants;
  static const std::vector<NamedConstant> kNames{
      {"call_start_ms", &C::call_start_ms},
      {"embedding_forward_ms", &C::embedding_forward_ms},
      {"embedding_backward_ms", &C::embedding_backward_ms},
      {"head_forward_ms", &C::head_forward_ms},
      {"head_backward_ms", &C::head_backward_ms},
      {"elementwise_forward_bytes", &C::elementwise_forward_bytes},
      {"elementwise_backward_bytes", &C::elementwise_backward_bytes},
      {"scores_forward_bytes", &C::scores_forward_bytes},
      {"scores_backward_bytes", &C::scores_backward_bytes},
      {"logits_forward_bytes", &C::logits_forward_bytes},
      {"logits_backward_bytes", &C::logits_backward_bytes},
      {"weight_gradient_bytes", &C::weight_gradient_bytes},
      {"embedding_gradient_bytes", &C::embedding_gradient_bytes},
      {"split_backward_extra", &C::split_backward_extra},
      {"cache_share", &C::cache_share},
      {"cache_gain", &C::cache_gain},
      {"optimizer_bytes", &C::optimizer_bytes},
      {"optimizer_start_ms", &C::optimizer_start_ms},
      {"norm_layer_ms", &C::norm_layer_ms},
      {"optimizer_layer_ms", &C::optimizer_layer_ms},
      {"first_microbatch_first_stage_ms", &C::first_microbatch_first_stage_ms},
      {"first_microbatch_last_stage_ms", &C::first_microbatch_last_stage_ms},
      {"call_before_ms", &C::call_before_ms},
      {"call_after_ms", &C::call_after_ms},
      {"no_call_ms", &C::no_call_ms},
      {"send_buffer_MiB", &C::send_buffer_MiB},
      {"reduction_efficiency", &C::reduction_efficiency},
      {"step_tail_ms", &C::step_tail_ms},
      {"step_tail_rank_ms", &C::step_tail_rank_ms},
  };
  return kNames;
}

std::vector<NamedValue> named_values(Calibration& c) {
  std::vector<NamedValue> out;
  for (DeviceCalibration& d : c.devices) {
    out.push_back({d.gpu + ".host_forward_ms", &d.host_forward_ms});
    out.push_back({d.gpu + ".host_backward_ms", &d.host_backward_ms});
    out.push_back({d.gpu + ".matmul_efficiency", &d.matmul_efficiency});
    out.push_back({d.gpu + ".bandwidth_efficiency", &d.bandwidth_efficiency});
  }
  for (PairCalibration& p : c.pairs) out.push_back({p.gpu + ".reduction_GBps", &p.reduction_GBps});
  for (const NamedConstant& n : calibration_constants())
    out.push_back({n.name, &(c.constants.*n.member)});
  return out;
}

}  // namespace sluice

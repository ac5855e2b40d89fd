// What a framework, its host and its network cost beyond the data sheets, as values; io/ reads them
// from presets/calibration/*.yaml. Source of the terms: specification of accuracy, sections 2 to 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// Of one type of device.
struct DeviceCalibration {
  std::string gpu;
  /// Host time to dispatch one layer, ms.
  double host_forward_ms = 0;
  double host_backward_ms = 0;
  /// Shares of the data sheet's peaks that are reached.
  double matmul_efficiency = 1;
  double bandwidth_efficiency = 1;
  /// Last-level cache, 1e6 bytes.
  double l2_MB = 0;
  /// For the waves that a matrix product is made in; 0 leaves them out.
  int multiprocessors = 0;
  /// Network card of its node, one direction.
  std::optional<double> nic_GBps;
};

/// A reduction between two nodes of one type that does not reach the rate of their cards.
struct PairCalibration {
  std::string gpu;
  double reduction_GBps = 0;
};

/// The rest, each by the name it has in the file. Times in ms; bytes a value that is counted.
struct CalibrationConstants {
  double call_start_ms = 0;
  double embedding_forward_ms = 0;
  double embedding_backward_ms = 0;
  double head_forward_ms = 0;
  double head_backward_ms = 0;
  /// Bytes that element-wise operations move for each token and hidden unit.
  double elementwise_forward_bytes = 0;
  double elementwise_backward_bytes = 0;
  /// Bytes for each attention score; not with fused attention.
  double scores_forward_bytes = 0;
  double scores_backward_bytes = 0;
  /// Bytes for each logit in the loss.
  double logits_forward_bytes = 0;
  double logits_backward_bytes = 0;
  /// Bytes for each weight whose gradient is accumulated.
  double weight_gradient_bytes = 0;
  double embedding_gradient_bytes = 0;
  /// Share that a backward in two parts takes longer on the device than one in one piece.
  double split_backward_extra = 0;
  /// Share of the cache that one tensor may use, and how much faster it is than memory.
  double cache_share = 0;
  double cache_gain = 1;
  /// Bytes for each parameter of an update.
  double optimizer_bytes = 0;
  double optimizer_start_ms = 0;
  double norm_layer_ms = 0;
  double optimizer_layer_ms = 0;
  /// The first microbatch of a step is slower on the outer stages.
  double first_microbatch_first_stage_ms = 0;
  double first_microbatch_last_stage_ms = 0;
  /// A point-to-point call: from the end of the work to its posting, and from its end to the next
  /// work.
  double call_before_ms = 0;
  double call_after_ms = 0;
  /// Between two operations of a rank with no call between them.
  double no_call_ms = 0;
  /// What a send may leave in buffers.
  double send_buffer_MiB = 0;
  /// Rate of a reduction over that of a plain transfer.
  double reduction_efficiency = 1;
  /// From the last update to the next step, and more for each rank.
  double step_tail_ms = 0;
  double step_tail_rank_ms = 0;
};

/// What happens now and then in one known place, off unless it is named: steps of jobs with at
/// least so many of a device, one of them first, and not that other device last, take longer with
/// some probability.
struct Environment {
  std::string name;
  std::string doc;
  std::string gpu;
  int at_least = 0;
  std::string not_last;
  double probability = 0;
  double stall_ms = 0;
};

/// Of the iteration period, absolute, percent: the mean over runs, and the worst run.
struct ErrorFigures {
  double mean_pct = 0;
  double worst_pct = 0;

  bool operator==(const ErrorFigures&) const = default;
};

/// The one that is fitted on the runs of HOPS.
inline constexpr const char* kLocalCalibration = "megatron_local";
/// The one that is fitted on published runs.
inline constexpr const char* kFusedCalibration = "megatron_fused";

struct Calibration {
  std::string name;
  std::string title;
  std::string provenance;
  std::vector<DeviceCalibration> devices;
  DeviceCalibration otherwise;
  std::vector<PairCalibration> pairs;
  CalibrationConstants constants;
  std::vector<Environment> environments;
  /// Of runs that the fit had not seen, and of the same runs when no device is listed; nothing
  /// where it was not measured.
  std::optional<ErrorFigures> error;
  std::optional<ErrorFigures> error_otherwise;

  /// Whether the device is listed; `device` answers `otherwise` for the others.
  [[nodiscard]] bool knows(const std::string& gpu) const;
  [[nodiscard]] const DeviceCalibration& device(const std::string& gpu) const;
  /// Rate of a reduction between two devices' nodes, bytes a second; nothing when a card is
  /// unknown.
  [[nodiscard]] std::optional<double> reduction_rate(const std::string& a,
                                                     const std::string& b) const;
};

/// The constants by name, for whoever reads, prints or fits them.
struct NamedConstant {
  const char* name;
  double CalibrationConstants::*member;
};
const std::vector<NamedConstant>& calibration_constants();

/// A figure of one calibration, by its place in it: "a10g.host_forward_ms", "call_start_ms".
struct NamedValue {
  std::string name;
  double* value = nullptr;
};
/// Those that can be fitted: of each device and pair, then the constants.
std::vector<NamedValue> named_values(Calibration& calibration);

}  // namespace sluice

// What follows a step's last backward where stages name their layers: reductions of gradients,
// updates, and the way to the next step.
#pragma once

#include <optional>
#include <vector>

#include "cost/costs.hpp"
#include "cost/network.hpp"
#include "model/calibration.hpp"
#include "model/scenario.hpp"

namespace sluice {

struct StepInputs {
  const Scenario& scenario;
  const Network& network;
  const Calibration& calibration;
  /// Complete.
  const ModelShape& model;
  /// One of each a stage.
  const std::vector<StagePlace>& places;
  const std::vector<TransformerStage>& stages;
};

/// Fills in `calls`, and with an optimizer `device_updates`, `barrier`, `tied` and `replicas`, as
/// far as the scenario does not write them. Gradients are summed over replicas in fp32, under fp16
/// in fp16, 2 (d - 1) / d of their bytes; a distributed optimizer scatters them and gathers the
/// weights, and updates 1 / d of the parameters. Source: specification of accuracy, section 4;
/// Rajbhandari et al. 2020, arXiv 1910.02054, section 7.
void add_step(const StepInputs& in, Costs& costs);

/// What a device updates at the end of a step.
struct UpdateLoad {
  const Device* device = nullptr;
  double layers = 0;
  /// It holds, and of which it updates so many: a distributed optimizer divides them.
  double parameters = 0;
  double updated = 0;
};

/// Time of each device's update, ms: the norm of all gradients comes first, so every rank waits for
/// the one that has prepared its own last, `sums_ms` of its gradients' sums included.
std::vector<double> update_times(const Calibration& calibration, double gradient_bytes,
                                 const std::vector<UpdateLoad>& loads, double sums_ms);

/// Bytes of a gradient as it is summed.
double gradient_bytes(Precision precision);

/// What joins a device to its counterparts in other replicas: interconnect.cross_node, otherwise
/// the link that the scenario has for every pair, otherwise the network card that the calibration
/// knows; nothing when none is known.
std::optional<Network::Reach> replica_reach(const Network& network, const Calibration& calibration,
                                            const Device& device);

}  // namespace sluice

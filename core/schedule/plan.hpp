// A plan: what is played. A static order or a policy, which rank holds which stage and which device
// is which rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "schedule/order.hpp"
#include "schedule/policy.hpp"
#include "schedule/registry.hpp"

namespace sluice {

struct Plan {
  /// As asked for, and what it turned out to mean (e.g. zero_bubble and zb_h1).
  std::string name;
  std::string resolved;
  /// As given, chunks included.
  Parameters parameters;
  bool split_backward = false;
  bool synchronous = true;
  int weight_copies = 1;
  /// Where it is not synchronous.
  WeightsRead reads = WeightsRead::Newest;
  int microbatches = 0;
  /// Batches that one play of the order runs through: 1, or all of an asynchronous schedule.
  int batches_in_order = 1;
  Placement placement;
  std::vector<DeviceId> device_of_rank;
  /// Names of independent pipelines, one a pipe; empty where pipes are copies over the same ranks.
  std::vector<std::string> pipelines;
  /// Exactly one of the two.
  std::optional<Order> order;
  std::optional<Policy> policy;

  [[nodiscard]] int ranks() const { return placement.ranks; }
  /// Stages of all pipes.
  [[nodiscard]] int stages() const { return placement.total_stages(); }
  [[nodiscard]] int slices() const { return order ? order->slices : 1; }
  /// Microbatches times slices that each pipe carries in one play.
  [[nodiscard]] std::vector<std::int64_t> units_of_pipes() const;
};

struct PlanRequest {
  std::string name;
  /// `chunks` among them.
  Parameters parameters;
  /// When one of these is set, `name` is only a label. The order has been checked.
  std::optional<Policy> policy;
  std::optional<Order> order;
  /// Whether schedule names mean the policies of HOPS.
  bool hops_policies = false;
  int microbatches = 1;
  int batches = 1;
  std::vector<DeviceId> device_of_rank;
  /// One entry a stage of the placement; empty means equal stages.
  std::vector<StageMeans> costs;
  double transfer_ms = 0;
};

/// Which rank holds which stage under this schedule. Costs are not looked at. Diagnostics, at path
/// `pipeline.schedule`: reference.schedule (with the nearest name), schedule.parameter,
/// schedule.constraint (naming the condition), limit.stages, limit.operations.
Result<Placement> place(const PlanRequest& request);

/// Resolves choices by cost and makes the order or policy. `placement` is that of `place`.
/// Diagnostics: as `place`, and schedule.constraint where a search finds nothing.
Result<Plan> make_plan(const PlanRequest& request, const Placement& placement);

}  // namespace sluice

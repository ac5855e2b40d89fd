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
  bool split_backward = false;
  int ranks = 0;
  int microbatches = 0;
  std::vector<std::uint16_t> rank_of_stage;
  std::vector<DeviceId> device_of_rank;
  /// Exactly one of the two.
  std::optional<Order> order;
  std::optional<Policy> policy;

  [[nodiscard]] int stages() const { return static_cast<int>(rank_of_stage.size()); }
};

struct PlanRequest {
  std::string name;
  /// When set, `name` is only a label.
  std::optional<Policy> policy;
  /// Whether schedule names mean the policies of HOPS.
  bool hops_policies = false;
  int microbatches = 1;
  std::vector<StageMeans> costs;
  std::vector<DeviceId> device_of_rank;
};

/// Looks the schedule up, resolves choices by cost and makes the order or policy.
/// Diagnostics: reference.schedule (with the nearest name), limit.operations, at path
/// `pipeline.schedule`.
Result<Plan> make_plan(const PlanRequest& request);

}  // namespace sluice

// The table of schedules: names, aliases, constraints and how to make each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schedule/order.hpp"
#include "schedule/policy.hpp"

namespace sluice {

/// Mean times of one stage in ms, as a schedule that looks at costs sees them.
struct StageMeans {
  double forward_ms = 1;
  double backward_ms = 2;
  double input_grad_ms = 1;
  double weight_grad_ms = 1;
};

struct ScheduleRequest {
  int ranks = 1;
  int microbatches = 1;
  /// One entry a stage; empty means equal stages.
  std::vector<StageMeans> costs;
};

/// A condition that a schedule puts on its request.
struct Constraint {
  std::string_view code;
  std::string_view text;
};

struct ScheduleInfo {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view family;
  std::string_view doc;
  std::vector<Constraint> constraints;
  int weight_copies = 1;
  bool split_backward = false;
  bool synchronous = true;
  std::string_view source;
  /// Exactly one of the three: a fixed order, a policy as rules, or a choice between other
  /// schedules.
  Order (*order)(const ScheduleRequest&) = nullptr;
  std::vector<std::string_view> rules;
  std::string_view (*choose)(const ScheduleRequest&) = nullptr;
};

/// All schedules, in the order they are listed to people.
std::vector<ScheduleInfo> all_schedules();

/// The schedule of that name or alias, ignoring case and punctuation; null when there is none.
/// Names of the policies of HOPS begin with "hops/".
const ScheduleInfo* find_schedule(std::span<const ScheduleInfo> table, std::string_view name);

/// Under `policies: hops` the names 1f1b, gpipe, zero_bubble, hops_hetero and hetero_* mean
/// `hops/<name>`.
std::string_view hops_meaning(std::string_view name, std::span<const ScheduleInfo> table);

/// Whether hops_hetero takes 1f1b rather than zero_bubble: the last stage is so near the bottleneck
/// that its weight gradients have no bubble to go to: max(total) - total[last] < w[last]. Source:
/// HOPS, hetero_adaptive_w_split.
bool prefers_fused_backward(const ScheduleRequest& request);

// One file each.
Order gpipe(const ScheduleRequest& request);
Order one_f_one_b(const ScheduleRequest& request);
Order zb_h1(const ScheduleRequest& request);

}  // namespace sluice

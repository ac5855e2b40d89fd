// The table of schedules: every published one, HOPS's policies, and how a name finds its row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule_info.hpp"

namespace sluice {

/// The schedule that a search stands behind.
inline constexpr std::string_view kAdaptive = "adaptive";

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

/// The policies of HOPS, as rules.
std::vector<ScheduleInfo> hops_policies();

/// The parameter of this name, whichever schedule takes it; names mean one thing throughout. Null
/// when there is none.
const ParameterInfo* find_parameter(std::span<const ScheduleInfo> table, std::string_view name);

}  // namespace sluice

#include "schedule/plan.hpp"

#include <utility>

namespace sluice {
namespace {

Diagnostic unknown_schedule(const std::vector<ScheduleInfo>& table, const std::string& name) {
  std::vector<std::string> names;
  for (const ScheduleInfo& info : table) {
    names.emplace_back(info.name);
    for (const std::string_view alias : info.aliases) names.emplace_back(alias);
  }
  const std::string near = nearest(name, names);
  Diagnostic d =
      error(Code::ReferenceSchedule, "pipeline.schedule",
            "unknown schedule \"" + name.substr(0, 80) + "\"",
            near.empty() ? "`sluice schedules` lists them" : "did you mean \"" + near + "\"?");
  d.fix = near;
  return d;
}

}  // namespace

Result<Plan> make_plan(const PlanRequest& request) {
  Plan plan;
  plan.name = request.name;
  plan.ranks = static_cast<int>(request.device_of_rank.size());
  plan.microbatches = request.microbatches;
  plan.device_of_rank = request.device_of_rank;
  for (int r = 0; r < plan.ranks; ++r) plan.rank_of_stage.push_back(static_cast<std::uint16_t>(r));
  if (request.policy) {
    plan.resolved = "policy";
    plan.policy = request.policy;
    plan.split_backward = request.policy->split;
    return plan;
  }
  const std::vector<ScheduleInfo> table = all_schedules();
  const std::string_view meaning =
      request.hops_policies ? hops_meaning(request.name, table) : request.name;
  const ScheduleInfo* info = find_schedule(table, meaning);
  if (info == nullptr) return unknown_schedule(table, request.name);
  const ScheduleRequest ask{plan.ranks, plan.microbatches, request.costs};
  if (info->choose != nullptr) {
    info = find_schedule(table, info->choose(ask));
    SLUICE_CHECK(info != nullptr);
  }
  plan.resolved = info->name;
  if (info->order != nullptr) {
    plan.order = info->order(ask);
    plan.split_backward = info->split_backward;
    return plan;
  }
  const std::vector<std::string> rules(info->rules.begin(), info->rules.end());
  Result<Policy> policy = compile_policy(info->split_backward, rules, "");
  SLUICE_CHECK(policy.ok());
  plan.policy = std::move(policy).value();
  plan.split_backward = info->split_backward;
  return plan;
}

}  // namespace sluice

#include "schedule/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice {
namespace {

constexpr std::string_view kPath = "pipeline.schedule";

std::string at(std::string_view key) {
  return std::string(kPath) + "." + std::string(key);
}

Diagnostic unknown_schedule(const std::vector<ScheduleInfo>& table, const std::string& name) {
  std::vector<std::string> names;
  for (const ScheduleInfo& info : table) {
    names.emplace_back(info.name);
    for (const std::string_view alias : info.aliases) names.emplace_back(alias);
  }
  const std::string near = nearest(name, names);
  Diagnostic d =
      error(Code::ReferenceSchedule, std::string(kPath),
            "unknown schedule \"" + name.substr(0, 80) + "\"",
            near.empty() ? "`sluice schedules` lists them" : "did you mean \"" + near + "\"?");
  d.fix = near;
  return d;
}

Result<ScheduleInfo> find(const PlanRequest& request) {
  const std::vector<ScheduleInfo> table = all_schedules();
  const std::string_view meaning =
      request.hops_policies ? hops_meaning(request.name, table) : request.name;
  const ScheduleInfo* info = find_schedule(table, meaning);
  if (info == nullptr) return unknown_schedule(table, request.name);
  return *info;
}

std::string number_text(double value) {
  const std::string text = std::to_string(value);
  return value == std::floor(value) ? text.substr(0, text.find('.')) : text;
}

std::string joined(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

void check_value(const ParameterInfo& info, double value, Diagnostics& out) {
  const bool whole = info.type != ParameterType::NumberOrList;
  if (value >= info.least && value <= info.most && (!whole || value == std::floor(value))) return;
  const std::string allowed = info.type == ParameterType::Boolean ? "true or false"
                              : info.type == ParameterType::Choice
                                  ? "one of " + joined(info.choices)
                                  : std::string(whole ? "a whole number" : "a number") + " from " +
                                        number_text(info.least) + " to " + number_text(info.most);
  out.push_back(
      error(Code::ScheduleParameter, at(info.name),
            "`" + std::string(info.name) + "` must be " + allowed + ", not " + number_text(value)));
}

Diagnostic unknown_parameter(const ScheduleInfo& schedule, const std::string& name) {
  std::vector<std::string> names;
  for (const ParameterInfo& p : schedule.parameters) names.emplace_back(p.name);
  const std::string near = nearest(name, names);
  Diagnostic d = error(
      Code::ScheduleParameter, at(name),
      std::string(schedule.name) + " has no parameter `" + name + "`",
      near.empty() ? "`sluice schedules` lists parameters" : "did you mean \"" + near + "\"?");
  d.fix = near;
  return d;
}

void check_parameter(const ScheduleInfo& schedule, const std::string& name,
                     const std::vector<double>& values, std::size_t ranks, Diagnostics& out) {
  const ParameterInfo* known = nullptr;
  for (const ParameterInfo& p : schedule.parameters) {
    if (p.name == name) known = &p;
  }
  // Every schedule may be told the chunks it has anyway; its constraints say which.
  const ParameterInfo chunks{.name = "chunks", .most = kMaxStages};
  if (known == nullptr && name == chunks.name) known = &chunks;
  if (known == nullptr) {
    out.push_back(unknown_parameter(schedule, name));
    return;
  }
  const bool list = known->type == ParameterType::NumberOrList;
  if (values.size() != 1 && (!list || values.size() != ranks)) {
    out.push_back(
        error(Code::ScheduleParameter, at(name),
              "`" + name + "` must be " +
                  (list ? "one number, or one for each of the " + std::to_string(ranks) + " ranks"
                        : "one value")));
    return;
  }
  for (const double value : values) check_value(*known, value, out);
}

// Schedules with one stage a rank take no chunks; those with several name their own condition.
bool chunks_fit(const ScheduleInfo& info, int chunks) {
  return info.placement != nullptr || chunks <= 1;
}

ScheduleRequest schedule_request(const ScheduleInfo& info, const PlanRequest& request) {
  ScheduleRequest ask;
  ask.ranks = static_cast<int>(request.device_of_rank.size());
  ask.microbatches = request.microbatches;
  if (!info.synchronous) {
    ask.microbatches *= request.batches;
    ask.batches = request.batches;
  }
  ask.parameters = request.parameters;
  ask.chunks = ask.number("chunks", 0);
  ask.costs = request.costs;
  ask.transfer_ms = request.transfer_ms;
  return ask;
}

Diagnostics check_request(const ScheduleInfo& info, const PlanRequest& request) {
  Diagnostics out;
  for (const auto& [name, values] : request.parameters)
    check_parameter(info, name, values, request.device_of_rank.size(), out);
  if (!out.empty()) return out;
  const ScheduleRequest ask = schedule_request(info, request);
  const std::string here = " (here ranks " + std::to_string(ask.ranks) + ", microbatches " +
                           std::to_string(ask.microbatches) +
                           (ask.chunks > 0 ? ", chunks " + std::to_string(ask.chunks) : "") + ")";
  const auto refuse = [&](std::string_view text) {
    out.push_back(error(Code::ScheduleConstraint, std::string(kPath),
                        std::string(info.name) + ": " + std::string(text) + here));
  };
  if (!chunks_fit(info, ask.chunks)) refuse("it has one stage a rank; chunks must be 1");
  for (const Constraint& c : info.constraints) {
    if (!c.holds(ask)) refuse(c.text);
  }
  return out;
}

Diagnostics check_size(const Placement& placement, const ScheduleRequest& ask, bool split) {
  const std::int64_t stages = placement.stages();
  if (placement.total_stages() > kMaxStages) {
    return {error(Code::LimitStages, std::string(kPath),
                  std::to_string(placement.total_stages()) + " stages over all chunks; at most " +
                      std::to_string(kMaxStages) + " are simulated")};
  }
  const std::int64_t operations =
      stages * ask.microbatches * ask.number("slices", 1) * (split ? 3 : 2);
  if (operations > kMaxOperations) {
    return {error(Code::LimitOperations, std::string(kPath),
                  "the order would have " + std::to_string(operations) + " operations; at most " +
                      std::to_string(kMaxOperations) + " are simulated in one run")};
  }
  return {};
}

}  // namespace

std::vector<std::int64_t> Plan::units_of_pipes() const {
  if (!order) return {microbatches};
  std::vector<std::int64_t> units(static_cast<std::size_t>(placement.pipes), 0);
  for (int m = 0; m < order->microbatches; ++m)
    units[static_cast<std::size_t>(order->pipe_of(static_cast<std::uint32_t>(m)))] += order->slices;
  return units;
}

Result<Placement> place(const PlanRequest& request) {
  if (request.order) return request.order->placement;
  const int ranks = static_cast<int>(request.device_of_rank.size());
  if (request.policy) return loop_placement(ranks, 1);
  const Result<ScheduleInfo> info = find(request);
  if (!info) return info.diagnostics();
  Diagnostics problems = check_request(info.value(), request);
  if (!problems.empty()) return problems;
  const ScheduleRequest ask = schedule_request(info.value(), request);
  Placement placement =
      info.value().placement != nullptr ? info.value().placement(ask) : loop_placement(ranks, 1);
  problems = check_size(placement, ask, info.value().split_backward);
  if (!problems.empty()) return problems;
  return placement;
}

Result<Plan> make_plan(const PlanRequest& request, const Placement& placement) {
  Plan plan;
  plan.name = request.name;
  plan.parameters = request.parameters;
  plan.microbatches = request.microbatches;
  plan.placement = placement;
  plan.device_of_rank = request.device_of_rank;
  if (request.policy) {
    plan.resolved = "policy";
    plan.policy = request.policy;
    plan.split_backward = request.policy->split;
    return plan;
  }
  if (request.order) {
    plan.resolved = "order";
    plan.order = request.order;
    plan.weight_copies = placement.pipes;
    for (const Operation& op : plan.order->operations) {
      if (op.kind == OpKind::WeightGrad) plan.split_backward = true;
    }
    return plan;
  }
  Result<ScheduleInfo> info = find(request);
  if (!info) return info.diagnostics();
  if (info.value().choose != nullptr) {
    const std::vector<ScheduleInfo> table = all_schedules();
    const ScheduleInfo* chosen =
        find_schedule(table, info.value().choose(schedule_request(info.value(), request)));
    SLUICE_CHECK(chosen != nullptr);
    info = *chosen;
  }
  const ScheduleInfo& schedule = info.value();
  if (schedule.order == nullptr && schedule.rules.empty()) {
    return error(
        Code::ScheduleConstraint, std::string(kPath),
        std::string(schedule.name) + " has no order of its own: it is found for a scenario's times",
        "name it in a scenario, or use `sluice tune`");
  }
  plan.resolved = schedule.name;
  plan.split_backward = schedule.split_backward;
  plan.synchronous = schedule.synchronous;
  const ScheduleRequest asked = schedule_request(schedule, request);
  plan.reads = schedule.reads;
  if (asked.number("stash", 1) == 0) plan.reads = WeightsRead::Newest;
  plan.weight_copies = std::max(schedule.weight_copies, placement.pipes);
  // A stashing rank keeps what the microbatches in flight have read, and the newest.
  if (plan.reads == WeightsRead::Stashed) {
    const int ahead = std::min(asked.ranks, asked.microbatches) - 1;
    const int per_update = asked.number("accumulation", 1);
    plan.weight_copies = (ahead + per_update - 1) / per_update + 1;
  }
  if (schedule.order != nullptr) {
    Result<Order> order = schedule.order(asked, placement);
    if (!order) return order.diagnostics();
    plan.order = std::move(order).value();
    if (!schedule.synchronous) plan.batches_in_order = request.batches;
    return plan;
  }
  const std::vector<std::string> rules(schedule.rules.begin(), schedule.rules.end());
  Result<Policy> policy = compile_policy(schedule.split_backward, rules, "");
  SLUICE_CHECK(policy.ok());
  plan.policy = std::move(policy).value();
  return plan;
}

}  // namespace sluice

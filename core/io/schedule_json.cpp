#include "io/schedule_json.hpp"

#include "io/json.hpp"
#include "io/report_json.hpp"

namespace sluice {

std::string schedules_json() {
  Json list = Json::array();
  for (const ScheduleInfo& info : all_schedules()) {
    Json constraints = Json::array();
    for (const Constraint& c : info.constraints)
      constraints.push_back({{"code", c.code}, {"text", c.text}});
    Json rules = Json::array();
    for (const std::string_view rule : info.rules) rules.push_back(rule);
    Json aliases = Json::array();
    for (const std::string_view alias : info.aliases) aliases.push_back(alias);
    Json row{{"name", info.name},
             {"aliases", aliases},
             {"family", info.family},
             {"doc", info.doc},
             {"parameters", Json::array()},
             {"constraints", constraints},
             {"weights_copies", info.weight_copies},
             {"split_backward", info.split_backward},
             {"synchronous", info.synchronous},
             {"source", info.source}};
    if (!info.rules.empty()) row["rules"] = rules;
    list.push_back(row);
  }
  return json_text(list, 2);
}

std::string order_json(const Plan& plan) {
  SLUICE_CHECK(plan.order.has_value());
  Json order = Json::array();
  for (int r = 0; r < plan.ranks; ++r) order.push_back(rank_text(*plan.order, r));
  return json_text({{"schedule", plan.resolved},
                    {"ranks", plan.ranks},
                    {"microbatches", plan.microbatches},
                    {"chunks", plan.stages() / plan.ranks},
                    {"placement", {{"down", plan.rank_of_stage}}},
                    {"pipe_of_microbatch", nullptr},
                    {"order", order}},
                   2);
}

Result<Plan> order_of(const OrderRequest& request) {
  Diagnostics problems;
  if (request.ranks < 1 || request.ranks > kMaxStages) {
    problems.push_back(
        error(Code::LimitStages, "ranks", "ranks must be from 1 to " + std::to_string(kMaxStages)));
  }
  if (request.microbatches < 1 || request.microbatches > kMaxMicrobatches) {
    problems.push_back(error(Code::LimitMicrobatches, "microbatches",
                             "microbatches must be from 1 to " + std::to_string(kMaxMicrobatches)));
  }
  if (problems.empty() &&
      static_cast<std::int64_t>(request.ranks) * request.microbatches * 3 > kMaxOperations) {
    problems.push_back(
        error(Code::LimitOperations, "",
              "the order would have more than " + std::to_string(kMaxOperations) + " operations"));
  }
  if (!problems.empty()) return problems;
  PlanRequest ask;
  ask.name = request.name;
  ask.microbatches = request.microbatches;
  ask.costs.assign(static_cast<std::size_t>(request.ranks), StageMeans{});
  for (int r = 0; r < request.ranks; ++r)
    ask.device_of_rank.push_back(DeviceId{static_cast<std::uint32_t>(r)});
  Result<Plan> plan = make_plan(ask);
  if (plan && !plan.value().order) {
    return error(Code::ScheduleConstraint, "",
                 "\"" + request.name + "\" is a policy: its order depends on times",
                 "run a scenario with it and look at the trace");
  }
  return plan;
}

std::string order_from_json(const std::string& request) {
  const Json j = Json::parse(request, nullptr, false);
  OrderRequest ask;
  const auto whole = [&](const char* key, int& value) {
    if (j.contains(key) && j[key].is_number_integer()) {
      const auto n = j[key].get<std::int64_t>();
      value = n >= 0 && n <= kMaxMicrobatches + 1 ? static_cast<int>(n) : -1;
    }
  };
  if (!j.is_object() || !j.contains("name") || !j["name"].is_string()) {
    return refusal_json(
        {error(Code::SetValue, "", "expected {\"name\", \"ranks\", \"microbatches\"}")});
  }
  ask.name = j["name"].get<std::string>();
  whole("ranks", ask.ranks);
  whole("microbatches", ask.microbatches);
  const Result<Plan> plan = order_of(ask);
  return plan ? order_json(plan.value()) : refusal_json(plan.diagnostics());
}

}  // namespace sluice

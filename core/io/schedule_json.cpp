#include "io/schedule_json.hpp"

#include <algorithm>
#include <cstddef>

#include "io/json.hpp"
#include "io/number.hpp"
#include "io/order_formats.hpp"
#include "io/report_json.hpp"

namespace sluice {
namespace {

std::string_view type_text(ParameterType type) {
  switch (type) {
    case ParameterType::Integer:
      return "integer";
    case ParameterType::Boolean:
      return "boolean";
    case ParameterType::NumberOrList:
      return "number or list";
    case ParameterType::Choice:
      return "choice";
  }
  return "";
}

Json words_json(std::span<const std::string_view> words) {
  Json list = Json::array();
  for (const std::string_view word : words) list.push_back(word);
  return list;
}

// How the updates of a rank stand among its operations: "U0 before 5".
Json updates_json(const Order& order) {
  Json ranks = Json::array();
  for (std::size_t r = 0; r + 1 < order.first_update.size(); ++r) {
    Json list = Json::array();
    for (std::uint32_t u = order.first_update[r]; u < order.first_update[r + 1]; ++u) {
      const OrderUpdate& update = order.updates[u];
      Json one =
          json_object({{"number", update.number}, {"before", update.before - order.begin[r]}});
      if (update.stage != kAllStages)
        one["stage"] = update.stage % static_cast<std::uint32_t>(order.placement.stages());
      list.push_back(one);
    }
    ranks.push_back(list);
  }
  return ranks;
}

}  // namespace

std::string schedules_json() {
  Json list = Json::array();
  for (const ScheduleInfo& info : all_schedules()) {
    Json constraints = Json::array();
    for (const Constraint& c : info.constraints)
      constraints.push_back(json_object({{"code", c.code}, {"text", c.text}}));
    Json parameters = Json::array();
    for (const ParameterInfo& p : info.parameters) {
      Json parameter = json_object({{"name", p.name},
                                    {"type", type_text(p.type)},
                                    {"default", p.otherwise},
                                    {"range", Json({p.least, p.most})},
                                    {"doc", p.doc}});
      if (!p.choices.empty()) parameter["choices"] = words_json(p.choices);
      parameters.push_back(parameter);
    }
    Json row = json_object({{"name", info.name},
                            {"aliases", words_json(info.aliases)},
                            {"family", info.family},
                            {"doc", info.doc},
                            {"parameters", parameters},
                            {"constraints", constraints},
                            {"weights_copies", info.weight_copies},
                            {"split_backward", info.split_backward},
                            {"synchronous", info.synchronous},
                            {"source", info.source}});
    if (!info.rules.empty()) row["rules"] = words_json(info.rules);
    list.push_back(row);
  }
  return json_text(list, 2);
}

std::string order_json(const Plan& plan) {
  SLUICE_CHECK(plan.order.has_value());
  Json order = Json::array();
  for (int r = 0; r < plan.ranks(); ++r) order.push_back(rank_text(*plan.order, r));
  const Placement& placement = plan.placement;
  Json pipes = Json::object();
  for (int pipe = 0; pipe < placement.pipes; ++pipe) {
    const auto first = placement.rank_of_stage.begin() + std::ptrdiff_t{pipe} * placement.stages();
    pipes[pipe_name(pipe)] = std::vector<std::uint16_t>(first, first + placement.length(pipe));
  }
  Json pipe_of_microbatch;
  for (std::size_t m = 0; m < plan.order->pipe_of_microbatch.size(); ++m)
    pipe_of_microbatch[std::to_string(m)] = pipe_name(plan.order->pipe_of_microbatch[m]);
  Json j = json_object({{"schedule", plan.resolved},
                        {"ranks", plan.ranks()},
                        {"microbatches", plan.microbatches},
                        {"chunks", placement.chunks()},
                        {"placement", pipes},
                        {"pipe_of_microbatch", pipe_of_microbatch},
                        {"order", order}});
  if (!plan.order->updates.empty()) {
    j["microbatches_per_update"] = plan.order->microbatches_per_update;
    j["updates"] = updates_json(*plan.order);
  }
  return json_text(j, 2);
}

std::optional<std::vector<double>> parameter_values(std::string_view name, std::string_view text) {
  const std::vector<ScheduleInfo> table = all_schedules();
  const ParameterInfo* parameter = find_parameter(table, name);
  if (parameter != nullptr && !parameter->choices.empty()) {
    // What is none of the words is refused with the list of them.
    return std::vector<double>{parameter->value_of(text).value_or(-1)};
  }
  if (text == "true") return std::vector<double>{1};
  if (text == "false") return std::vector<double>{0};
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<double> out;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    const ParsedNumber number = parse_number(word);
    if (number.status != NumberStatus::Ok) return std::nullopt;
    out.push_back(number.value);
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
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
  ask.parameters = request.parameters;
  for (int r = 0; r < request.ranks; ++r)
    ask.device_of_rank.push_back(DeviceId{static_cast<std::uint32_t>(r)});
  const Result<Placement> placement = place(ask);
  if (!placement) return placement.diagnostics();
  Result<Plan> plan = make_plan(ask, placement.value());
  if (plan && !plan.value().order) {
    return error(Code::ScheduleConstraint, "",
                 "\"" + request.name + "\" is a policy: its order depends on times",
                 "run a scenario with it and look at the trace");
  }
  return plan;
}

std::string imported_json(const std::string& text) {
  const Result<ImportedOrder> imported = import_order(text);
  if (!imported) return refusal_json(imported.diagnostics());
  return json_text(json_object({{"ranks", imported.value().order.ranks()},
                                {"microbatches", imported.value().microbatches},
                                {"order", imported.value().text.order},
                                {"yaml", order_yaml(imported.value())}}),
                   2);
}

double parameter_value(const std::string& name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return -1;
  const auto values = parameter_values(name, value.get<std::string>());
  return values && values->size() == 1 ? values->front() : -1;
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
  if (j.is_object() && j.contains("import") && j["import"].is_string())
    return imported_json(j["import"].get<std::string>());
  if (!j.is_object() || !j.contains("name") || !j["name"].is_string()) {
    return refusal_json(
        {error(Code::SetValue, "", "expected {\"name\", \"ranks\", \"microbatches\"}")});
  }
  ask.name = j["name"].get<std::string>();
  whole("ranks", ask.ranks);
  whole("microbatches", ask.microbatches);
  int chunks = 0;
  whole("chunks", chunks);
  if (chunks != 0) ask.parameters.push_back({"chunks", {static_cast<double>(chunks)}});
  if (j.contains("parameters") && j["parameters"].is_object()) {
    for (const auto& [name, value] : j["parameters"].items()) {
      std::vector<double> values;
      for (const Json& v : value.is_array() ? value : Json::array({value}))
        values.push_back(parameter_value(name, v));
      if (!values.empty()) ask.parameters.emplace_back(name, values);
    }
  }
  const Result<Plan> plan = order_of(ask);
  if (!plan) return refusal_json(plan.diagnostics());
  if (j.value("format", "") != "pytorch") return order_json(plan.value());
  const Result<std::string> csv = pytorch_csv(*plan.value().order);
  return csv ? json_text(json_object({{"text", csv.value()}})) : refusal_json(csv.diagnostics());
}

}  // namespace sluice

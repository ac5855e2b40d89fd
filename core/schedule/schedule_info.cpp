#include "schedule/schedule_info.hpp"

#include <algorithm>
#include <cmath>

namespace sluice {

const std::vector<double>* ScheduleRequest::values(std::string_view name) const {
  for (const auto& [key, list] : parameters) {
    if (key == name) return &list;
  }
  return nullptr;
}

std::optional<double> ParameterInfo::value_of(std::string_view word) const {
  const auto found = std::find(choices.begin(), choices.end(), word);
  if (found == choices.end()) return std::nullopt;
  return static_cast<double>(found - choices.begin());
}

int ScheduleRequest::number(std::string_view name, int otherwise) const {
  const std::vector<double>* list = values(name);
  return list != nullptr && !list->empty() ? static_cast<int>(std::nearbyint(list->front()))
                                           : otherwise;
}

StageMeans ScheduleRequest::cost_of(int stage) const {
  return costs.empty() ? StageMeans{} : costs[static_cast<std::size_t>(stage)];
}

}  // namespace sluice

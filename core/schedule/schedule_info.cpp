#include "schedule/schedule_info.hpp"

#include <cmath>

namespace sluice {

const std::vector<double>* ScheduleRequest::values(std::string_view name) const {
  for (const auto& [key, list] : parameters) {
    if (key == name) return &list;
  }
  return nullptr;
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

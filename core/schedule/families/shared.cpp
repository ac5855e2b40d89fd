#include "schedule/families/shared.hpp"

namespace sluice {

std::vector<double> memory_limits(const ScheduleRequest& request, double otherwise) {
  const auto ranks = static_cast<std::size_t>(request.ranks);
  const std::vector<double>* given = request.values("memory_limit");
  if (given == nullptr || given->empty()) return std::vector<double>(ranks, otherwise);
  return given->size() == ranks ? *given : std::vector<double>(ranks, given->front());
}

std::string short_number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace sluice

#include "api/adaptive.hpp"
#include "schedule/registry.hpp"

namespace sluice {

bool is_adaptive(const ScheduleChoice& choice) {
  if (choice.name.empty() || choice.policy || choice.order) return false;
  const std::vector<ScheduleInfo> table = all_schedules();
  const ScheduleInfo* info = find_schedule(table, choice.name);
  return info != nullptr && info->name == kAdaptive;
}

}  // namespace sluice

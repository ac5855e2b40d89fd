#include "schedule/families/shared.hpp"

#include <algorithm>

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

Order endless_1f1b(const ScheduleRequest& request, const Placement& placement, int depth,
                   int per_update) {
  const int m = request.microbatches;
  OrderBuilder order(placement, m, 2 * static_cast<std::size_t>(m));
  order.set_microbatches_per_update(per_update);
  for (int r = 0; r < request.ranks; ++r) {
    const int warm_up = std::min(depth * (request.ranks - 1 - r), m);
    for (int j = 0; j < warm_up; ++j) order.add(OpKind::Forward, r, j);
    for (int j = 0; j < m; ++j) {
      if (warm_up + j < m) order.add(OpKind::Forward, r, warm_up + j);
      order.add(OpKind::Backward, r, j);
      if ((j + 1) % per_update == 0) order.add_update(j / per_update);
    }
    order.end_rank();
  }
  return order.take();
}

ParameterInfo accumulation_parameter(std::string_view otherwise) {
  return {.name = "accumulation",
          .otherwise = otherwise,
          .doc = "Microbatches of one update of a stage"};
}

ParameterInfo prediction_parameter() {
  return {.name = "prediction",
          .type = ParameterType::Boolean,
          .otherwise = "false",
          .least = 0,
          .most = 1,
          .doc =
              "Forwards read weights that are extrapolated to the version of their backward. "
              "Times stay as they are; `sluice learn` shows what it does"};
}

}  // namespace sluice

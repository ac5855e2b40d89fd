#include "api/sweep.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "io/json.hpp"

namespace sluice {

Result<Sweep> Sweep::make(SweepRequest request, std::uint64_t first, std::uint64_t last) {
  Result<SweepPoints> points = SweepPoints::make(std::move(request));
  if (!points) return points.diagnostics();
  last = std::min(last, points.value().total());
  return Sweep(std::make_unique<const SweepPoints>(std::move(points).value()), first, last);
}

bool Sweep::step(std::uint64_t runs) {
  for (std::uint64_t i = 0; i < runs && done() < last_; ++i) {
    const std::uint64_t point = done();
    rows_.push_back(worker_.run(point));
    if (!rows_.back().problem.empty()) ++failed_;
    csv_ += points_->row_text(point, rows_.back());
  }
  return done() >= last_;
}

std::string Sweep::json() const {
  const std::vector<Axis>& axes = points_->request().axes;
  Json list = Json::array();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const SweepRow& row = rows_[i];
    const std::uint64_t index = first_ + i;
    const std::vector<std::string> coordinates = points_->coordinates(index);
    Json point{{"index", index}};
    Json over = Json::object();
    for (std::size_t a = 0; a < axes.size(); ++a) over[axes[a].path] = coordinates[a];
    point["over"] = over;
    for (std::size_t m = 0; m < row.metrics.size(); ++m)
      point[points_->metrics()[m]] = row.metrics[m];
    if (!row.problem.empty()) point["problem"] = row.problem;
    list.push_back(point);
  }
  return json_text(list);
}

}  // namespace sluice

#include "api/pareto.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "api/run_metrics.hpp"
#include "base/stable_order.hpp"
#include "io/csv_table.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] > b[k]) return false;
    better = better || a[k] < b[k];
  }
  return better;
}

// Of points in the order of their first number, then the second: what comes before has no more of
// the first, so a point stays when it has less of the second than all before, or equals the last
// that stayed.
std::vector<std::uint32_t> front_of_two(const std::vector<std::vector<double>>& points,
                                        const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : order) {
    const bool twin = !front.empty() && points[front.back()] == points[i];
    if (!twin && points[i][1] >= least) continue;
    least = points[i][1];
    front.push_back(i);
  }
  return front;
}

// In this order nothing beats what comes before it.
std::vector<std::uint32_t> front_of_many(const std::vector<std::vector<double>>& points,
                                         const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> front;
  for (const std::uint32_t i : order) {
    const bool beaten = std::any_of(front.begin(), front.end(),
                                    [&](std::uint32_t f) { return beats(points[f], points[i]); });
    if (!beaten) front.push_back(i);
  }
  return front;
}

struct Objective {
  std::string column;
  bool more_is_better = false;
};

// The column that a name means: itself, or the only one that begins with it.
Result<Objective> objective_of(const CsvTable& table, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& column : table.columns()) {
    if (column == name) found.assign(1, column);
    if (column == name) break;
    if (!name.empty() && column.starts_with(name)) found.push_back(column);
  }
  if (found.size() != 1) {
    std::string all;
    for (const std::string& column : found.empty() ? table.columns() : found)
      all += (all.empty() ? "" : ", ") + column;
    return error(Code::CsvColumn, "",
                 "\"" + name + "\" is " + (found.empty() ? "no column" : "several columns"),
                 (found.empty() ? "columns are " : "it begins ") + all);
  }
  Objective out{found.front(), false};
  for (const RunMetric& m : kRunMetrics) {
    if (m.name == out.column) out.more_is_better = m.more_is_better;
  }
  return out;
}

Result<std::vector<Objective>> objectives_of(const CsvTable& table, const std::string& names) {
  std::vector<Objective> out;
  std::size_t begin = 0;
  while (begin <= names.size()) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    Result<Objective> one = objective_of(table, names.substr(begin, end - begin));
    if (!one) return one.diagnostics();
    out.push_back(std::move(one).value());
    begin = end + 1;
  }
  return out;
}

std::string row_text(const CsvTable& table, std::size_t row) {
  std::string out;
  for (const std::string& column : table.columns())
    out += (out.empty() ? "" : ",") + csv_text(table.at(row, column));
  return out + "\n";
}

}  // namespace

std::vector<std::uint32_t> pareto_front(const std::vector<std::vector<double>>& points) {
  const std::vector<std::uint32_t> order =
      stable_order(points.size(), [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(points[a].begin(), points[a].end(), points[b].begin(),
                                            points[b].end());
      });
  const bool two = !points.empty() && points.front().size() == 2;
  std::vector<std::uint32_t> front =
      two ? front_of_two(points, order) : front_of_many(points, order);
  sort_stably(front, std::less<>());
  return front;
}

Result<ParetoRows> pareto_rows(std::string_view sweep_csv, const std::string& names) {
  const Result<CsvTable> parsed = CsvTable::parse(sweep_csv);
  if (!parsed) return parsed.diagnostics();
  const CsvTable& table = parsed.value();
  const Result<std::vector<Objective>> objectives = objectives_of(table, names);
  if (!objectives) return objectives.diagnostics();
  ParetoRows out;
  std::vector<std::vector<double>> points;
  std::vector<std::size_t> row_of;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!table.at(row, "problem").empty()) continue;
    if (table.at(row, "fits") == "0") {
      ++out.unfit;
      continue;
    }
    std::vector<double> point;
    for (const Objective& o : objectives.value()) {
      const ParsedNumber n = parse_number(table.at(row, o.column));
      if (n.status != NumberStatus::Ok) {
        return error(
            Code::CsvValue, "",
            "\"" + o.column + "\" is not a number everywhere: \"" + table.at(row, o.column) + "\"");
      }
      point.push_back(o.more_is_better ? -n.value : n.value);
    }
    points.push_back(std::move(point));
    row_of.push_back(row);
  }
  out.compared = points.size();
  std::vector<std::uint32_t> front = pareto_front(points);
  out.front = front.size();
  sort_stably(front, [&](std::uint32_t a, std::uint32_t b) { return points[a][0] < points[b][0]; });
  // The comment and the names are the first two lines.
  const std::size_t comment = sweep_csv.find('\n');
  out.csv = std::string(sweep_csv.substr(0, sweep_csv.find('\n', comment + 1) + 1));
  for (const std::uint32_t i : front) out.csv += row_text(table, row_of[i]);
  return out;
}

}  // namespace sluice

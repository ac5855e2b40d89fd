#include "api/monte_carlo_report.hpp"

#include <algorithm>
#include <functional>

#include "api/run_metrics.hpp"
#include "base/stable_order.hpp"
#include "io/csv_table.hpp"
#include "io/json.hpp"
#include "io/number.hpp"
#include "metrics/summary.hpp"
#include "trace/trace.hpp"

namespace sluice {
namespace {

constexpr double kLow = 0.05;
constexpr double kHigh = 0.95;

Json interval_json(const std::optional<Interval>& i) {
  return i ? Json::array({i->low, i->high}) : Json(nullptr);
}

Json bands_json(const std::vector<MetricBand>& bands) {
  Json out = Json::object();
  for (std::size_t m = 0; m < bands.size(); ++m) {
    const MetricBand& b = bands[m];
    out[std::string(kRunMetrics[m].name)] = {
        {"mean", b.mean},
        {"sd", b.sd},
        {"median", b.median},
        {"p5", b.p5},
        {"p95", b.p95},
        {"median_interval", interval_json(b.median_interval)},
        {"p5_interval", interval_json(b.p5_interval)},
        {"p95_interval", interval_json(b.p95_interval)},
        {"runs_needed", b.runs_needed ? Json(*b.runs_needed) : Json(nullptr)}};
  }
  return out;
}

Json differences_json(const std::vector<MetricDifference>& differences) {
  Json out = Json::object();
  for (std::size_t m = 0; m < differences.size(); ++m) {
    const MetricDifference& d = differences[m];
    out[std::string(kRunMetrics[m].name)] = {
        {"mean", d.mean},
        {"sd", d.sd},
        {"mean_interval", interval_json(d.mean_interval)},
        {"median", d.median},
        {"p5", d.p5},
        {"p95", d.p95},
        {"better", d.better},
        {"equal", d.equal},
        {"variance_ratio", d.gain ? Json(*d.gain) : Json(nullptr)}};
  }
  return out;
}

Json over_json(const MonteCarloTrials& trials, std::uint64_t point) {
  Json out = Json::object();
  const std::vector<std::string> values = trials.coordinates(point);
  for (std::size_t a = 0; a < values.size(); ++a) out[trials.axes()[a].path] = values[a];
  return out;
}

// Of the runs so far, those of one point; a metric of those that completed there, and at `with`.
class Runs {
 public:
  explicit Runs(const MonteCarlo& job) : job_(&job) {}

  [[nodiscard]] std::uint64_t count() const { return job_->done() / job_->trials().points(); }
  [[nodiscard]] const MonteCarloTrial& at(std::uint64_t run, std::uint64_t point) const {
    return job_->results()[static_cast<std::size_t>(run * job_->trials().points() + point)];
  }
  [[nodiscard]] std::vector<double> of(std::uint64_t point, std::uint64_t with,
                                       std::size_t metric) const {
    std::vector<double> out;
    for (std::uint64_t run = 0; run < count(); ++run) {
      if (at(run, with).metrics.empty() || at(run, point).metrics.empty()) continue;
      out.push_back(at(run, point).metrics[metric]);
    }
    return out;
  }

 private:
  const MonteCarlo* job_;
};

}  // namespace

MetricBand band_of(std::vector<double> values, double precision) {
  MetricBand out;
  const Moments m = moments(values);
  out.mean = m.mean;
  out.sd = m.sd;
  sort_stably(values, std::less<>());
  constexpr double kMiddle = 0.5;
  out.median = percentile(values, kMiddle);
  out.p5 = percentile(values, kLow);
  out.p95 = percentile(values, kHigh);
  out.median_interval = quantile_interval(values, kMiddle);
  out.p5_interval = quantile_interval(values, kLow);
  out.p95_interval = quantile_interval(values, kHigh);
  out.runs_needed = runs_needed(values, precision);
  return out;
}

MetricDifference difference_of(const std::vector<double>& a, const std::vector<double>& b,
                               bool more_is_better) {
  std::vector<double> values;
  MetricDifference out;
  std::size_t better = 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = b[i] - a[i];
    values.push_back(d);
    if (d == 0) ++equal;
    if (more_is_better ? d > 0 : d < 0) ++better;
  }
  const Moments m = moments(values);
  out.mean = m.mean;
  out.sd = m.sd;
  out.mean_interval = mean_interval(m, values.size());
  const double own_a = moments(a).sd;
  const double own_b = moments(b).sd;
  if (m.sd > 0) out.gain = (own_a * own_a + own_b * own_b) / (m.sd * m.sd);
  sort_stably(values, std::less<>());
  out.median = percentile(values, 0.5);
  out.p5 = percentile(values, kLow);
  out.p95 = percentile(values, kHigh);
  if (values.empty()) return out;
  out.better = static_cast<double>(better) / static_cast<double>(values.size());
  out.equal = static_cast<double>(equal) / static_cast<double>(values.size());
  return out;
}

std::vector<PointReport> report_of(const MonteCarlo& job, double precision) {
  const Runs runs(job);
  std::vector<PointReport> out;
  for (std::uint64_t point = 0; point < job.trials().points(); ++point) {
    PointReport report;
    report.point = point;
    for (std::uint64_t run = 0; run < runs.count(); ++run) {
      const MonteCarloTrial& trial = runs.at(run, point);
      ++(trial.problem.empty() ? report.completed : report.failed);
      if (report.problem.empty()) report.problem = trial.problem;
    }
    for (std::size_t m = 0; m < kRunMetrics.size() && report.completed > 0; ++m) {
      report.bands.push_back(band_of(runs.of(point, point, m), precision));
      if (point == 0) continue;
      const std::vector<double> first = runs.of(0, point, m);
      report.pairs = first.size();
      if (report.pairs == 0) continue;
      report.differences.push_back(
          difference_of(first, runs.of(point, 0, m), kRunMetrics[m].more_is_better));
    }
    out.push_back(std::move(report));
  }
  return out;
}

std::string monte_carlo_json(const MonteCarlo& job, double precision, int indent) {
  const MonteCarloTrials& trials = job.trials();
  Json points = Json::array();
  for (const PointReport& r : report_of(job, precision)) {
    Json point{
        {"over", over_json(trials, r.point)}, {"completed", r.completed}, {"failed", r.failed}};
    if (!r.problem.empty()) point["problem"] = r.problem;
    point["metrics"] = bands_json(r.bands);
    if (r.point > 0) {
      point["against_first"] = {{"pairs", r.pairs}, {"metrics", differences_json(r.differences)}};
    }
    points.push_back(point);
  }
  Json constants = Json::array();
  for (const ConstantInterval& i : trials.constants().intervals) constants.push_back(i.name);
  return json_text(json_object({{"scenario_hash", hash_text_of(trials.scenario_hash())},
                                {"runs", trials.runs()},
                                {"first_seed", trials.first_seed()},
                                {"precision", precision},
                                {"constants_drawn", constants},
                                {"points", points}}),
                   indent);
}

std::string monte_carlo_csv(const MonteCarlo& job) {
  const MonteCarloTrials& trials = job.trials();
  std::string out = "# sluice montecarlo " + hash_text_of(trials.scenario_hash()) + "\nrun";
  for (const Axis& axis : trials.axes()) out += "," + csv_text(axis.path);
  out += ",seed";
  for (const RunMetric& m : kRunMetrics) out += "," + std::string(m.name);
  out += ",trace_hash,problem\n";
  for (std::uint64_t i = 0; i < job.done(); ++i) {
    const MonteCarloTrial& trial = job.results()[static_cast<std::size_t>(i)];
    const std::uint64_t run = i / trials.points();
    out += std::to_string(run);
    for (const std::string& value : trials.coordinates(i % trials.points()))
      out += "," + csv_text(value);
    out += "," + std::to_string(trials.seed_of_run(run));
    for (std::size_t m = 0; m < kRunMetrics.size(); ++m)
      out += "," + (trial.metrics.empty() ? "" : number_text(trial.metrics[m]));
    out += "," + (trial.problem.empty() ? hash_text_of(trial.trace_hash) : "") + "," +
           csv_text(trial.problem) + "\n";
  }
  return out;
}

}  // namespace sluice

#include "api/sweep_points.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/run_metrics.hpp"
#include "base/hash.hpp"
#include "io/csv_table.hpp"
#include "io/number.hpp"
#include "io/presets.hpp"
#include "io/print_scenario.hpp"
#include "io/summary_json.hpp"
#include "trace/trace.hpp"

namespace sluice {
namespace {

constexpr std::string_view kSeedPath = "simulation.seed";

double devices_of(const Loaded& loaded) {
  double devices = 0;
  for (const std::uint16_t stage : loaded.program.first_stage)
    devices += loaded.costs.stages[stage].devices;
  return devices * static_cast<double>(loaded.scenario.pipeline.data_parallel);
}

}  // namespace

Result<SweepPoints> SweepPoints::make(SweepRequest request) {
  Result<Draft> draft = Draft::make(request.text, request.settings);
  if (!draft) return draft.diagnostics();
  const Result<ReadScenario> read = draft.value().read();
  if (!read) return read.diagnostics();
  const Result<Loaded> loaded = prepare(read.value(), load_presets());
  if (!loaded) return loaded.diagnostics();
  SweepPoints points(std::move(request), std::move(draft).value());
  points.scenario_hash_ = hash_text(print_scenario(loaded.value().scenario));
  points.first_seed_ = loaded.value().scenario.simulation.seed;
  points.total_ = static_cast<std::uint64_t>(points.request_.seeds);
  for (const Axis& axis : points.request_.axes) {
    if (axis.values.empty())
      return error(Code::ValueEmpty, axis.path, "no values for \"" + axis.path + "\"");
    if (points.total_ > kMaxSweepPoints / axis.values.size()) {
      return error(Code::LimitOperations, axis.path,
                   "more than " + std::to_string(kMaxSweepPoints) + " points");
    }
    points.total_ *= axis.values.size();
    points.own_seed_ = points.own_seed_ || axis.path == kSeedPath;
  }
  for (const RunMetric& m : kRunMetrics) points.metrics_.emplace_back(m.name);
  if (points.request_.devices) points.metrics_.emplace_back("devices");
  return points;
}

std::optional<std::uint64_t> SweepPoints::seed_of(std::uint64_t point) const {
  if (own_seed_) return std::nullopt;
  return first_seed_ + point % static_cast<std::uint64_t>(request_.seeds);
}

std::uint64_t SweepPoints::place_of(std::uint64_t point) const {
  return point / static_cast<std::uint64_t>(request_.seeds);
}

std::vector<std::string> SweepPoints::coordinates(std::uint64_t point) const {
  std::vector<std::string> out(request_.axes.size());
  std::uint64_t rest = place_of(point);
  for (std::size_t a = request_.axes.size(); a-- > 0;) {
    const Axis& axis = request_.axes[a];
    out[a] = axis.values[rest % axis.values.size()];
    rest /= axis.values.size();
  }
  return out;
}

std::string SweepPoints::header(const Shard& shard) const {
  std::string out = "# sluice sweep " + hash_text_of(scenario_hash_);
  if (shard.named) {
    Hasher h;
    h.add(engine_version());
    h.add(static_cast<std::uint64_t>(request_.seeds));
    for (const Axis& axis : request_.axes) {
      h.add(axis.path);
      for (const std::string& value : axis.values) h.add(value);
    }
    out += ", part " + std::to_string(shard.number) + " of " + std::to_string(shard.of) + ", " +
           std::to_string(total_) + " points " + hash_text_of(h.value());
  }
  out += "\nindex";
  for (const Axis& axis : request_.axes) out += "," + csv_text(axis.path);
  out += ",seed";
  for (const std::string& m : metrics_) out += "," + m;
  return out + ",trace_hash,problem\n";
}

std::string SweepPoints::row_begin(std::uint64_t point) const {
  std::string out = std::to_string(point);
  for (const std::string& c : coordinates(point)) out += "," + csv_text(c);
  const std::optional<std::uint64_t> seed = seed_of(point);
  return out + "," + (seed ? std::to_string(*seed) : "") + ",";
}

std::string SweepPoints::row_text(std::uint64_t point, const SweepRow& row) const {
  std::string out = row_begin(point);
  for (std::size_t m = 0; m < metrics_.size(); ++m)
    out += (row.metrics.empty() ? "" : number_text(row.metrics[m])) + ",";
  if (row.problem.empty()) out += hash_text_of(row.trace_hash);
  return out + "," + csv_text(row.problem) + "\n";
}

std::uint64_t points_in(const Shard& shard, std::uint64_t total) {
  return total < shard.number ? 0 : (total - shard.number) / shard.of + 1;
}

std::uint64_t point_of(const Shard& shard, std::uint64_t k) {
  return shard.number - 1 + k * shard.of;
}

void SweepWorker::load(std::uint64_t point) {
  place_ = points_->place_of(point);
  loaded_.reset();
  problem_.clear();
  std::vector<Setting> settings;
  const std::vector<std::string> coordinates = points_->coordinates(point);
  for (std::size_t a = 0; a < coordinates.size(); ++a)
    settings.push_back({points_->request().axes[a].path, coordinates[a]});
  const std::optional<std::uint64_t> seed = points_->seed_of(point);
  if (seed) settings.push_back({std::string(kSeedPath), std::to_string(*seed)});
  const Result<ReadScenario> read = draft_.read(settings);
  if (!read) {
    problem_ = reason_of(read.diagnostics());
    return;
  }
  Result<Loaded> loaded = prepare(read.value(), load_presets());
  if (!loaded) {
    problem_ = reason_of(loaded.diagnostics());
    return;
  }
  loaded_ = std::move(loaded).value();
}

SweepRow SweepWorker::run(std::uint64_t point) {
  if (place_ != points_->place_of(point)) load(point);
  SweepRow row;
  row.problem = problem_;
  if (!loaded_) return row;
  const std::uint64_t own = loaded_->scenario.simulation.seed;
  Result<PlayedRun> played = player_.play(*loaded_, points_->seed_of(point).value_or(own));
  if (!played) {
    row.problem = reason_of(played.diagnostics());
    return row;
  }
  row.metrics = std::move(played.value().metrics);
  if (points_->request().devices) row.metrics.push_back(devices_of(*loaded_));
  row.trace_hash = played.value().trace_hash;
  return row;
}

}  // namespace sluice

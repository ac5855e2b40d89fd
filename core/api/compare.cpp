#include "api/compare.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/adaptive.hpp"
#include "api/draft.hpp"
#include "api/other_schedule.hpp"
#include "api/run.hpp"
#include "base/stable_order.hpp"
#include "io/json.hpp"
#include "io/presets.hpp"
#include "metrics/bound.hpp"
#include "schedule/registry.hpp"

namespace sluice {
namespace {

constexpr std::string_view kPath = "pipeline.schedule";
// In flight, counted in stages of a pipeline with one chunk a rank, so that schedules compare.
double whole_stages(const Summary& s, const Plan& plan) {
  double most = 0;
  for (const double n : s.in_flight_until_weight) most = std::max(most, n);
  const int parts = std::max(1, plan.placement.stages() / plan.placement.ranks) * plan.slices();
  return most / parts;
}

Bytes largest_peak(const Summary& s) {
  Bytes most;
  for (std::size_t d = 0; d < s.peak_memory.size(); ++d) {
    if (s.holds_stages[d]) most = std::max(most, s.peak_memory[d]);
  }
  return most;
}

void fill(ComparedSchedule& row, const Run& run) {
  const Summary& s = run.summary();
  const Plan& plan = run.program().plan;
  row.resolved = plan.resolved;
  row.makespan = s.makespan;
  row.throughput_per_s = s.throughput_per_ms * 1000;
  row.bubble = s.bubble;
  row.peak_memory = largest_peak(s);
  row.peak_in_flight = whole_stages(s, plan);
  row.fits = s.fits;
  row.weight_copies = plan.weight_copies;
  row.messages = s.messages;
  row.lower_bound = s.lower_bound;
}

}  // namespace

Result<Comparison> Comparison::make(std::string text, std::vector<Setting> settings) {
  const Result<Draft> draft = Draft::make(text, settings);
  if (!draft) return draft.diagnostics();
  if (const Result<ReadScenario> plain = draft.value().read()) {
    Diagnostics several = check_one_pipeline(plain.value().scenario);
    plain.value().places.locate(several);
    if (!several.empty()) return several;
  }
  // The scenario's own schedule need not even be one.
  const std::vector<Setting> possible{{std::string(kPath), kAlwaysPossible}};
  Result<ReadScenario> read = draft.value().read(possible);
  if (!read) return read.diagnostics();
  Comparison out(std::move(text), std::move(settings), std::move(read).value());
  put_schedule(out.read_.scenario, kAlwaysPossible);
  const Result<Loaded> loaded = prepare(out.read_, load_presets());
  if (!loaded) return loaded.diagnostics();
  const bool hops = loaded.value().scenario.simulation.options.policies == Policies::Hops;
  const std::vector<ScheduleInfo> table = all_schedules();
  // What is written: its row of the table, where it has one.
  const Result<ReadScenario> written = draft.value().read();
  if (written && !written.value().scenario.pipeline.schedule.name.empty()) {
    const std::string_view meaning =
        hops ? hops_meaning(written.value().scenario.pipeline.schedule.name, table)
             : written.value().scenario.pipeline.schedule.name;
    const ScheduleInfo* own = find_schedule(table, meaning);
    if (own != nullptr) out.current_ = own->name;
  }
  if (out.current_.empty()) {
    out.current_ = kAsWritten;
    out.names_.push_back(out.current_);
  }
  for (const ScheduleInfo& info : table) {
    // A search is no schedule to compare with: it would only find the best of these again.
    if (info.name == kAdaptive && info.name != out.current_) continue;
    const bool policy = info.name.starts_with("hops/");
    if (!policy || hops || info.name == out.current_) out.names_.emplace_back(info.name);
  }
  return out;
}

bool Comparison::step(std::uint64_t schedules) {
  for (std::uint64_t i = 0; i < schedules && done_ < names_.size(); ++i) run(done_++);
  return done_ == names_.size();
}

void Comparison::run(std::size_t index) {
  ComparedSchedule row;
  row.name = names_[index];
  row.current = row.name == current_;
  const std::vector<ScheduleInfo> table = all_schedules();
  if (const ScheduleInfo* info = find_schedule(table, row.name)) {
    row.family = info->family;
    row.doc = info->doc;
  }
  if (!row.current) put_schedule(read_.scenario, row.name);
  const Result<std::shared_ptr<const Run>> result =
      row.current ? simulate(text_, settings_) : simulate(read_, load_presets());
  if (result) {
    fill(row, *result.value());
  } else {
    const Diagnostic& first = result.diagnostics().front();
    row.reason = first.message;
  }
  rows_.push_back(std::move(row));
}

std::vector<ComparedSchedule> Comparison::ranked() const {
  std::vector<ComparedSchedule> out = rows_;
  sort_stably(out, [](const ComparedSchedule& a, const ComparedSchedule& b) {
    if (a.reason.empty() != b.reason.empty()) return a.reason.empty();
    return a.makespan < b.makespan;
  });
  return out;
}

std::string Comparison::json(int indent) const {
  Json list = Json::array();
  int rank = 0;
  for (const ComparedSchedule& row : ranked()) {
    Json j{{"name", row.name}, {"family", row.family}, {"doc", row.doc}, {"current", row.current}};
    if (!row.reason.empty()) {
      j["reason"] = row.reason;
      list.push_back(j);
      continue;
    }
    j["rank"] = ++rank;
    j["resolved"] = row.resolved;
    j["makespan_ms"] = to_ms(row.makespan);
    j["throughput_per_s"] = row.throughput_per_s;
    j["bubble"] = {{"idle_over_makespan", row.bubble.idle_over_makespan},
                   {"idle_over_work", row.bubble.idle_over_work},
                   {"span", row.bubble.span}};
    j["peak_memory_bytes"] = row.peak_memory.value;
    j["peak_in_flight_stages"] = row.peak_in_flight;
    j["fits"] = row.fits;
    j["weight_copies"] = row.weight_copies;
    j["messages"] = row.messages;
    j["lower_bound_ms"] = row.lower_bound ? Json(to_ms(*row.lower_bound)) : Json(nullptr);
    const std::optional<double> gap = gap_pct(row.makespan, row.lower_bound);
    j["gap_pct"] = gap ? Json(*gap) : Json(nullptr);
    list.push_back(j);
  }
  return json_text({{"schedules", list}}, indent);
}

}  // namespace sluice

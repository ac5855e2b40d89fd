// What was measured beside what the replay gives, as JSON and for people.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/import_trace.hpp"
#include "io/json.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

constexpr double kPercent = 100;
constexpr double kNsPerMs = 1e6;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json list_of(const std::vector<DurationFigures>& figures, double DurationFigures::*part) {
  Json out = Json::array();
  for (const DurationFigures& f : figures)
    out.push_back(f.count > 0 ? Json(f.*part) : Json(nullptr));
  return out;
}

Json figures_json(const TraceFigures& f) {
  Json hops = Json::array();
  for (const HopFigures& h : f.hops) {
    hops.push_back({{"from_stage", h.from_stage},
                    {"to_stage", h.to_stage},
                    {"median_ms", h.time.median_ms},
                    {"count", h.time.count}});
  }
  return {{"iterations", f.iterations},
          {"microbatches", f.microbatches},
          {"period_median_ms", number_or_null(f.period_median_ms)},
          {"period_mean_ms", number_or_null(f.period_mean_ms)},
          {"throughput_mb_per_s", f.microbatches_per_s},
          {"bubble_ratio", f.bubble},
          {"utilization_per_stage", f.utilization},
          {"forward_mean_ms", list_of(f.forward, &DurationFigures::mean_ms)},
          {"forward_median_ms", list_of(f.forward, &DurationFigures::median_ms)},
          {"backward_mean_ms", list_of(f.backward, &DurationFigures::mean_ms)},
          {"backward_median_ms", list_of(f.backward, &DurationFigures::median_ms)},
          {"update_mean_ms", list_of(f.update, &DurationFigures::mean_ms)},
          {"update_median_ms", list_of(f.update, &DurationFigures::median_ms)},
          {"pause_median_ms",
           number_or_null(f.pause.count > 0 ? std::optional(f.pause.median_ms) : std::nullopt)},
          {"hops", hops}};
}

/// Percent of the measured figure; null where that is 0 or one is not known.
Json error_pct(const std::optional<double>& simulated, const std::optional<double>& measured) {
  if (!simulated || !measured || *measured == 0) return nullptr;
  return (*simulated / *measured - 1) * kPercent;
}

Json errors_json(const TraceFigures& s, const TraceFigures& m) {
  Json utilization = Json::array();
  for (std::size_t i = 0; i < m.utilization.size(); ++i)
    utilization.push_back(error_pct(s.utilization[i], m.utilization[i]));
  return {{"period_median_ms", error_pct(s.period_median_ms, m.period_median_ms)},
          {"period_mean_ms", error_pct(s.period_mean_ms, m.period_mean_ms)},
          {"throughput_mb_per_s", error_pct(s.microbatches_per_s, m.microbatches_per_s)},
          {"bubble_ratio", error_pct(s.bubble, m.bubble)},
          {"utilization_per_stage", utilization}};
}

const char* clock_text(ClockSource source) {
  switch (source) {
    case ClockSource::Recorded:
      return "recorded";
    case ClockSource::Updates:
      return "updates";
    case ClockSource::Causality:
      return "causality";
  }
  return "recorded";
}

std::string row(const std::string& name, const std::optional<double>& measured,
                const std::optional<double>& simulated, double scale, const char* unit) {
  constexpr std::size_t kLongest = 160;
  char text[kLongest];
  if (!measured || !simulated) {
    std::snprintf(text, sizeof text, "  %-24s %12s %12s\n", name.c_str(), "-", "-");
    return text;
  }
  const Json error = error_pct(simulated, measured);
  const std::string off = error.is_null() ? "-" : [&] {
    char number[kLongest];
    std::snprintf(number, sizeof number, "%+.2f %%", error.get<double>());
    return std::string(number);
  }();
  std::snprintf(text, sizeof text, "  %-24s %12.3f %12.3f %-5s %10s\n", name.c_str(),
                *measured * scale, *simulated * scale, unit, off.c_str());
  return text;
}

std::string side_by_side(const TraceFigures& m, const TraceFigures& s, const char* title,
                         bool typical) {
  char head[160];
  std::snprintf(head, sizeof head, "  %-24s %12s %12s %-5s %10s\n", "", "measured", title, "",
                "error");
  std::string out = head;
  if (typical) out += row("period, median", m.period_median_ms, s.period_median_ms, 1, "ms");
  out += row("period, mean", m.period_mean_ms, s.period_mean_ms, 1, "ms");
  out += row("throughput", m.microbatches_per_s, s.microbatches_per_s, 1, "/s");
  out += row("bubble", m.bubble, s.bubble, kPercent, "%");
  for (std::size_t k = 0; k < m.utilization.size(); ++k) {
    out += row("utilization, stage " + std::to_string(k), m.utilization[k], s.utilization[k],
               kPercent, "%");
  }
  return out;
}

}  // namespace

std::string import_json(const ImportedTrace& i, int indent) {
  Json shifts = Json::array();
  for (const std::int64_t ns : i.clocks.shift_ns)
    shifts.push_back(static_cast<double>(ns) / kNsPerMs);
  return json_text({{"format", i.format},
                    {"replay", true},
                    {"ranks", i.ranks},
                    {"devices", i.devices},
                    {"order", i.order.name},
                    {"first_iteration", i.measured.first_iteration},
                    {"last_iteration", i.measured.last_iteration},
                    {"warm_up_dropped", i.measured.warm_up_dropped},
                    {"incomplete_dropped", i.measured.incomplete_dropped},
                    {"clocks", {{"source", clock_text(i.clocks.source)}, {"shift_ms", shifts}}},
                    {"measured", figures_json(i.measured)},
                    {"simulated", figures_json(i.simulated)},
                    {"error_pct", errors_json(i.simulated, i.measured)},
                    {"slow_steps_ms", i.slow_steps_ms},
                    {"with_slow_steps", figures_json(i.with_slow_steps)},
                    {"with_slow_steps_error_pct", errors_json(i.with_slow_steps, i.measured)},
                    {"notes", i.notes},
                    {"scenario", i.scenario}},
                   indent);
}

std::string import_text(const ImportedTrace& i) {
  const TraceFigures& m = i.measured;
  std::string out = std::to_string(m.utilization.size()) + " stages on " +
                    std::to_string(i.ranks.size()) + " ranks, " + std::to_string(m.microbatches) +
                    " microbatches, order " + i.order.name + ", " + std::to_string(m.iterations) +
                    " iterations (" + std::to_string(m.first_iteration) + " to " +
                    std::to_string(m.last_iteration) + "; " + std::to_string(m.warm_up_dropped) +
                    " of warm-up left out)\n\n";
  out += side_by_side(m, i.simulated, "replayed", true);
  if (i.slow_steps_ms > 0) {
    out += "\nThe same with the trace's slow steps, " + short_text(i.slow_steps_ms) +
           " ms more a step on average:\n\n" +
           side_by_side(m, i.with_slow_steps, "with slow", false);
  }
  out += "\n  measured       forward       backward         update   ms, mean\n";
  for (std::size_t k = 0; k < m.forward.size(); ++k) {
    char line[160];
    std::snprintf(line, sizeof line, "  stage %-4zu %11.3f %14.3f", k, m.forward[k].mean_ms,
                  m.backward[k].mean_ms);
    out += line;
    const DurationFigures& u = m.update[i.place_of_stage[k]];
    std::snprintf(line, sizeof line, u.count > 0 ? " %14.3f\n" : "\n", u.mean_ms);
    out += line;
  }
  out += "\n";
  for (const std::string& note : i.notes) out += note + "\n";
  return out;
}

}  // namespace sluice

#include "api/run.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/fit_advice.hpp"
#include "io/chrome_trace.hpp"
#include "io/gaps_csv.hpp"
#include "io/memory_csv.hpp"
#include "io/number.hpp"
#include "io/print_scenario.hpp"
#include "io/summary_json.hpp"
#include "io/svg.hpp"
#include "io/trace_csv.hpp"
#include "metrics/critical_path.hpp"
#include "metrics/slack.hpp"

namespace sluice {

Run::Run(Loaded loaded, Trace trace, const FailureLog& failures)
    : loaded_(std::move(loaded)),
      trace_(std::move(trace)),
      summary_(summarize(loaded_.program, loaded_.costs, loaded_.scenario, trace_, failures)),
      trace_hash_(sluice::trace_hash(trace_)),
      diagnostics_(loaded_.diagnostics) {
  if (summary_.fits) return;
  Diagnostics over;
  for (std::size_t d = 0; d < summary_.peak_memory.size(); ++d) {
    if (!summary_.holds_stages[d] || summary_.peak_memory[d] <= summary_.memory_capacity[d])
      continue;
    const auto gib = [](Bytes b) {
      return short_text(static_cast<double>(b.value) / kGiB) + " GiB";
    };
    const std::string& operation = summary_.memory_peaks[d].operation;
    const std::string at = operation.empty() ? "" : ", in " + operation;
    Diagnostic note = warning(
        Code::CapacityExceeded, "hardware.devices[" + std::to_string(d) + "]",
        "\"" + program().machine.devices[d].id + "\" would need " + gib(summary_.peak_memory[d]) +
            " of " + gib(summary_.memory_capacity[d]) + ", " +
            gib(summary_.peak_memory[d] - summary_.memory_capacity[d]) + " too much" + at,
        summary_.memory_parts[d].optimizer.value > 0
            ? "fewer layers on it, recompute: full, or a schedule with fewer in flight "
              "(compare them)"
            : "fewer microbatches in flight, fewer weights, or a larger device");
    if (!feasible()) note.severity = Severity::Error;
    over.push_back(std::move(note));
  }
  loaded_.places.locate(over);
  diagnostics_.insert(diagnostics_.end(), over.begin(), over.end());
  sort_by_place(diagnostics_);
}

bool Run::feasible() const {
  return summary_.fits || loaded_.scenario.simulation.options.capacity != Capacity::Enforce;
}

void Run::advise() {
  const std::string advice = summary_.fits ? "" : fit_advice(loaded_);
  if (advice.empty()) return;
  for (Diagnostic& d : diagnostics_) {
    if (d.code == Code::CapacityExceeded) d.hint = advice;
  }
}

template <class Say>
auto Run::summarized(const IdleTime& idle, Say say) const {
  const CriticalPath path = critical_path(trace_, idle);
  const std::vector<std::int64_t> free = slack(program(), trace_, idle);
  return say(SummaryContext{program(),
                            summary_,
                            diagnostics_,
                            loaded_.costs,
                            {program(), trace_, idle, path, free},
                            loaded_.scenario,
                            loaded_.places,
                            loaded_.scenario_hash,
                            trace_hash_});
}

std::string Run::summary_json(int indent) const {
  return summary_json(IdleTime(program(), trace_), indent);
}
std::string Run::summary_json(const IdleTime& idle, int indent) const {
  return summarized(idle, [&](const SummaryContext& c) { return sluice::summary_json(c, indent); });
}
Diagnostics Run::unmet_expectations() const {
  // Nobody pays for a summary that says nothing.
  if (loaded_.scenario.expect.empty()) return {};
  return summarized(IdleTime(program(), trace_), sluice::unmet_expectations);
}
std::string Run::plan_json() const {
  return sluice::plan_json(program());
}
std::string Run::resolved_yaml() const {
  return print_resolved(loaded_.scenario, loaded_.places, loaded_.network);
}
std::string Run::trace_csv() const {
  return sluice::trace_csv(program(), trace_);
}
std::string Run::gaps_csv() const {
  return sluice::gaps_csv(program(), trace_);
}
std::string Run::memory_csv() const {
  return sluice::memory_csv(program(), loaded_.costs, trace_);
}
std::string Run::chrome_trace() const {
  return sluice::chrome_trace(program(), trace_, loaded_.title);
}
std::string Run::timeline_svg(std::string_view look) const {
  SvgView view;
  view.title = loaded_.title;
  view.paper = look.starts_with("paper");
  view.units = look.ends_with(".u");
  return sluice::timeline_svg(program(), summary_, trace_, view);
}
std::string Run::dashboard_svg() const {
  return sluice::dashboard_svg(program(), summary_, trace_, loaded_.title);
}

Simulation::Simulation(Loaded loaded) : loaded_(std::move(loaded)), engine_(loaded_.program) {}

std::uint64_t Simulation::done() const {
  return engine_.finished() ? total() : std::min(engine_.segments(), total() - 1);
}

Result<std::shared_ptr<const Run>> Simulation::finish(bool advised) {
  if (!engine_.finished()) {
    Diagnostics problems = engine_.problems();
    SLUICE_CHECK(!problems.empty());
    loaded_.places.locate(problems);
    return problems;
  }
  const FailureLog failures = engine_.failures();
  auto run = std::make_shared<Run>(std::move(loaded_), engine_.take_trace(), failures);
  if (advised) run->advise();
  return std::shared_ptr<const Run>(std::move(run));
}

namespace {

Result<std::shared_ptr<const Run>> play(Result<Loaded> loaded) {
  if (!loaded) return loaded.diagnostics();
  Simulation simulation(std::move(loaded).value());
  while (!simulation.step(std::numeric_limits<std::uint32_t>::max())) {
  }
  return simulation.finish(false);
}

}  // namespace

Result<std::shared_ptr<const Run>> simulate(const ReadScenario& read, const Presets& presets) {
  return play(prepare(read, presets));
}

Result<std::shared_ptr<const Run>> simulate(std::string_view text,
                                            const std::vector<Setting>& settings) {
  return play(load_scenario(text, settings));
}

}  // namespace sluice

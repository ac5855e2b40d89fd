#include "api/monte_carlo.hpp"

#include <algorithm>
#include <utility>

#include "api/calibration_draws.hpp"
#include "base/hash.hpp"
#include "io/calibration_intervals.hpp"
#include "io/presets.hpp"
#include "io/print_scenario.hpp"

namespace sluice {
namespace {

// Those that have an interval and belong to a device of the scenario, or to none.
DrawnConstants constants_of(const Loaded& loaded) {
  const Scenario& scenario = loaded.scenario;
  if (loaded.costs.certainty.calibration.empty() &&
      scenario.simulation.communication != Communication::Calls)
    return {};
  DrawnConstants out{load_presets().calibration(scenario.pipeline.calibration), {}};
  for (const ConstantInterval& i : calibration_intervals(scenario.pipeline.calibration)) {
    const std::string gpu = i.name.substr(0, i.name.find('.'));
    const bool of_device = gpu.size() < i.name.size();
    const auto& devices = loaded.network.devices();
    if (i.low < i.high &&
        (!of_device || std::any_of(devices.begin(), devices.end(),
                                   [&](const Device& d) { return d.preset == gpu; })))
      out.intervals.push_back(i);
  }
  return out;
}

}  // namespace

Result<MonteCarloTrials> MonteCarloTrials::make(MonteCarloRequest request) {
  Result<Draft> draft = Draft::make(request.text, request.settings);
  if (!draft) return draft.diagnostics();
  const Result<ReadScenario> read = draft.value().read();
  if (!read) return read.diagnostics();
  const Result<Loaded> loaded = prepare(read.value(), load_presets());
  if (!loaded) return loaded.diagnostics();
  MonteCarloTrials out(std::move(request), std::move(draft).value());
  out.first_seed_ = loaded.value().scenario.simulation.seed;
  out.scenario_hash_ = hash_text(print_scenario(loaded.value().scenario));
  out.constants_ = constants_of(loaded.value());
  for (const Axis& axis : out.request_.axes) {
    if (axis.values.empty())
      return error(Code::ValueEmpty, axis.path, "no values for \"" + axis.path + "\"");
    if (axis.path == "simulation.seed") {
      return error(Code::ValueChoice, axis.path,
                   "the seed is what tells the runs apart; it cannot be an axis as well");
    }
    const std::uint64_t most = kMaxMonteCarloRuns / out.runs();
    if (out.points_ > most / axis.values.size()) {
      return error(Code::LimitOperations, axis.path,
                   "more than " + std::to_string(kMaxMonteCarloRuns) + " runs");
    }
    out.points_ *= axis.values.size();
  }
  return out;
}

std::vector<std::string> MonteCarloTrials::coordinates(std::uint64_t point) const {
  std::vector<std::string> out(request_.axes.size());
  for (std::size_t a = out.size(); a-- > 0;) {
    const Axis& axis = request_.axes[a];
    out[a] = axis.values[point % axis.values.size()];
    point /= axis.values.size();
  }
  return out;
}

std::string MonteCarloTrials::name_of(std::uint64_t point) const {
  std::string out;
  const std::vector<std::string> values = coordinates(point);
  for (std::size_t a = 0; a < values.size(); ++a)
    out += (a == 0 ? "" : " ") + request_.axes[a].path + "=" + values[a];
  return out.empty() ? "as written" : out;
}

MonteCarloWorker::MonteCarloWorker(const MonteCarloTrials& trials)
    : trials_(&trials),
      draft_(trials.draft().own_copy()),
      presets_(load_presets()),
      points_(static_cast<std::size_t>(trials.points())) {}

void MonteCarloWorker::load(std::uint64_t number) {
  Point& point = points_[static_cast<std::size_t>(number)];
  point.known = true;
  std::vector<Setting> settings;
  const std::vector<std::string> values = trials_->coordinates(number);
  for (std::size_t a = 0; a < values.size(); ++a)
    settings.push_back({trials_->axes()[a].path, values[a]});
  const Result<ReadScenario> read = draft_.read(settings);
  if (!read) {
    point.problem = reason_of(read.diagnostics());
    return;
  }
  // What is planned, a partition say, is planned with the constants as they were fitted.
  Result<Loaded> loaded = prepare(read.value(), load_presets());
  if (!loaded) {
    point.problem = reason_of(loaded.diagnostics());
    return;
  }
  point.loaded = std::move(loaded).value();
  point.constants = constants_of(*point.loaded);
}

// Compiles the point again with the constants of this run.
void MonteCarloWorker::draw_constants(Point& point, std::uint64_t run) {
  const auto own =
      std::find_if(presets_.calibrations.begin(), presets_.calibrations.end(),
                   [&](const Calibration& c) { return c.name == point.constants.fitted->name; });
  *own = drawn_calibration(*point.constants.fitted, point.constants.intervals,
                           trials_->first_seed(), static_cast<std::uint32_t>(run));
  Result<Loaded> loaded = prepare({point.loaded->scenario, point.loaded->places, {}}, presets_);
  if (loaded) {
    point.loaded = std::move(loaded).value();
  } else {
    point.problem = reason_of(loaded.diagnostics());
  }
}

MonteCarloTrial MonteCarloWorker::run(std::uint64_t number) {
  const std::uint64_t run = number / trials_->points();
  const std::uint64_t which = number % trials_->points();
  Point& point = points_[static_cast<std::size_t>(which)];
  if (!point.known) load(which);
  MonteCarloTrial out;
  if (!point.loaded) {
    out.problem = point.problem;
    return out;
  }
  point.problem.clear();
  if (!point.constants.intervals.empty()) draw_constants(point, run);
  out.problem = point.problem;
  if (!out.problem.empty()) return out;
  Result<PlayedRun> played = player_.play(*point.loaded, trials_->seed_of_run(run));
  if (!played) {
    out.problem = reason_of(played.diagnostics());
    return out;
  }
  out.metrics = std::move(played.value().metrics);
  out.trace_hash = played.value().trace_hash;
  return out;
}

Result<MonteCarlo> MonteCarlo::make(MonteCarloRequest request) {
  Result<MonteCarloTrials> trials = MonteCarloTrials::make(std::move(request));
  if (!trials) return trials.diagnostics();
  return MonteCarlo(std::make_unique<const MonteCarloTrials>(std::move(trials).value()));
}

bool MonteCarlo::step(std::uint64_t trials) {
  for (std::uint64_t i = 0; i < trials && done() < total(); ++i) take(worker_.run(done()));
  return done() == total();
}

}  // namespace sluice

// Predicts real runs from their facts and compares.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/validation.hpp"
#include "model/presets.hpp"

namespace sluice {

struct ValidationRequest {
  std::vector<MeasuredRun> runs;
  /// Adds what the named environment of the calibration costs now and then; "" is none.
  std::string environment;
};

/// The scenario that a run's facts describe, as YAML. No measured figure enters.
std::string scenario_of(const RunFacts& facts);

/// Updates of each stage under the first calibration, ms; all wait for the slowest preparation.
std::vector<double> update_times(const RunFacts& facts, const Presets& presets);

/// Plays the scenario and takes the second of three steps. Diagnostics: of the scenario.
Result<PredictedStep> predict(const RunFacts& facts, const Presets& presets);

/// Diagnostics: of a scenario, naming its run; reference.preset for an unknown environment.
Result<Validation> validate_runs(const ValidationRequest& request, const Presets& presets);

/// The document of `sluice validate --json`.
std::string validation_json(const Validation& validation, int indent = 2);

}  // namespace sluice

// Fits the constants of a calibration on real runs, and says how well they predict runs they have
// not seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/validation.hpp"
#include "model/presets.hpp"

namespace sluice {

/// Runs with equal devices (in any order), hidden size, sequence and number of layers are repeats
/// of one another: a run's family.
std::string family_of(const RunFacts& facts);

/// Fits on each constant's own observable: stage constants on the medians of forward and backward
/// times, the optimizer's on update times, those of calls, reductions and the end of a step on
/// period medians. Starts from `start`. Data-sheet figures and the network cards' rates are not
/// fitted. Deterministic. Cost: a second or two natively for 36 runs and 40 sweeps.
Calibration fit_calibration(const std::vector<MeasuredRun>& runs, const Calibration& start,
                            const Presets& presets, int sweeps);

/// Round figures that know nothing of these runs: where a fit begins.
Calibration round_calibration(const Calibration& like);

struct CrossValidation {
  /// Every run predicted by constants fitted without its family.
  Validation held_out;
  std::size_t families = 0;
};

/// Leaves out one family after another, up to `most_families` (0 is all). Diagnostics: of a
/// scenario.
Result<CrossValidation> cross_validate(const std::vector<MeasuredRun>& runs, const Presets& presets,
                                       int sweeps, std::size_t most_families = 0);

}  // namespace sluice

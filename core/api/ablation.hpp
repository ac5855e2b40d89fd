// What each term of the model is worth: predictions of real runs with one of them taken away.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/validation.hpp"
#include "model/presets.hpp"

namespace sluice {

struct AblatedTerm {
  std::string name;
  /// What is left out or put in its place.
  std::string doc;
  Validation without;
};

/// First the full model (name "nothing"), then it without one term after another; nothing is
/// refitted. Diagnostics: of a scenario. Cost: a validation a term.
Result<std::vector<AblatedTerm>> ablate(const std::vector<MeasuredRun>& runs,
                                        const Presets& presets);

/// From matrix products alone to the full model, one term more each time, in the order of `ablate`.
Result<std::vector<AblatedTerm>> build_up(const std::vector<MeasuredRun>& runs,
                                          const Presets& presets);

}  // namespace sluice

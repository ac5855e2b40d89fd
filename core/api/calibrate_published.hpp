// Fits a calibration on published runs, and predicts each model with constants fitted on the
// others.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/published.hpp"
#include "model/presets.hpp"

namespace sluice {

/// The constants that throughput decides: matmul efficiency, bytes of element-wise operations and
/// of logits, a call's host time, and what a split backward costs; from round figures, which also
/// hold what the runs do not decide. The rest is as in `like`. Cost: about 20 predictions a run and
/// sweep.
Calibration fit_published(const std::vector<PublishedRun>& runs, const Calibration& like,
                          const Presets& presets, int sweeps);

/// One model at a time is left out of the fit and predicted. Needs at least two models.
/// Diagnostics: of a scenario.
Result<PublishedValidation> cross_validate_published(const std::vector<PublishedRun>& runs,
                                                     const Presets& presets, int sweeps);

}  // namespace sluice

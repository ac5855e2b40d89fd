// Predicts published runs of whole models from shape, device, schedule and microbatches, and
// compares.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/published.hpp"
#include "model/presets.hpp"

namespace sluice {

/// The scenario that the facts describe, as YAML: A100 with 80 GB, eight a node on NVLink, nodes on
/// RoCE, one layer a chunk where ranks hold several. No measured figure enters.
std::string scenario_of(const PublishedFacts& facts);

/// Plays four steps and takes the last but one. Diagnostics: of the scenario.
Result<PublishedFigures> predict(const PublishedFacts& facts, const Presets& presets);

/// Diagnostics: of a scenario, naming its row.
Result<PublishedValidation> validate_published(const std::vector<PublishedRun>& runs,
                                               const Presets& presets);

/// The document of `sluice validate --published DIR --json`.
std::string published_json(const PublishedValidation& validation, int indent = 2);

}  // namespace sluice

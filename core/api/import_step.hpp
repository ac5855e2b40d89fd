// One iteration of a recorded run and of its replay, for drawing.
#pragma once

#include <string>

#include "api/import_trace.hpp"

namespace sluice {

/// {"measured": STEP, "simulated": STEP}; a STEP is a list of [rank, kind, stage, microbatch,
/// start_ms, end_ms], `rank` an index into the report's `ranks`, `kind` one of F, B, I, W, update.
std::string import_step_json(const ImportedTrace& imported);

}  // namespace sluice

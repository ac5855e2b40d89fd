// What the module's functions have in common: the options they take, and how they refuse.
#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <string>
#include <vector>

#include "api/sweep.hpp"
#include "base/diagnostics.hpp"
#include "io/json.hpp"
#include "io/overlay.hpp"

namespace sluice::wasm {

/// `Options` of sluice.d.ts.
struct Options {
  std::vector<Setting> settings;
  std::vector<Axis> axes;
  std::int64_t seeds = 1;
  /// Of a sweep as CSV: the part that is wanted.
  std::uint64_t first = 0;
  std::uint64_t last = kMaxSweepPoints;
  bool csv = false;
};
/// What is not there, or not what it should be, keeps its default.
Options parse_options(const std::string& text);

emscripten::val diagnostics_value(const Diagnostics& diagnostics);
/// Text as JSON; what is no object is an empty one.
Json options_json(const std::string& text);

/// {ok: false, diagnostics}.
emscripten::val refused(const Diagnostics& diagnostics);
/// The same for a broken invariant, which is no fault of the scenario.
emscripten::val internal_error(const char* what);
/// An answer that says why there is no job.
emscripten::val without_job(emscripten::val refusal);

}  // namespace sluice::wasm

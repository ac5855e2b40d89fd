// Checks that a wrong scenario is refused: code, path, place, fix, and in good time.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "api/load.hpp"
#include "io/reader.hpp"
#include "io/texts.hpp"

namespace sluice_test {

using sluice::Code;
using sluice::Diagnostic;
using sluice::Diagnostics;
using sluice::kMaxDiagnostics;
using sluice::Loaded;
using sluice::Result;
using sluice::Severity;

struct Bad {
  std::string what;
  Changes changes;
  Code code;
  std::string path;
  std::string fix = "";
  std::size_t problems = 1;
};

// A text that is refused, with the first problem at the mark.
inline void check_refused(const std::string& what, std::string text, Code code,
                          const std::string& path, const std::string& fix = "",
                          std::size_t problems = 1) {
  CAPTURE(what);
  const Spot spot = take_mark(text);
  const double began = seconds_now();
  const Result<Loaded> loaded = sluice::load_scenario(text);
  CHECK_MESSAGE(seconds_now() - began < patience_seconds(), what);
  REQUIRE_MESSAGE(!loaded.ok(), "accepted: " << what);
  const Diagnostics& found = loaded.diagnostics();
  const std::string all = listing(found);
  CAPTURE(all);
  CHECK(found.size() <= kMaxDiagnostics);
  const Diagnostic& d = found.front();
  CHECK(code_text(d.code) == code_text(code));
  CHECK(d.path == path);
  CHECK(d.severity == Severity::Error);
  if (spot.line > 0) {
    CHECK(d.line == spot.line);
    CHECK(d.column == spot.column);
  }
  CHECK(d.fix == fix);
  CHECK(!d.message.empty());
  CHECK(found.size() == problems);
  // Every problem has a place from 1 on, and its end is not before its begin.
  for (const Diagnostic& each : found) {
    CHECK(each.line >= 1);
    CHECK(each.column >= 1);
    CHECK((each.end_line > each.line ||
           (each.end_line == each.line && each.end_column >= each.column)));
  }
}

inline void check_table(const std::vector<Bad>& table) {
  for (const Bad& bad : table) {
    check_refused(bad.what, changed(kGood, bad.changes), bad.code, bad.path, bad.fix, bad.problems);
  }
}

// Pieces of kGood that changes replace.
inline const std::string kSeed = "seed: 1";
inline const std::string kCompute = "compute: {mode: explicit, distribution: 10}";
inline const std::string kDeviceB = "{id: b, gpu: a100, node: n0, socket: 0}";
inline const std::string kLinks = "  interconnect: {same_node: nvlink3}\n";

inline std::string with_link(const std::string& link) {
  return kLinks + "  links:\n    - " + link + "\n";
}
inline std::string policy(const std::string& rules) {
  return "schedule: {policy: {split: false, rules: [" + rules + "]}}";
}

}  // namespace sluice_test

// Paths such as a.b[2].c, as a user writes them: of `--set` in a scenario, of `expect` in the
// summary.
#pragma once

#include <string>
#include <vector>

namespace sluice {

struct PathStep {
  /// A key, or the id of a list item.
  std::string key;
  /// Index of a list item, or -1 for a key.
  int index = -1;
  /// Written in brackets: in a scenario an id, never a key.
  bool item = false;
};

/// Splits a path; empty when its syntax is wrong or it is deeper than any text (kMaxDepth).
std::vector<PathStep> path_steps(const std::string& path);

}  // namespace sluice

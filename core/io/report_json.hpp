// Diagnostics as JSON documents, for `--json`.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.hpp"

namespace sluice {

/// {"ok": false, "diagnostics": [...]}.
std::string refusal_json(const Diagnostics& diagnostics);

struct FileReport {
  std::string file;
  bool ok = false;
  Diagnostics diagnostics;
};

/// {"ok": all of them, "files": [{"file", "ok", "diagnostics"}, ...]}.
std::string check_report_json(const std::vector<FileReport>& reports);

}  // namespace sluice

// `--set path=value`: changes in a YAML tree before it is read.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "io/yaml_document.hpp"

namespace sluice {

/// One change: a path and YAML text. A path is keys joined by dots, items of lists by index
/// (a.b[2].c) or by their `id` (a.devices.ID.c). An id that holds a dot stands in brackets:
/// a.devices[gpu.0].c; digits alone in brackets are always an index.
struct Setting {
  std::string path;
  std::string value;
};

/// The tree with the settings applied in order; it shares with `root` what they leave alone.
/// Missing keys of mappings are created, list items are not. Diagnostics: set.path, set.value.
Result<YamlTree> apply_settings(const YamlNode& root, const std::vector<Setting>& settings);

}  // namespace sluice

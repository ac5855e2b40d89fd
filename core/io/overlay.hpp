// `--set path=value`: changes in a YAML tree before it is read.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "io/yaml_document.hpp"

namespace sluice {

/// One change: a path such as a.b[2].c or a.devices.ID.c (list items that have an `id` may be
/// named), and YAML text.
struct Setting {
  std::string path;
  std::string value;
};

/// A copy of the tree with the settings applied in order. Missing keys of mappings are created,
/// list items are not. Diagnostics: set.path, set.value.
Result<YamlTree> apply_settings(const YamlNode& root, const std::vector<Setting>& settings);

}  // namespace sluice

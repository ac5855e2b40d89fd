// The shapes of presets/models.yaml, which are written in the words of `pipeline.model`: what a
// scenario does not write is taken over key by key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "io/yaml_document.hpp"

namespace sluice {

/// In the order of the file.
const std::vector<std::string>& model_preset_names();

struct FilledModel {
  YamlTree root;
  /// Of the values that came from the preset.
  std::vector<std::string> paths;
};

/// The document with the values of `pipeline.model.preset` where it writes none itself; their place
/// is that of the preset's name. The same tree when it names no preset, or an unknown one.
FilledModel fill_model(const YamlTree& root);

/// reference.preset at `pipeline.model.preset` when no shape has the name.
std::optional<Diagnostic> check_model_preset(const std::string& name);

}  // namespace sluice

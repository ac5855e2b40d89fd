// A scenario text as a tree, for who reads it many times with few values changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "io/overlay.hpp"
#include "io/reader.hpp"
#include "io/yaml_document.hpp"

namespace sluice {

class Draft {
 public:
  /// Parses the text and applies the settings. Diagnostics: text.*, yaml.*, set.*.
  static Result<Draft> make(std::string_view text, const std::vector<Setting>& settings = {});

  /// The scenario with more settings applied, read as if they had followed the first ones. Cost:
  /// O(nodes), a third of what parsing the text costs.
  [[nodiscard]] Result<ReadScenario> read(const std::vector<Setting>& more = {}) const;
  /// From the comment `# title: ...`, or "".
  [[nodiscard]] const std::string& title() const { return title_; }
  /// One that shares no node with this one: for another thread.
  [[nodiscard]] Draft own_copy() const { return {title_, deep_copy(*tree_)}; }

 private:
  Draft(std::string title, YamlTree tree) : title_(std::move(title)), tree_(std::move(tree)) {}

  std::string title_;
  YamlTree tree_;
};

/// The text after `# title:` in the first lines, or "".
std::string title_of(std::string_view text);

}  // namespace sluice

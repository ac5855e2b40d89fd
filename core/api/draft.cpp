#include "api/draft.hpp"

#include <algorithm>
#include <utility>

#include "io/model_presets.hpp"

namespace sluice {

std::string title_of(std::string_view text) {
  constexpr int kFirstLines = 8;
  constexpr std::string_view kMark = "# title:";
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (int i = 0; i < kFirstLines && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.starts_with(kMark)) {
      line.remove_prefix(kMark.size());
      while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
      return std::string(line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

Result<Draft> Draft::make(std::string_view text, const std::vector<Setting>& settings) {
  Result<YamlTree> tree = parse_yaml(text);
  if (!tree) return tree.diagnostics();
  Draft draft(title_of(text), std::move(tree).value());
  if (settings.empty()) return draft;
  Result<YamlTree> changed = apply_settings(*draft.tree_, settings);
  if (!changed) return changed.diagnostics();
  draft.tree_ = std::move(changed).value();
  return draft;
}

Result<ReadScenario> Draft::read(const std::vector<Setting>& more) const {
  YamlTree tree = tree_;
  if (!more.empty()) {
    Result<YamlTree> changed = apply_settings(*tree, more);
    if (!changed) return changed.diagnostics();
    tree = std::move(changed).value();
  }
  const FilledModel filled = fill_model(tree);
  Result<ReadScenario> read = read_scenario(*filled.root);
  if (!read) return read.diagnostics();
  for (const std::string& path : filled.paths) read.value().places.mark_preset(path);
  return read;
}

}  // namespace sluice

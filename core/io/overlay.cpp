#include "io/overlay.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "io/excerpt.hpp"

namespace sluice {
namespace {

struct Step {
  /// A key, or the id of a list item.
  std::string key;
  /// Index of a list item, or -1 for a key.
  int index = -1;
  /// Written in brackets: an id, never a key.
  bool item = false;
};

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What stands in brackets: an index or an id.
std::optional<Step> bracket(const std::string& inside) {
  // Longer indices than any list has.
  constexpr std::size_t kMostDigits = 6;
  if (inside.empty()) return std::nullopt;
  if (!all_digits(inside)) return Step{inside, -1, true};
  if (inside.size() > kMostDigits) return std::nullopt;
  return Step{"", std::stoi(inside), true};
}

// Splits a path; empty when its syntax is wrong.
std::vector<Step> steps_of(const std::string& path) {
  std::vector<Step> steps;
  std::size_t i = 0;
  while (i < path.size()) {
    if (path[i] == '[') {
      const std::size_t close = path.find(']', i);
      if (close == std::string::npos) return {};
      const auto step = bracket(path.substr(i + 1, close - i - 1));
      if (!step) return {};
      steps.push_back(*step);
      i = close + 1;
      if (i < path.size() && path[i] != '.' && path[i] != '[') return {};
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
      if (end == i) return {};
      steps.push_back({path.substr(i, end - i), -1, false});
      i = end;
    }
    if (i < path.size() && path[i] == '.' && ++i == path.size()) return {};
    if (steps.size() > static_cast<std::size_t>(kMaxDepth)) return {};
  }
  return steps;
}

void clear_places(YamlNode& node) {
  node.place = {};
  for (auto& item : node.items) clear_places(*item);
  for (auto& entry : node.entries) {
    entry.key_place = {};
    clear_places(*entry.value);
  }
}

// The child a step leads to, made when it is a missing key; null when there is none.
YamlTree* child(YamlNode& node, const Step& step) {
  if (step.index >= 0) {
    const auto index = static_cast<std::size_t>(step.index);
    return node.kind == YamlNode::Kind::List && index < node.items.size() ? &node.items[index]
                                                                          : nullptr;
  }
  if (node.kind == YamlNode::Kind::List || step.item) {
    for (YamlTree& item : node.items) {
      const YamlNode* id = item->find("id");
      if (id != nullptr && id->scalar == step.key) return &item;
    }
    return nullptr;
  }
  if (node.kind == YamlNode::Kind::Null) node.kind = YamlNode::Kind::Map;
  if (node.kind != YamlNode::Kind::Map) return nullptr;
  for (YamlNode::Entry& entry : node.entries) {
    if (entry.key == step.key) return &entry.value;
  }
  node.entries.push_back({step.key, {}, std::make_shared<YamlNode>()});
  return &node.entries.back().value;
}

}  // namespace

Result<YamlTree> apply_settings(const YamlNode& root, const std::vector<Setting>& settings) {
  YamlTree copy = deep_copy(root);
  Diagnostics problems;
  for (const Setting& s : settings) {
    const std::vector<Step> steps = steps_of(s.path);
    if (steps.empty()) {
      problems.push_back(
          error(Code::SetPath, excerpt(s.path), "\"" + excerpt(s.path) + "\" is not a path",
                "write a path such as simulation.seed or pipeline.stages[2].device"));
      continue;
    }
    // A bare word, number or flow collection; empty text means nothing (null).
    Result<YamlTree> value = parse_yaml("v: " + s.value);
    if (!value || value.value()->entries.size() != 1) {
      problems.push_back(
          error(Code::SetValue, excerpt(s.path),
                "the value of \"" + excerpt(s.path) + "\" is not YAML: " + excerpt(s.value),
                value ? "give one value" : value.diagnostics().front().message));
      continue;
    }
    YamlTree* at = &copy;
    for (const Step& step : steps) {
      at = child(**at, step);
      if (at == nullptr) break;
    }
    if (at == nullptr) {
      problems.push_back(error(Code::SetPath, excerpt(s.path),
                               "nothing stands at \"" + excerpt(s.path) + "\"",
                               "list items are not created; name an existing index or id"));
      continue;
    }
    *at = deep_copy(*value.value()->entries.front().value);
    clear_places(**at);
  }
  if (!problems.empty()) return problems;
  return copy;
}

}  // namespace sluice

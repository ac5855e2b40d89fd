#include "io/overlay.hpp"

#include <algorithm>
#include <utility>

#include "io/excerpt.hpp"
#include "io/path_steps.hpp"

namespace sluice {
namespace {

void clear_places(YamlNode& node) {
  node.place = {};
  for (auto& item : node.items) clear_places(*item);
  for (auto& entry : node.entries) {
    entry.key_place = {};
    clear_places(*entry.value);
  }
}

// The child a step leads to, made when it is a missing key; null when there is none.
YamlTree* child(YamlNode& node, const PathStep& step) {
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
  // What lies on the way to a change is copied, the rest is shared.
  YamlTree copy = std::make_shared<YamlNode>(root);
  Diagnostics problems;
  for (const Setting& s : settings) {
    const std::vector<PathStep> steps = path_steps(s.path);
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
    for (const PathStep& step : steps) {
      at = child(**at, step);
      if (at == nullptr) break;
      *at = std::make_shared<YamlNode>(**at);
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

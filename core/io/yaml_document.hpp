// A YAML text as a tree with places: scalars, lists and mappings, each with where it begins and
// ends in the text. Parsing only; what the values mean is the reader's business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// Largest scenario text that is read; a scenario with 500,000 explicit operations stays below it.
inline constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20;
/// Most nodes a text may expand to; an alias counts all that it stands for.
inline constexpr std::size_t kMaxNodes = 200'000;
inline constexpr int kMaxDepth = 40;

/// A stretch of text; lines and columns from 1, columns in characters. All 0: not in the text.
struct Place {
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;

  bool operator==(const Place&) const = default;
};

struct YamlNode {
  enum class Kind : std::uint8_t { Null, Scalar, List, Map };
  struct Entry;

  Kind kind = Kind::Null;
  /// A scalar in quotes is text, whatever it looks like.
  bool quoted = false;
  std::string scalar;
  std::vector<std::shared_ptr<YamlNode>> items;
  std::vector<Entry> entries;
  Place place;

  /// The value under `key`, or null.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] YamlNode* find(std::string_view key);
};

struct YamlNode::Entry {
  std::string key;
  Place key_place;
  std::shared_ptr<YamlNode> value;
};

using YamlTree = std::shared_ptr<YamlNode>;

/// Parses one document. Refuses text that is too large, not UTF-8, holds control characters, nests
/// deeper than kMaxDepth, has more than kMaxNodes nodes, duplicate keys, keys that are not plain
/// text, or a second document. An alias shares its anchor's node. Diagnostics: text.*, yaml.*, with
/// places.
Result<YamlTree> parse_yaml(std::string_view text);

/// A copy that shares nothing with the original, so that it can be changed; aliases become copies.
YamlTree deep_copy(const YamlNode& node);

}  // namespace sluice

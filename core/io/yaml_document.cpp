#include "io/yaml_document.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace sluice {
namespace {

bool continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Byte offset of the first byte that is not UTF-8 (overlong forms, surrogates and beyond U+10FFFF
// included).
std::optional<std::size_t> first_not_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::size_t length = 0;
    std::uint32_t value = 0;
    std::uint32_t smallest = 0;
    if (c < 0x80) {
      ++i;
      continue;
    }
    if ((c & 0xE0U) == 0xC0U) {
      length = 2, value = c & 0x1FU, smallest = 0x80;
    } else if ((c & 0xF0U) == 0xE0U) {
      length = 3, value = c & 0x0FU, smallest = 0x800;
    } else if ((c & 0xF8U) == 0xF0U) {
      length = 4, value = c & 0x07U, smallest = 0x10000;
    } else {
      return i;
    }
    if (i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k) {
      if (!continuation(text[i + k])) return i;
      value = (value << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest || surrogate || value > 0x10FFFF) return i;
    i += length;
  }
  return std::nullopt;
}

// Turns byte offsets into lines and columns in characters.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] std::pair<int, int> at(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const auto line = static_cast<std::size_t>(next - starts_.begin()) - 1;
    int column = 1;
    // A line may be as long as the text: beyond this the column is a bound, so that many nodes on
    // one line stay cheap.
    const std::size_t from = starts_[line];
    constexpr std::size_t kLongestExactLine = 20'000;
    if (offset - from > kLongestExactLine)
      return {static_cast<int>(line + 1), static_cast<int>(offset - from + 1)};
    for (std::size_t i = from; i < offset; ++i) column += continuation(text_[i]) ? 0 : 1;
    return {static_cast<int>(line + 1), column};
  }

  [[nodiscard]] Place place(std::size_t begin, std::size_t end) const {
    const auto [line, column] = at(begin);
    const auto [end_line, end_column] = at(std::max(begin, end));
    return {line, column, end_line, end_column};
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

Diagnostic placed(Diagnostic d, const Place& place) {
  d.line = place.line;
  d.column = place.column;
  d.end_line = place.end_line;
  d.end_column = place.end_column;
  return d;
}

// Thrown out of the parser's callbacks and caught in parse_yaml: the parser has no other way to be
// stopped.
struct Stop {
  Diagnostic diagnostic;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const LineIndex& lines) : text_(text), lines_(lines) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t begin = offset(mark);
    auto node = make(YamlNode::Kind::Null, begin, begin + (text_.substr(begin, 1) == "~" ? 1 : 0));
    remember(anchor, node);
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Stop{placed(error(Code::YamlSyntax, "", "an alias stands inside what it stands for"),
                        lines_.place(offset(mark), offset(mark) + 1))};
    }
    add(found->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::size_t begin = offset(mark);
    const bool quoted = tag == "!";
    auto node = make(YamlNode::Kind::Scalar, begin, scalar_end(begin, value, quoted));
    node->quoted = quoted;
    node->scalar = value;
    // The empty plain scalar and the words for it are null, as in YAML's core schema.
    if (!quoted && (value.empty() || value == "~" || value == "null"))
      node->kind = YamlNode::Kind::Null;
    remember(anchor, node);
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::List);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::Map);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] YamlTree root() const { return root_; }
  [[nodiscard]] Diagnostics take_diagnostics() { return std::move(diagnostics_); }

 private:
  struct Open {
    YamlTree node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
    Place key_place;
    std::set<std::string, std::less<>> seen;
  };

  [[nodiscard]] std::size_t offset(const YAML::Mark& mark) const {
    return mark.pos < 0 ? 0 : std::min(static_cast<std::size_t>(mark.pos), text_.size());
  }

  // Where a scalar ends in the text: for quoted ones the closing quote on the same line, for plain
  // ones its length.
  [[nodiscard]] std::size_t scalar_end(std::size_t begin, const std::string& value,
                                       bool quoted) const {
    if (quoted && begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'')) {
      const char quote = text_[begin];
      for (std::size_t i = begin + 1; i < text_.size() && text_[i] != '\n'; ++i) {
        if (quote == '"' && text_[i] == '\\') {
          ++i;
        } else if (text_[i] == quote) {
          return i + 1;
        }
      }
    }
    if (text_.substr(begin, value.size()) == value) return begin + value.size();
    const std::size_t newline = text_.find('\n', begin);
    return newline == std::string_view::npos ? text_.size() : newline;
  }

  YamlTree make(YamlNode::Kind kind, std::size_t begin, std::size_t end) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->place = lines_.place(begin, end);
    if (++nodes_ > kMaxNodes) {
      throw Stop{placed(
          error(Code::YamlTooManyNodes, "", "more than " + std::to_string(kMaxNodes) + " values"),
          node->place)};
    }
    return node;
  }

  void remember(YAML::anchor_t anchor, const YamlTree& node) {
    if (anchor != 0) anchors_[anchor] = node;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    const std::size_t begin = offset(mark);
    auto node = make(kind, begin, begin + 1);
    if (stack_.size() >= static_cast<std::size_t>(kMaxDepth)) {
      throw Stop{placed(error(Code::YamlTooDeep, "",
                              "nested deeper than " + std::to_string(kMaxDepth) + " levels"),
                        node->place)};
    }
    Open entry;
    entry.node = std::move(node);
    entry.anchor = anchor;
    stack_.push_back(std::move(entry));
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    // An anchor becomes known when its node is complete: an alias inside itself is then an error,
    // not a cycle.
    remember(done.anchor, done.node);
    add(std::move(done.node));
  }

  void add(YamlTree node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node->kind == YamlNode::Kind::List) {
      parent.node->items.push_back(std::move(node));
      return;
    }
    if (!parent.has_key) {
      if (node->kind != YamlNode::Kind::Scalar) {
        throw Stop{
            placed(error(Code::YamlKeyNotText, "", "a key must be plain text"), node->place)};
      }
      parent.has_key = true;
      parent.key = node->scalar;
      parent.key_place = node->place;
      if (!parent.seen.insert(parent.key).second) report_duplicate(parent);
      return;
    }
    parent.has_key = false;
    parent.node->entries.push_back({parent.key, parent.key_place, std::move(node)});
  }

  void report_duplicate(const Open& parent) {
    int first = 0;
    for (const YamlNode::Entry& e : parent.node->entries) {
      if (e.key == parent.key) first = e.key_place.line;
    }
    std::string path;
    for (const Open& level : stack_) {
      if (&level == &parent) break;
      if (level.node->kind == YamlNode::Kind::List) {
        path += "[" + std::to_string(level.node->items.size()) + "]";
      } else {
        path += (path.empty() ? "" : ".") + level.key;
      }
    }
    path += (path.empty() ? "" : ".") + parent.key;
    diagnostics_.push_back(
        placed(error(Code::YamlDuplicateKey, path,
                     "key \"" + parent.key + "\" stands twice in one mapping (first on line " +
                         std::to_string(first) + ")",
                     "remove one of the two"),
               parent.key_place));
  }

  std::string_view text_;
  const LineIndex& lines_;
  YamlTree root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, YamlTree> anchors_;
  std::size_t nodes_ = 0;
  Diagnostics diagnostics_;
};

std::optional<Diagnostic> refuse_text(std::string_view text, const LineIndex& lines) {
  if (const auto bad = first_not_utf8(text)) {
    return placed(
        error(Code::TextNotUtf8, "", "the text is not valid UTF-8 here", "save the file as UTF-8"),
        lines.place(*bad, *bad + 1));
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      return placed(error(Code::TextControlCharacter, "",
                          "control character " + std::to_string(c) + " in the text"),
                    lines.place(i, i + 1));
    }
  }
  return std::nullopt;
}

// The parser recurses over brackets; refuse a wall of them before it does. Quotes and comments are
// not told apart here, so the bound is far above any nesting that the tree builder would accept.
std::optional<std::size_t> too_many_brackets(std::string_view text) {
  constexpr int kWall = 400;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') {
      if (++depth > kWall) return i;
    } else if (text[i] == ']' || text[i] == '}') {
      depth = std::max(0, depth - 1);
    }
  }
  return std::nullopt;
}

// What a node becomes when every alias below it is written out. Memory of shared nodes keeps an
// alias bomb linear.
struct Expansion {
  std::size_t nodes = 1;
  int depth = 1;
};

Expansion expansion(const YamlNode& node, std::map<const YamlNode*, Expansion>& known) {
  if (const auto found = known.find(&node); found != known.end()) return found->second;
  Expansion total;
  const auto include = [&](const YamlTree& child) {
    const Expansion part = expansion(*child, known);
    total.nodes = std::min(total.nodes + part.nodes, kMaxNodes + 1);
    total.depth = std::max(total.depth, std::min(part.depth, kMaxDepth) + 1);
    if (child.use_count() > 1) known[child.get()] = part;
  };
  for (const YamlTree& item : node.items) include(item);
  for (const YamlNode::Entry& entry : node.entries) include(entry.value);
  return total;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const Entry& e : entries) {
    if (e.key == key) return e.value.get();
  }
  return nullptr;
}
YamlNode* YamlNode::find(std::string_view key) {
  for (Entry& e : entries) {
    if (e.key == key) return e.value.get();
  }
  return nullptr;
}

Result<YamlTree> parse_yaml(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text.remove_prefix(kByteOrderMark.size());
  if (text.size() > kMaxTextBytes) {
    return placed(error(Code::TextTooLarge, "",
                        "the text has " + std::to_string(text.size()) + " bytes; at most " +
                            std::to_string(kMaxTextBytes) + " are read"),
                  {1, 1, 1, 1});
  }
  const LineIndex lines(text);
  if (auto refused = refuse_text(text, lines)) return *std::move(refused);
  if (const auto wall = too_many_brackets(text)) {
    return placed(
        error(Code::YamlTooDeep, "", "nested deeper than " + std::to_string(kMaxDepth) + " levels"),
        lines.place(*wall, *wall + 1));
  }
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, lines);
  try {
    YAML::Parser parser(stream);
    const bool found = parser.HandleNextDocument(builder);
    if (!found || builder.root() == nullptr || builder.root()->kind == YamlNode::Kind::Null) {
      return placed(error(Code::YamlEmpty, "", "the scenario is empty"), {1, 1, 1, 1});
    }
    TreeBuilder second(text, lines);
    if (parser.HandleNextDocument(second)) {
      const Place place = second.root() ? second.root()->place : Place{1, 1, 1, 1};
      return placed(
          error(Code::YamlSeveralDocuments, "", "a second document begins here; one is read",
                "remove the line of three dashes and what follows it"),
          place);
    }
  } catch (const Stop& stop) {
    Diagnostics all = builder.take_diagnostics();
    all.push_back(stop.diagnostic);
    return all;
  } catch (const YAML::DeepRecursion&) {
    return placed(
        error(Code::YamlTooDeep, "", "nested deeper than " + std::to_string(kMaxDepth) + " levels"),
        {1, 1, 1, 1});
  } catch (const YAML::Exception& e) {
    Diagnostics all = builder.take_diagnostics();
    const std::size_t at = e.mark.pos < 0 ? 0 : static_cast<std::size_t>(e.mark.pos);
    all.push_back(placed(error(Code::YamlSyntax, "", "this is not valid YAML: " + e.msg),
                         lines.place(at, at + 1)));
    return all;
  }
  Diagnostics duplicates = builder.take_diagnostics();
  if (!duplicates.empty()) return duplicates;
  std::map<const YamlNode*, Expansion> known;
  const Expansion whole = expansion(*builder.root(), known);
  if (whole.nodes > kMaxNodes || whole.depth > kMaxDepth) {
    const bool deep = whole.depth > kMaxDepth;
    return placed(
        error(deep ? Code::YamlTooDeep : Code::YamlTooManyNodes, "",
              deep ? "its aliases nest deeper than " + std::to_string(kMaxDepth) + " levels"
                   : "its aliases stand for more than " + std::to_string(kMaxNodes) + " values"),
        builder.root()->place);
  }
  return builder.root();
}

YamlTree deep_copy(const YamlNode& node) {
  auto copy = std::make_shared<YamlNode>(node);
  for (auto& item : copy->items) item = deep_copy(*item);
  for (auto& entry : copy->entries) entry.value = deep_copy(*entry.value);
  return copy;
}

}  // namespace sluice

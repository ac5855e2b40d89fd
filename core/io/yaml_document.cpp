#include "io/yaml_document.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "io/excerpt.hpp"
#include "io/yaml_text.hpp"

namespace sluice {
namespace {

// Thrown out of the parser's callbacks and caught in parse_yaml: the parser has no other way to be
// stopped.
struct Stop {
  Diagnostic diagnostic;
};

// Most problems of one kind that are collected before parsing stops.
constexpr std::size_t kMostDuplicates = 100;

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const LineIndex& lines) : text_(text), lines_(lines) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t begin = offset(mark);
    leaf(make(YamlNode::Kind::Null, begin, begin + (text_.substr(begin, 1) == "~" ? 1 : 0)),
         anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Place place = lines_.place(offset(mark), offset(mark) + 1);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Stop{
          placed(error(Code::YamlSyntax, "", "an alias stands inside what it stands for"), place)};
    }
    // What it stands for counts as if it were written out here.
    const Anchor& meant = found->second;
    check_depth(meant.depth, place);
    count(meant.nodes, place);
    add(meant.node, meant.depth);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    const std::size_t begin = value.empty() && tag != "!" ? offset(mark) : value_begin(mark);
    auto node = make(YamlNode::Kind::Scalar, begin, scalar_end(begin, value, tag != "?"));
    node->quoted = quoted;
    node->scalar = value;
    // The empty plain scalar and the words for it are null, as in YAML's core schema.
    if (!quoted && (value.empty() || value == "~" || value == "null")) {
      node->kind = YamlNode::Kind::Null;
    }
    leaf(std::move(node), anchor);
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

  /// Where the innermost bracket that is still open stands.
  [[nodiscard]] std::optional<Place> open_bracket() const {
    for (auto level = stack_.rbegin(); level != stack_.rend(); ++level) {
      if (level->flow) return level->node->place;
    }
    return std::nullopt;
  }
  [[nodiscard]] YamlTree root() const { return root_; }
  [[nodiscard]] Diagnostics take_diagnostics() { return std::move(diagnostics_); }

 private:
  struct Open {
    YamlTree node;
    YAML::anchor_t anchor = 0;
    bool flow = false;
    bool has_key = false;
    bool merge_key = false;
    std::string key;
    Place key_place;
    /// Each key and the line it first stands on.
    std::map<std::string, int, std::less<>> seen;
    /// Values of `<<`, the first with the say.
    std::vector<YamlTree> merges;
    std::size_t nodes_before = 0;
    /// Levels of lists and mappings, this one included.
    int depth = 1;
  };
  struct Anchor {
    YamlTree node;
    std::size_t nodes = 1;
    int depth = 0;
  };

  [[nodiscard]] std::size_t offset(const YAML::Mark& mark) const {
    return mark.pos < 0 ? 0 : std::min(static_cast<std::size_t>(mark.pos), text_.size());
  }

  // Where the value itself begins: the parser's mark stands before its anchor and tag.
  [[nodiscard]] std::size_t value_begin(const YAML::Mark& mark) const {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t begin = offset(mark);
    std::size_t i = begin;
    while (i < text_.size() && (text_[i] == '&' || text_[i] == '!')) {
      i = text_.find_first_of(kBlank, i);
      if (i == std::string_view::npos) return begin;
      i = text_.find_first_not_of(kBlank, i);
      while (i != std::string_view::npos && text_[i] == '#') {
        i = text_.find_first_not_of(kBlank, lines_.end_of_line(i));
      }
      if (i == std::string_view::npos) return begin;
    }
    return i;
  }

  // Where a scalar ends in the text, on its first line. The parser takes the end of the text for a
  // closing quote; that is refused here.
  [[nodiscard]] std::size_t scalar_end(std::size_t begin, const std::string& value,
                                       bool quoted) const {
    const char quote = begin < text_.size() ? text_[begin] : '\0';
    if (quoted && (quote == '"' || quote == '\'')) {
      for (std::size_t i = begin + 1; i < text_.size(); ++i) {
        const bool doubled = quote == '\'' && text_.substr(i, 2) == "''";
        if (doubled || (quote == '"' && text_[i] == '\\')) {
          ++i;
        } else if (text_[i] == quote) {
          return std::min(i + 1, lines_.end_of_line(begin));
        }
      }
      throw Stop{placed(error(Code::YamlSyntax, "", "the quote that opens here is not closed"),
                        lines_.place(begin, begin + 1))};
    }
    if (text_.substr(begin, value.size()) == value) return begin + value.size();
    return lines_.end_of_line(begin);
  }

  void count(std::size_t nodes, const Place& place) {
    nodes_ += nodes;
    if (nodes_ <= kMaxNodes) return;
    throw Stop{placed(error(Code::YamlTooManyNodes, "",
                            "more than " + std::to_string(kMaxNodes) +
                                " values, aliases counted as what they stand for"),
                      place)};
  }

  // `more` levels below those that are open.
  void check_depth(int more, const Place& place) {
    if (static_cast<int>(stack_.size()) + more <= kMaxDepth) return;
    throw Stop{placed(
        error(Code::YamlTooDeep, "", "nested deeper than " + std::to_string(kMaxDepth) + " levels"),
        place)};
  }

  YamlTree make(YamlNode::Kind kind, std::size_t begin, std::size_t end) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->place = lines_.place(begin, end);
    count(1, node->place);
    return node;
  }

  void leaf(YamlTree node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = {node, 1, 0};
    add(std::move(node), 0);
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    const std::size_t begin = value_begin(mark);
    Open entry;
    entry.nodes_before = nodes_;
    entry.node = make(kind, begin, begin + 1);
    check_depth(1, entry.node->place);
    entry.anchor = anchor;
    entry.flow = text_.substr(begin, 1) == "[" || text_.substr(begin, 1) == "{";
    stack_.push_back(std::move(entry));
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    for (const YamlTree& from : done.merges) merge(done, *from);
    // An anchor becomes known when its node is complete: an alias inside itself is then an error,
    // not a cycle.
    if (done.anchor != 0) {
      anchors_[done.anchor] = {done.node, nodes_ - done.nodes_before, done.depth};
    }
    add(std::move(done.node), done.depth);
  }

  // `depth`: levels of lists and mappings that the node is.
  void add(YamlTree node, int depth) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    parent.depth = std::max(parent.depth, depth + 1);
    if (parent.node->kind == YamlNode::Kind::List) {
      parent.node->items.push_back(std::move(node));
    } else if (!parent.has_key) {
      begin_entry(parent, *node);
    } else {
      parent.has_key = false;
      if (parent.merge_key) {
        take_merge(parent, std::move(node));
      } else {
        parent.node->entries.push_back({parent.key, parent.key_place, std::move(node)});
      }
    }
  }

  void begin_entry(Open& parent, const YamlNode& key) {
    if (key.kind != YamlNode::Kind::Scalar) {
      throw Stop{placed(error(Code::YamlKeyNotText, "", "a key must be plain text"), key.place)};
    }
    parent.has_key = true;
    parent.key = key.scalar;
    parent.key_place = key.place;
    parent.merge_key = key.scalar == "<<" && !key.quoted;
    const auto [first, fresh] = parent.seen.emplace(parent.key, key.place.line);
    if (!fresh) report_duplicate(parent, first->second);
  }

  // The value of `<<`: a mapping, or a list of them.
  void take_merge(Open& parent, YamlTree value) const {
    const auto take = [&](YamlTree map) {
      if (map->kind != YamlNode::Kind::Map) {
        throw Stop{placed(
            error(Code::TypeMapping, path_of(parent), "`<<` takes a mapping or a list of mappings",
                  "name an anchor of a mapping, as in `<<: *defaults`"),
            parent.key_place)};
      }
      parent.merges.push_back(std::move(map));
    };
    if (value->kind == YamlNode::Kind::List) {
      for (const YamlTree& item : value->items) take(item);
    } else {
      take(std::move(value));
    }
  }

  // Keys that are written in the mapping itself win, then those of earlier merges.
  static void merge(Open& into, const YamlNode& from) {
    for (const YamlNode::Entry& e : from.entries) {
      if (into.seen.emplace(e.key, e.key_place.line).second) into.node->entries.push_back(e);
    }
  }

  [[nodiscard]] std::string path_of(const Open& last) const {
    std::string path;
    for (const Open& level : stack_) {
      if (level.node->kind == YamlNode::Kind::List) {
        path += "[" + std::to_string(level.node->items.size()) + "]";
      } else {
        path += (path.empty() ? "" : ".") + level.key;
      }
      if (&level == &last) break;
    }
    return path;
  }

  void report_duplicate(const Open& parent, int first) {
    Diagnostic d = placed(
        error(Code::YamlDuplicateKey, path_of(parent),
              "key \"" + excerpt(parent.key) + "\" stands twice in one mapping (first on line " +
                  std::to_string(first) + ")",
              parent.merge_key ? "merge several with `<<: [*a, *b]`" : "remove one of the two"),
        parent.key_place);
    if (diagnostics_.size() + 1 >= kMostDuplicates) throw Stop{std::move(d)};
    diagnostics_.push_back(std::move(d));
  }

  std::string_view text_;
  const LineIndex& lines_;
  YamlTree root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Anchor> anchors_;
  /// Values so far, aliases written out.
  std::size_t nodes_ = 0;
  Diagnostics diagnostics_;
};

// The parser's words in the user's terms, with what usually helps.
struct SyntaxHelp {
  std::string_view parser;
  std::string_view message;
  std::string_view hint;
};
constexpr std::string_view kTabs = "a tab indents this line";
constexpr std::string_view kSpaces = "YAML is indented with spaces";
constexpr SyntaxHelp kSyntaxHelp[] = {
    {"illegal tab when looking for indentation", kTabs, kSpaces},
    {"illegal map value", "a second `key: value` cannot begin here",
     "check the indentation and the blank behind each colon; text that holds `: ` needs quotes"},
    {"end of map not found", "this does not continue the mapping above",
     "the keys of one mapping begin in the same column"},
    {"end of sequence not found", "this does not continue the list above",
     "the dashes of one list stand in the same column"},
    {"illegal flow end", "this bracket closes what another kind of bracket opened", ""},
    {"illegal block entry", "a list item cannot begin here", "begin it on a line of its own"},
    {"illegal EOF in scalar", "the text ends inside quotes", "close the quote that is still open"},
    {"unknown token", "a value cannot begin with this character", "put it in quotes"},
    {"the referenced anchor is not defined", "no anchor of this name stands above", ""},
};

Diagnostic syntax_problem(const YAML::Exception& e, std::string_view text, const LineIndex& lines,
                          const std::optional<Place>& open_bracket) {
  if (e.msg.find("flow not found") != std::string::npos && open_bracket) {
    return placed(error(Code::YamlSyntax, "", "the bracket that opens here is not closed"),
                  *open_bracket);
  }
  const std::size_t at =
      e.mark.pos < 0 ? 0 : std::min(static_cast<std::size_t>(e.mark.pos), text.size());
  const std::size_t line = lines.begin_of_line(at);
  const std::size_t word = text.find_first_not_of(" \t", line);
  const std::size_t tab = text.find('\t', line);
  if (tab != std::string_view::npos && word != std::string_view::npos && tab < word && tab <= at) {
    return placed(error(Code::YamlSyntax, "", std::string(kTabs), std::string(kSpaces)),
                  lines.place(tab, tab + 1));
  }
  for (const SyntaxHelp& help : kSyntaxHelp) {
    if (e.msg != help.parser) continue;
    return placed(error(Code::YamlSyntax, "", std::string(help.message), std::string(help.hint)),
                  lines.place(at, at + 1));
  }
  return placed(error(Code::YamlSyntax, "", "this is not valid YAML: " + excerpt(e.msg, 200)),
                lines.place(at, at + 1));
}

// The parser begins a second document also where something does not continue the first.
Diagnostic second_document(const Place& place, const LineIndex& lines) {
  const auto marker = [](std::string_view line) {
    return line.substr(0, 3) == "---" || line.substr(0, 3) == "...";
  };
  bool marked = marker(lines.line(place.line));
  for (int number = place.line - 1; number >= 1 && !marked; --number) {
    const std::string_view line = lines.line(number);
    const std::size_t word = line.find_first_not_of(" \t\r");
    if (word == std::string_view::npos || line[word] == '#') continue;
    marked = marker(line);
    break;
  }
  if (!marked) {
    return placed(error(Code::YamlSyntax, "", "this does not continue what stands above",
                        "a scenario is one mapping; its sections begin in the first column"),
                  place);
  }
  return placed(error(Code::YamlSeveralDocuments, "", "a second document begins here; one is read",
                      "remove the line of three dashes and what follows it"),
                place);
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
                        "the text is longer than " + std::to_string(kMaxTextBytes) +
                            " bytes, the most that is read"),
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
      return second_document(second.root() ? second.root()->place : Place{1, 1, 1, 1}, lines);
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
    all.push_back(syntax_problem(e, text, lines, builder.open_bracket()));
    return all;
  }
  Diagnostics duplicates = builder.take_diagnostics();
  if (!duplicates.empty()) return duplicates;
  return builder.root();
}

YamlTree deep_copy(const YamlNode& node) {
  auto copy = std::make_shared<YamlNode>(node);
  for (auto& item : copy->items) item = deep_copy(*item);
  for (auto& entry : copy->entries) entry.value = deep_copy(*entry.value);
  return copy;
}

}  // namespace sluice

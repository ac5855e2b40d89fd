#include "io/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "io/excerpt.hpp"
#include "io/fields.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

std::string kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return "nothing";
    case YamlNode::Kind::Scalar:
      return node.quoted ? "quoted text" : "\"" + excerpt(node.scalar) + "\"";
    case YamlNode::Kind::List:
      return "a list";
    case YamlNode::Kind::Map:
      return "a mapping";
  }
  return "";
}

std::string with_unit(double value, std::string_view unit) {
  return number_text(value) + (unit.empty() ? "" : " " + std::string(unit));
}

// A bound so high that naming it beside the lower one would only distract.
constexpr double kHighBound = 1e12;

std::string range_text(const Range& range, std::string_view unit, bool too_high) {
  const bool name_high = too_high || range.high < kHighBound;
  const std::string high = with_unit(range.high, unit);
  if (range.low <= -kHighBound) {
    return name_high ? "at most " + high : with_unit(range.low, unit) + " or more";
  }
  const std::string low = with_unit(range.low, unit);
  if (range.above) return "more than " + low + (name_high ? " and at most " + high : "");
  return name_high ? "from " + number_text(range.low) + " to " + high : low + " or more";
}

// What to write in the place of something that is nearly a number.
std::string number_hint(std::string_view text, std::string_view unit) {
  std::string bare;
  for (const char c : text) {
    if (c != '_') bare += c;
  }
  const bool grouped = bare.size() != text.size();
  if (grouped && parse_number(bare).status == NumberStatus::Ok) return "write " + bare;
  if (const std::size_t comma = bare.find(','); comma != std::string::npos) {
    bare[comma] = '.';
    if (parse_number(bare).status == NumberStatus::Ok) return "the decimal sign is a point";
  }
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || (text[1] >= '0' && text[1] <= '9'))) {
    return "numbers are decimal, without zeros in front";
  }
  return unit.empty() ? "" : "the unit is " + std::string(unit) + "; write the number alone";
}

struct Shared {
  Places& places;
  Diagnostics& diagnostics;
  bool unknown_is_error;
  /// Of `diagnostics`. Each kind has its own limit, so that warnings never crowd an error out.
  std::size_t errors = 0;
  std::size_t others = 0;
};

class Reader : public Fields {
 public:
  Reader(const YamlNode& node, std::string path, Shared& shared)
      : node_(node), path_(std::move(path)), shared_(shared) {}

  bool number(const Key& key, double& value, const Range& range) override {
    const YamlNode* node = take(key);
    if (node == nullptr) return false;
    double read = 0;
    if (!read_number(*node, key, read)) return true;
    if (in_range(*node, key, read, range)) value = read;
    return true;
  }

  bool integer(const Key& key, std::int64_t& value, const Range& range) override {
    const YamlNode* node = take(key);
    if (node == nullptr) return false;
    double read = 0;
    if (!read_number(*node, key, read)) return true;
    if (read != std::floor(read)) {
      report(Code::TypeInteger, key,
             name(key) + " must be a whole number, not " + kind_name(*node));
      return true;
    }
    if (in_range(*node, key, read, range)) value = static_cast<std::int64_t>(read);
    return true;
  }

  bool boolean(const Key& key, bool& value) override {
    const YamlNode* node = take(key);
    if (node == nullptr) return false;
    const std::string& word = node->scalar;
    const bool plain = node->kind == YamlNode::Kind::Scalar && !node->quoted;
    if (plain && (word == "true" || word == "True" || word == "TRUE")) {
      value = true;
    } else if (plain && (word == "false" || word == "False" || word == "FALSE")) {
      value = false;
    } else {
      Diagnostic d = error(Code::TypeBoolean, child(key),
                           name(key) + " must be true or false, not " + kind_name(*node));
      if (node->kind == YamlNode::Kind::Scalar) d.fix = boolean_meant(word);
      if (!d.fix.empty()) d.hint = "write " + d.fix;
      add(std::move(d));
    }
    return true;
  }

  bool text(const Key& key, std::string& value) override {
    const YamlNode* node = take(key);
    if (node == nullptr) return false;
    if (node->kind != YamlNode::Kind::Scalar) {
      report(Code::TypeText, key, name(key) + " must be text, not " + kind_name(*node),
             node->kind == YamlNode::Kind::Map ? "put text that holds a colon in quotes" : "");
    } else if (node->scalar.empty()) {
      report(Code::ValueEmpty, key, name(key) + " must not be empty");
    } else if (has_control_character(node->scalar)) {
      report(Code::TextControlCharacter, key,
             name(key) + " must not hold line breaks or control characters");
    } else if (!key.name.empty() && character_count(node->scalar) > kLongestName) {
      report(Code::ValueRange, key,
             name(key) + " is longer than " + std::to_string(kLongestName) + " characters");
    } else {
      value = node->scalar;
    }
    return true;
  }

  bool choice(const Key& key, std::size_t& index, std::span<const Word> words) override {
    const YamlNode* node = take(key);
    // A required choice says which keys stand beside it: without it nothing is known of them.
    unsure_ = unsure_ || (key.required && node == nullptr);
    if (node == nullptr) return false;
    std::vector<std::string> allowed;
    for (const Word& w : words) allowed.emplace_back(w.text);
    if (node->kind == YamlNode::Kind::Scalar) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (node->scalar == words[i].text) {
          index = i;
          return true;
        }
      }
    }
    unsure_ = unsure_ || key.required;
    std::string list;
    for (const std::string& a : allowed) list += (list.empty() ? "" : ", ") + a;
    const std::string near = nearest(node->scalar, allowed);
    Diagnostic d = error(Code::ValueChoice, child(key),
                         name(key) + " must be " + (allowed.size() == 1 ? "" : "one of ") + list +
                             ", not " + kind_name(*node),
                         near.empty() ? "" : "did you mean \"" + near + "\"?");
    d.fix = near;
    add(std::move(d));
    return true;
  }

  bool object(const Key& key, Members members) override {
    const YamlNode* node = take(key, true);
    if (node == nullptr) return false;
    if (node->kind == YamlNode::Kind::Null) {
      YamlNode empty;
      empty.kind = YamlNode::Kind::Map;
      visit(empty, child(key), members);
      return true;
    }
    if (node->kind != YamlNode::Kind::Map) {
      report(Code::TypeMapping, key, name(key) + " must be a mapping, not " + kind_name(*node));
      return true;
    }
    visit(*node, child(key), members);
    return true;
  }

  bool list(const Key& key, std::size_t, FunctionRef<void(std::size_t)> resize,
            FunctionRef<void(Fields&, std::size_t)> item) override {
    const YamlNode* node = take(key);
    if (node == nullptr) return false;
    if (node->kind != YamlNode::Kind::List) {
      report(Code::TypeList, key, name(key) + " must be a list, not " + kind_name(*node));
      return true;
    }
    if (node->items.empty() && key.required) {
      report(Code::ValueEmpty, key, name(key) + " must have at least one entry");
      return true;
    }
    resize(node->items.size());
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const std::string path = child(key) + "[" + std::to_string(i) + "]";
      shared_.places.add(path, {}, node->items[i]->place);
      visit_item(*node->items[i], path, [&](Fields& f) { item(f, i); });
    }
    return true;
  }

  bool one_of(const Key& key, std::size_t, std::span<const Form> forms) override {
    const YamlNode* node = take(key);
    if (node == nullptr) return false;
    for (const Form& form : forms) {
      if (!matches(*node, form.shape)) continue;
      if (form.shape == Shape::Map) {
        visit(*node, child(key), form.members);
      } else {
        Reader inner(*node, child(key), shared_);
        form.members(inner);
      }
      return true;
    }
    std::string allowed;
    for (const Form& form : forms) {
      allowed += (allowed.empty() ? "" : " or ") + std::string(shape_name(form.shape));
    }
    report(forms.front().shape == Shape::Scalar && forms.size() == 1 ? Code::TypeText
                                                                     : Code::TypeMapping,
           key, name(key) + " must be " + allowed + ", not " + kind_name(*node));
    return true;
  }

  void exclusive(std::span<const std::string_view> names, bool required) override {
    std::string all;
    std::vector<std::string_view> found;
    for (const std::string_view n : names) {
      all += (all.empty() ? "" : " or ") + std::string(n);
      const YamlNode* node = node_.find(n);
      if (node != nullptr && node->kind != YamlNode::Kind::Null) found.push_back(n);
    }
    if (found.size() > 1) {
      Diagnostic d = error(Code::KeyConflict, join(path_, found.back()),
                           "only one of " + all + " may be given");
      d.at_key = true;
      add(std::move(d));
    }
    if (found.empty() && required) {
      Diagnostic d = error(Code::KeyMissing, path_, "one of " + all + " is required here");
      add(std::move(d));
    }
  }

  [[nodiscard]] bool documenting() const override { return false; }
  void present(bool) override {}

  /// Once all keys of the mapping have been asked for: the others are unknown.
  void report_unknown() {
    if (unsure_) return;
    const Severity severity = shared_.unknown_is_error ? Severity::Error : Severity::Warning;
    for (const YamlNode::Entry& e : node_.entries) {
      if (full(severity)) return;
      if (std::find(known_.begin(), known_.end(), e.key) != known_.end()) continue;
      const std::string near = nearest(e.key, known_);
      Diagnostic d = error(Code::KeyUnknown, join(path_, excerpt(e.key)),
                           "unknown key \"" + excerpt(e.key) + "\"",
                           near.empty() ? "" : "did you mean \"" + near + "\"?");
      d.severity = severity;
      d.at_key = true;
      d.fix = near;
      d.line = e.key_place.line;
      d.column = e.key_place.column;
      d.end_line = e.key_place.end_line;
      d.end_column = e.key_place.end_column;
      add(std::move(d));
    }
  }

 private:
  static constexpr std::size_t kLongestName = 200;

  static std::string join(const std::string& path, std::string_view name) {
    if (name.empty()) return path;
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }
  [[nodiscard]] std::string child(const Key& key) const { return join(path_, key.name); }
  // What to call the value in a message: its key, or for an item of a list its place in it.
  [[nodiscard]] std::string name(const Key& key) const {
    if (!key.name.empty()) return "`" + std::string(key.name) + "`";
    const std::size_t dot = path_.find_last_of('.');
    return "`" + (dot == std::string::npos ? path_ : path_.substr(dot + 1)) + "`";
  }

  static bool matches(const YamlNode& node, Shape shape) {
    switch (shape) {
      case Shape::Scalar:
        return node.kind == YamlNode::Kind::Scalar;
      case Shape::List:
        return node.kind == YamlNode::Kind::List;
      case Shape::Map:
        return node.kind == YamlNode::Kind::Map;
    }
    return false;
  }
  static std::string_view shape_name(Shape shape) {
    switch (shape) {
      case Shape::Scalar:
        return "a single value";
      case Shape::List:
        return "a list";
      case Shape::Map:
        return "a mapping";
    }
    return "";
  }

  [[nodiscard]] bool full(Severity severity) const {
    return (severity == Severity::Error ? shared_.errors : shared_.others) >= kMaxDiagnostics;
  }
  void add(Diagnostic d) {
    if (full(d.severity)) return;
    ++(d.severity == Severity::Error ? shared_.errors : shared_.others);
    shared_.diagnostics.push_back(std::move(d));
  }
  static std::string boolean_meant(std::string_view word) {
    for (const std::string_view yes : {"yes", "Yes", "on", "On", "true", "1"}) {
      if (word == yes) return "true";
    }
    for (const std::string_view no : {"no", "No", "off", "Off", "false", "0"}) {
      if (word == no) return "false";
    }
    return "";
  }
  void report(Code code, const Key& key, std::string message, std::string hint = "") {
    add(error(code, child(key), std::move(message), std::move(hint)));
  }

  // The node of a key, or null with a report when it is required. `keep_null`: an empty section
  // counts as given.
  const YamlNode* take(const Key& key, bool keep_null = false) {
    if (key.name.empty()) return &node_;
    known_.emplace_back(key.name);
    for (const YamlNode::Entry& e : node_.entries) {
      if (e.key != key.name) continue;
      shared_.places.add(child(key), e.key_place, e.value->place);
      if (e.value->kind == YamlNode::Kind::Null && !keep_null) break;
      return e.value.get();
    }
    if (key.required && !unsure_) {
      Diagnostic d = error(
          Code::KeyMissing, child(key), "`" + std::string(key.name) + "` is missing",
          std::string(key.doc) + (key.unit.empty() ? "" : " (" + std::string(key.unit) + ")"));
      d.at_key = true;
      add(std::move(d));
    }
    return nullptr;
  }

  bool read_number(const YamlNode& node, const Key& key, double& value) {
    if (node.kind != YamlNode::Kind::Scalar) {
      report(Code::TypeNumber, key, name(key) + " must be a number, not " + kind_name(node));
      return false;
    }
    const ParsedNumber parsed = parse_number(node.scalar);
    if (node.quoted) {
      Diagnostic d =
          error(Code::TypeNumber, child(key), name(key) + " must be a number, not quoted text",
                parsed.status == NumberStatus::Ok ? "remove the quotes" : "");
      if (parsed.status == NumberStatus::Ok) d.fix = node.scalar;
      add(std::move(d));
      return false;
    }
    if (parsed.status == NumberStatus::Syntax) {
      const bool starts_like_number =
          !node.scalar.empty() &&
          (node.scalar[0] == '-' || node.scalar[0] == '+' || node.scalar[0] == '.' ||
           (node.scalar[0] >= '0' && node.scalar[0] <= '9'));
      report(starts_like_number ? Code::NumberSyntax : Code::TypeNumber, key,
             name(key) + " must be a decimal number, not \"" + excerpt(node.scalar) + "\"",
             number_hint(node.scalar, key.unit));
      return false;
    }
    if (parsed.status == NumberStatus::Range) {
      report(Code::NumberRange, key,
             name(key) + " is " + excerpt(node.scalar) + ", beyond what a 64-bit number holds");
      return false;
    }
    value = parsed.value;
    return true;
  }

  bool in_range(const YamlNode& node, const Key& key, double value, const Range& range) {
    const bool low_ok = range.above ? value > range.low : value >= range.low;
    if (low_ok && value <= range.high) return true;
    report(Code::ValueRange, key,
           name(key) + " is " + excerpt(node.scalar) + "; it must be " +
               range_text(range, key.unit, low_ok));
    return false;
  }

  void visit(const YamlNode& node, std::string path, Members members) {
    Reader inner(node, std::move(path), shared_);
    members(inner);
    inner.report_unknown();
  }

  void visit_item(const YamlNode& node, const std::string& path, Members members) {
    Reader inner(node, path, shared_);
    const std::size_t before = shared_.diagnostics.size();
    const std::size_t errors = shared_.errors;
    const std::size_t others = shared_.others;
    members(inner);
    // Whether an item is a mapping shows in whether its description asked for keys.
    if (inner.known_.empty()) return;
    if (node.kind != YamlNode::Kind::Map) {
      shared_.diagnostics.resize(before);
      shared_.errors = errors;
      shared_.others = others;
      add(error(Code::TypeMapping, path, "each entry must be a mapping, not " + kind_name(node)));
      return;
    }
    inner.report_unknown();
  }

  const YamlNode& node_;
  std::string path_;
  Shared& shared_;
  std::vector<std::string> known_;
  /// A choice that decides which keys belong here is missing or wrong.
  bool unsure_ = false;
};

}  // namespace

void settle(Diagnostics& diagnostics) {
  sort_by_place(diagnostics);
  // One cause may be found on several ways.
  const auto again = [](const Diagnostic& a, const Diagnostic& b) {
    return a.code == b.code && a.line == b.line && a.column == b.column && a.path == b.path &&
           a.message == b.message;
  };
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), again), diagnostics.end());
  if (diagnostics.size() <= kMaxDiagnostics) return;
  auto errors = static_cast<std::size_t>(
      std::count_if(diagnostics.begin(), diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::Error; }));
  errors = std::min(errors, kMaxDiagnostics);
  std::size_t others = kMaxDiagnostics - errors;
  Diagnostics kept;
  for (Diagnostic& d : diagnostics) {
    std::size_t& room = d.severity == Severity::Error ? errors : others;
    if (room == 0) continue;
    --room;
    kept.push_back(std::move(d));
  }
  diagnostics = std::move(kept);
}

Result<ReadScenario> read_scenario(const YamlNode& root) {
  ReadScenario out;
  out.places.add("", {}, root.place);
  const YamlNode* simulation = root.find("simulation");
  const YamlNode* physics = simulation != nullptr && simulation->kind == YamlNode::Kind::Map
                                ? simulation->find("physics")
                                : nullptr;
  const bool hops = physics != nullptr && physics->scalar == "hops";
  Shared shared{out.places, out.diagnostics, !hops};
  if (root.kind != YamlNode::Kind::Map) {
    out.diagnostics.push_back(error(
        Code::TypeMapping, "", "a scenario must be a mapping of sections, not " + kind_name(root)));
  } else {
    // The bundle first, so that single options are read over it.
    out.scenario.simulation.options = bundle(hops ? Physics::Hops : Physics::Sluice);
    Reader reader(root, "", shared);
    describe(reader, out.scenario);
    reader.report_unknown();
  }
  out.places.locate(out.diagnostics);
  settle(out.diagnostics);
  if (has_errors(out.diagnostics)) return std::move(out.diagnostics);
  return out;
}

}  // namespace sluice

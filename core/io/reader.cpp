#include "io/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "io/fields.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

// Beyond this many problems a list of them helps nobody.
constexpr std::size_t kMaxDiagnostics = 100;

std::string kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return "nothing";
    case YamlNode::Kind::Scalar:
      return node.quoted ? "quoted text" : "\"" + node.scalar + "\"";
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

std::string range_text(const Range& range, std::string_view unit) {
  const bool bounded_above = range.high < 1e15;
  const std::string low = with_unit(range.low, unit);
  if (range.low <= -1e12)
    return bounded_above ? "at most " + with_unit(range.high, unit) : "a number";
  if (range.above) {
    return "more than " + low +
           (bounded_above ? " and at most " + with_unit(range.high, unit) : "");
  }
  return bounded_above ? "from " + number_text(range.low) + " to " + with_unit(range.high, unit)
                       : low + " or more";
}

struct Shared {
  Places& places;
  Diagnostics& diagnostics;
  bool unknown_is_error;
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
      report(Code::TypeBoolean, key, name(key) + " must be true or false, not " + kind_name(*node));
    }
    return true;
  }

  bool text(const Key& key, std::string& value) override {
    const YamlNode* node = take(key);
    if (node == nullptr) return false;
    if (node->kind != YamlNode::Kind::Scalar) {
      report(Code::TypeText, key, name(key) + " must be text, not " + kind_name(*node));
    } else if (node->scalar.empty()) {
      report(Code::ValueEmpty, key, name(key) + " must not be empty");
    } else if (node->scalar.size() > kLongestName && !key.name.empty()) {
      report(Code::ValueRange, key,
             name(key) + " is longer than " + std::to_string(kLongestName) + " characters");
    } else {
      value = node->scalar;
    }
    return true;
  }

  bool choice(const Key& key, std::size_t& index, std::span<const Word> words) override {
    const YamlNode* node = take(key);
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

  bool object(const Key& key, const Members& members) override {
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

  bool list(const Key& key, std::size_t, const std::function<void(std::size_t)>& resize,
            const std::function<void(Fields&, std::size_t)>& item) override {
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
    for (const YamlNode::Entry& e : node_.entries) {
      if (std::find(known_.begin(), known_.end(), e.key) != known_.end()) continue;
      const std::string near = nearest(e.key, known_);
      Diagnostic d =
          error(Code::KeyUnknown, join(path_, e.key), "unknown key \"" + e.key.substr(0, 80) + "\"",
                near.empty() ? "" : "did you mean \"" + near + "\"?");
      d.at_key = true;
      d.fix = near;
      if (!shared_.unknown_is_error) d.severity = Severity::Warning;
      shared_.places.add(d.path, e.key_place, e.value->place);
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

  void add(Diagnostic d) {
    if (shared_.diagnostics.size() < kMaxDiagnostics) shared_.diagnostics.push_back(std::move(d));
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
    if (key.required) {
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
             name(key) + " must be a decimal number, not \"" + node.scalar.substr(0, 40) + "\"",
             key.unit.empty()
                 ? ""
                 : "the unit is " + std::string(key.unit) + "; write the number alone");
      return false;
    }
    if (parsed.status == NumberStatus::Range) {
      report(
          Code::NumberRange, key,
          name(key) + " is " + node.scalar.substr(0, 40) + ", beyond what a 64-bit number holds");
      return false;
    }
    value = parsed.value;
    return true;
  }

  bool in_range(const YamlNode& node, const Key& key, double value, const Range& range) {
    const bool low_ok = range.above ? value > range.low : value >= range.low;
    if (low_ok && value <= range.high) return true;
    report(Code::ValueRange, key,
           name(key) + " is " + node.scalar + "; it must be " + range_text(range, key.unit));
    return false;
  }

  void visit(const YamlNode& node, std::string path, const Members& members) {
    Reader inner(node, std::move(path), shared_);
    members(inner);
    inner.report_unknown();
  }

  void visit_item(const YamlNode& node, const std::string& path, const Members& members) {
    Reader inner(node, path, shared_);
    const std::size_t before = shared_.diagnostics.size();
    members(inner);
    // Whether an item is a mapping shows in whether its description asked for keys.
    if (inner.known_.empty()) return;
    if (node.kind != YamlNode::Kind::Map) {
      shared_.diagnostics.resize(before);
      add(error(Code::TypeMapping, path, "each entry must be a mapping, not " + kind_name(node)));
      return;
    }
    inner.report_unknown();
  }

  const YamlNode& node_;
  std::string path_;
  Shared& shared_;
  std::vector<std::string> known_;
};

}  // namespace

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
    Reader reader(root, "", shared);
    describe(reader, out.scenario);
    reader.report_unknown();
  }
  out.places.locate(out.diagnostics);
  sort_by_place(out.diagnostics);
  if (has_errors(out.diagnostics)) return std::move(out.diagnostics);
  return out;
}

}  // namespace sluice

// A small checker of XML: enough to say that an SVG is well-formed.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice_test {

/// Checks tags, attributes, entities, characters and nesting of one document without DTD, comments
/// or CDATA.
class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  /// What is wrong, or "".
  std::string problem() {
    if (text_.substr(0, 1) != "<") return "does not begin with an element";
    while (problem_.empty() && at_ < text_.size()) {
      if (text_[at_] == '<') {
        tag();
      } else {
        character();
      }
    }
    if (problem_.empty() && !open_.empty()) problem_ = "<" + open_.back() + "> is not closed";
    if (problem_.empty() && roots_ != 1) problem_ = "not one root element";
    return problem_;
  }

 private:
  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = what + " at byte " + std::to_string(at_);
  }

  void character() {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 && c != '\n' && c != '\t') return fail("control character");
    const std::string_view three = text_.substr(at_, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") return fail("not a character");
    if (c == '&') return entity();
    if (open_.empty() && c > ' ') return fail("text outside the root");
    ++at_;
  }

  void entity() {
    const std::size_t end = text_.find(';', at_);
    const std::string_view name =
        end == std::string_view::npos ? "" : text_.substr(at_ + 1, end - at_ - 1);
    if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "apos") {
      return fail("unknown entity");
    }
    at_ = end + 1;
  }

  std::string name() {
    const std::size_t begin = at_;
    const auto part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == ':' || c == '_';
    };
    while (at_ < text_.size() && part(text_[at_])) ++at_;
    if (begin == at_) fail("a name is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void tag() {
    if (accept("</")) {
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed) return fail("</" + closed + "> closes nothing");
      open_.pop_back();
      if (!accept(">")) fail("> is missing");
      return;
    }
    ++at_;
    const std::string opened = name();
    if (open_.empty()) ++roots_;
    std::set<std::string> seen;
    for (;;) {
      blanks();
      if (!problem_.empty()) return;
      if (accept("/>")) return;
      if (accept(">")) {
        open_.push_back(opened);
        return;
      }
      attribute(seen);
    }
  }

  void attribute(std::set<std::string>& seen) {
    const std::string attribute = name();
    if (!problem_.empty()) return;
    if (!seen.insert(attribute).second) return fail(attribute + " stands twice");
    if (!accept("=\"")) return fail("=\" is missing");
    while (at_ < text_.size() && text_[at_] != '"' && problem_.empty()) {
      if (text_[at_] == '<') return fail("< in an attribute");
      if (text_[at_] == '&') {
        entity();
      } else {
        ++at_;
      }
    }
    if (!accept("\"")) fail("\" is missing");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::vector<std::string> open_;
  std::string problem_;
};

inline std::string xml_problem(std::string_view text) {
  return XmlCheck(text).problem();
}

}  // namespace sluice_test

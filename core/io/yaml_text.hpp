// A text before it is parsed: lines and columns of its bytes, and what is refused in any text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.hpp"
#include "io/yaml_document.hpp"

namespace sluice {

/// Turns byte offsets into lines and columns in characters. Cheap when offsets mostly grow.
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
    const std::size_t line = line_of(offset);
    // Counting on from the last answer keeps many values on one long line cheap.
    if (line != last_line_) {
      last_line_ = line;
      last_offset_ = starts_[line];
      last_column_ = 1;
    }
    while (last_offset_ < offset) last_column_ += continues(text_[last_offset_++]) ? 0 : 1;
    while (last_offset_ > offset) last_column_ -= continues(text_[--last_offset_]) ? 0 : 1;
    return {static_cast<int>(line + 1), last_column_};
  }

  /// Offset of the first character of the line of `offset`.
  [[nodiscard]] std::size_t begin_of_line(std::size_t offset) const {
    return starts_[line_of(offset)];
  }
  /// The text of a line, from 1, without its break.
  [[nodiscard]] std::string_view line(int number) const {
    const std::size_t begin = starts_[static_cast<std::size_t>(number) - 1];
    return text_.substr(begin, end_of_line(begin) - begin);
  }
  /// Offset of the line break that ends the line of `offset`, or of the end of the text.
  [[nodiscard]] std::size_t end_of_line(std::size_t offset) const {
    const std::size_t next = line_of(offset) + 1;
    return next < starts_.size() ? starts_[next] - 1 : text_.size();
  }

  [[nodiscard]] Place place(std::size_t begin, std::size_t end) const {
    const auto [line, column] = at(begin);
    const auto [end_line, end_column] = at(std::max(begin, end));
    return {line, column, end_line, end_column};
  }

 private:
  static bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }
  [[nodiscard]] std::size_t line_of(std::size_t offset) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return static_cast<std::size_t>(next - starts_.begin()) - 1;
  }

  std::string_view text_;
  std::vector<std::size_t> starts_;
  mutable std::size_t last_line_ = 0;
  mutable std::size_t last_offset_ = 0;
  mutable int last_column_ = 1;
};

/// The diagnostic at that place.
Diagnostic placed(Diagnostic d, const Place& place);

/// Why the text is not read at all, if so: not UTF-8, or control characters. text.not_utf8,
/// text.control_character.
std::optional<Diagnostic> refuse_text(std::string_view text, const LineIndex& lines);

/// Offset of the bracket that makes a wall of them. The parser recurses over brackets, so this is
/// asked before it runs. Quotes and comments are not told apart here, so the bound is far above any
/// nesting that is accepted.
std::optional<std::size_t> too_many_brackets(std::string_view text);

}  // namespace sluice

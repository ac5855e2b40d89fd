#include "io/yaml_text.hpp"

#include <cstdint>
#include <string>

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

}  // namespace

Diagnostic placed(Diagnostic d, const Place& place) {
  d.line = place.line;
  d.column = place.column;
  d.end_line = place.end_line;
  d.end_column = place.end_column;
  return d;
}

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

}  // namespace sluice

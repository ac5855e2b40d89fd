#include "io/excerpt.hpp"

#include <algorithm>

namespace sluice {
namespace {

bool continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Length in bytes of the control character at `i`, or 0.
std::size_t control_at(std::string_view text, std::size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  if (c < 0x20 || c == 0x7F) return 1;
  // U+0080 to U+009F: some terminals obey these too.
  if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return 2;
  return 0;
}

}  // namespace

std::string excerpt(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (characters++ == most) return out + "...";
    if (const std::size_t length = control_at(text, i); length > 0) {
      out += '?';
      i += length;
      continue;
    }
    out += text[i++];
    while (i < text.size() && continuation(text[i])) out += text[i++];
  }
  return out;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continuation(c); }));
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (control_at(text, i) > 0) return true;
  }
  return false;
}

}  // namespace sluice

// Text of the user's inside a message: short, on one line, and harmless to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

inline constexpr std::size_t kExcerpt = 60;

/// At most `most` characters of UTF-8 text, "..." behind it when there is more; control characters
/// become '?'.
std::string excerpt(std::string_view text, std::size_t most = kExcerpt);

/// Number of characters of UTF-8 text.
std::size_t character_count(std::string_view text);

/// Whether the text holds a control character (C0, DEL or C1), a line break or tab included.
bool has_control_character(std::string_view text);

}  // namespace sluice

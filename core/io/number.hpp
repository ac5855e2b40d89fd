// Numbers in text: one decimal grammar for every number a user may write, and the shortest text of
// a number. yaml-cpp's own reading differs between standard libraries (0x10, inf, 1e-400, 010) and
// is not used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

enum class NumberStatus { Ok, Syntax, Range };

struct ParsedNumber {
  NumberStatus status = NumberStatus::Syntax;
  double value = 0;
};

/// Reads [+-] digits [. digits] [e [+-] digits], at least one digit in the mantissa, no leading
/// zero before another digit, nothing else. Range: not finite as a double, or too small to be told
/// from zero.
ParsedNumber parse_number(std::string_view text);

/// The number as people write it: integers plain, otherwise the shortest text that reads back as
/// the same double.
std::string number_text(double value);

/// `value` / 10^decimals, exact, with all its decimals: fixed_text(1500, 3) is "1.500". For value
/// >= 0.
std::string fixed_text(std::int64_t value, std::size_t decimals);

/// Picoseconds as ms: exact, without trailing zeros ("1.5", "2.0"). For ps >= 0.
std::string ms_text(std::int64_t ps);

/// With `digits` significant digits, without trailing zeros; for people, not for reading back.
std::string short_text(double value, int digits = 4);

/// A share as people read it: "12.7 %", "<0.1 %" for what is not nothing but next to it.
std::string percent_text(double share);

}  // namespace sluice

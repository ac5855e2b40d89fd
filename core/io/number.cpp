#include "io/number.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sluice {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether the text is in the grammar; sets `zero` when every digit of the mantissa is 0.
bool in_grammar(std::string_view text, bool& zero) {
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  const std::size_t whole = i;
  zero = true;
  const auto skip_digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && digit(text[i])) {
      if (text[i] != '0') zero = false;
      ++i;
    }
    return i - begin;
  };
  const std::size_t whole_digits = skip_digits();
  if (whole_digits > 1 && text[whole] == '0') return false;
  std::size_t fraction_digits = 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    fraction_digits = skip_digits();
  }
  if (whole_digits + fraction_digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    const std::size_t begin = i;
    while (i < text.size() && digit(text[i])) ++i;
    if (i == begin) return false;
  }
  return i == text.size();
}

}  // namespace

ParsedNumber parse_number(std::string_view text) {
  // Longer than any number worth writing; also bounds the work.
  constexpr std::size_t kLongest = 400;
  bool zero = false;
  if (text.size() > kLongest || !in_grammar(text, zero)) return {NumberStatus::Syntax, 0};
  const std::string copy(text);
  const double value = std::strtod(copy.c_str(), nullptr);
  if (!std::isfinite(value) || (value == 0 && !zero)) return {NumberStatus::Range, value};
  return {NumberStatus::Ok, value};
}

std::string number_text(double value) {
  char buffer[40];
  if (value == std::floor(value) && std::fabs(value) < 1e15) {
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
    return std::strcmp(buffer, "-0") == 0 ? "0" : buffer;
  }
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
}

std::string fixed_text(std::int64_t value, std::size_t decimals) {
  std::string digits = std::to_string(value);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - decimals, 1, '.');
  return digits;
}

std::string ms_text(std::int64_t ps) {
  constexpr std::size_t kDecimals = 9;
  std::string text = fixed_text(ps, kDecimals);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text += '0';
  return text;
}

std::string short_text(double value, int digits) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  // %g turns to an exponent early; people read plain digits up to a billion.
  if (std::strchr(buffer, 'e') != nullptr && std::fabs(value) >= 1 && std::fabs(value) < 1e12) {
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
  }
  return buffer;
}

std::string percent_text(double share) {
  // Below this a share is rounding, not a finding.
  constexpr double kNothing = 1e-9;
  constexpr double kLeastShown = 0.0005;
  const double size = share < 0 ? -share : share;
  if (size < kNothing) return "0 %";
  if (size < kLeastShown) return "<0.1 %";
  return short_text(100 * share, 3) + " %";
}

}  // namespace sluice

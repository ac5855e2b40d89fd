#include "api/axis.hpp"

#include <cmath>
#include <utility>

#include "io/number.hpp"

namespace sluice {
namespace {

// Three numbers between colons: the values of the range; no values when it is an impossible one.
// Nothing when the text is something else.
std::optional<std::vector<std::string>> range_values(const std::string& text) {
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const ParsedNumber low = parse_number(text.substr(0, first));
  const ParsedNumber high = parse_number(text.substr(first + 1, second - first - 1));
  const ParsedNumber step = parse_number(text.substr(second + 1));
  for (const ParsedNumber* n : {&low, &high, &step}) {
    if (n->status != NumberStatus::Ok) return std::nullopt;
  }
  if (!(step.value > 0) || high.value < low.value) return std::vector<std::string>{};
  // A hair of slack, so that 0:1:0.1 includes 1.
  const double count = std::floor((high.value - low.value) / step.value * (1 + 1e-12) + 1e-9) + 1;
  std::vector<std::string> values;
  if (!(count <= static_cast<double>(kMaxSweepPoints))) return values;
  for (double i = 0; i < count; ++i) {
    // The value that was meant, not its rounding: 15 significant digits.
    values.push_back(number_text(parse_number(short_text(low.value + i * step.value, 15)).value));
  }
  return values;
}

// Commas separate values unless they stand inside brackets or quotes.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  return values;
}

}  // namespace

std::optional<Axis> parse_axis(const std::string& text) {
  const std::size_t cut = text.find('=');
  if (cut == std::string::npos || cut == 0 || cut + 1 == text.size()) return std::nullopt;
  Axis axis;
  axis.path = text.substr(0, cut);
  const std::string values = text.substr(cut + 1);
  if (auto range = range_values(values)) {
    axis.values = *std::move(range);
  } else {
    axis.values = split_values(values);
  }
  if (axis.values.empty() || axis.values.size() > kMaxSweepPoints) return std::nullopt;
  for (const std::string& v : axis.values) {
    if (v.empty()) return std::nullopt;
  }
  return axis;
}

}  // namespace sluice

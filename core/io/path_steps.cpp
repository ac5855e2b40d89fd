#include "io/path_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "io/yaml_document.hpp"

namespace sluice {
namespace {

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What stands in brackets: an index or an id.
std::optional<PathStep> bracket(const std::string& inside) {
  // Longer indices than any list has.
  constexpr std::size_t kMostDigits = 6;
  if (inside.empty()) return std::nullopt;
  if (!all_digits(inside)) return PathStep{inside, -1, true};
  if (inside.size() > kMostDigits) return std::nullopt;
  return PathStep{"", std::stoi(inside), true};
}

}  // namespace

std::vector<PathStep> path_steps(const std::string& path) {
  std::vector<PathStep> steps;
  std::size_t i = 0;
  while (i < path.size()) {
    if (path[i] == '[') {
      const std::size_t close = path.find(']', i);
      if (close == std::string::npos) return {};
      const auto step = bracket(path.substr(i + 1, close - i - 1));
      if (!step) return {};
      steps.push_back(*step);
      i = close + 1;
      if (i < path.size() && path[i] != '.' && path[i] != '[') return {};
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
      if (end == i) return {};
      steps.push_back({path.substr(i, end - i), -1, false});
      i = end;
    }
    if (i < path.size() && path[i] == '.' && ++i == path.size()) return {};
    if (steps.size() > static_cast<std::size_t>(kMaxDepth)) return {};
  }
  return steps;
}

}  // namespace sluice

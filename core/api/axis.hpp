// An axis of a sweep, as the command line writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

inline constexpr std::uint64_t kMaxSweepPoints = 1'000'000;

/// A path and the values it takes, as YAML text.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

/// "path=a,b,c" or "path=lo:hi:step" (hi included). Nothing when it is neither, or has more than
/// kMaxSweepPoints values.
std::optional<Axis> parse_axis(const std::string& text);

}  // namespace sluice

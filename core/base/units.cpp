#include "base/units.hpp"

#include <cmath>

namespace sluice {

std::optional<Time> time_from_ms(double ms) {
  const double ps = std::floor(ms * static_cast<double>(kPsPerMs) + 0.5);
  // Written so that NaN fails too.
  if (!(std::fabs(ps) <= static_cast<double>(kMaxRunTime.ps))) return std::nullopt;
  return Time{static_cast<std::int64_t>(ps)};
}

Bytes bytes_from(double bytes) {
  return {static_cast<std::int64_t>(std::floor(bytes + 0.5))};
}

}  // namespace sluice

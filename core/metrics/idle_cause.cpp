#include "metrics/idle_cause.hpp"

namespace sluice {

std::string_view cause_text(IdleCause cause) {
  constexpr std::array<std::string_view, kIdleCauses> kTexts{
      "warm_up", "drain",     "dependency", "link_busy", "link_latency", "memory",
      "order",   "straggler", "failure",    "optimizer", "barrier"};
  return kTexts[static_cast<std::size_t>(cause)];
}

}  // namespace sluice

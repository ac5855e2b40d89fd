// Communication beside computation: how long messages are under way to and from a device, and how
// much of that it computes.
#pragma once

#include <vector>

#include "base/units.hpp"
#include "engine/program.hpp"
#include "metrics/plays.hpp"
#include "trace/trace.hpp"

namespace sluice {

struct Overlap {
  /// In which some transfer from or to the device is under way.
  Duration transfer;
  /// The part of it in which the device computes. Source: OctoPipe's OverlapTime(d).
  Duration hidden;
};

/// By device of the machine. Cost: O(rows), and for each outage the transfers that passed by what
/// it made wait.
std::vector<Overlap> overlaps(const Program& program, const Trace& trace, const Plays& plays);

}  // namespace sluice

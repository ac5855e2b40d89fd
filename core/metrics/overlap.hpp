// Communication beside computation: how long messages are under way to and from a device, and how
// much of that it computes.
#pragma once

#include <vector>

#include "base/units.hpp"
#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

struct Overlap {
  /// In which some transfer from or to the device is under way.
  Duration transfer;
  /// The part of it in which the device computes. Source: OctoPipe's OverlapTime(d).
  Duration hidden;
};

/// By device of the machine. Cost: O(rows x links of a device that carried something).
std::vector<Overlap> overlaps(const Program& program, const Trace& trace);

}  // namespace sluice

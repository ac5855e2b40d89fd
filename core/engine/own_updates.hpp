// What a program needs for a schedule whose ranks update between their own operations.
#pragma once

#include <cstdint>

#include "base/function_ref.hpp"
#include "engine/program.hpp"

namespace sluice {

/// How the compiler of a program joins devices.
struct LinkTools {
  /// Fills in the links of the ring over a sum's ranks.
  FunctionRef<void(Program::Sum&)> add_ring;
  /// Time that bytes take on a link, ps.
  FunctionRef<std::int64_t(const Link&, double)> wire_ps;
};

/// The plan has updates of its own. `enabled`: they take time, and so do the sums over the copies
/// of each stage; else they take none and leave no rows. Notes: a tied embedding that is not
/// reduced.
void add_own_updates(Program& program, bool enabled, const Costs& costs, const LinkTools& tools,
                     Diagnostics& notes);

/// That each rank sends, on average, for the sums of one update; 0 where there are none.
Bytes summed_bytes(const Program& program);

}  // namespace sluice

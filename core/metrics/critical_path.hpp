// What the makespan is made of: the chain of waits from its end to its start, and how much later
// everything else could end.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/gaps.hpp"

namespace sluice {

/// What one kind of work of one resource, or one cause of waiting, has of the path.
struct PathShare {
  OpKind kind = OpKind::Forward;
  /// Row's resource: device or link; kNoResource of pauses and optimizer phases.
  std::uint32_t resource = 0;
  /// Time in which the path waited; `kind` is then that of what waited.
  bool waits = false;
  IdleCause cause = IdleCause::Dependency;
  Duration time;
};
inline constexpr std::uint32_t kNoResource = 0xFFFFFFFFU;

struct CriticalPath {
  /// Newest first, without holes, from the end of the makespan to its start.
  std::vector<WaitStep> steps;
  /// Operations and updates; messages and reductions; and the rest (queues, pauses, outages, work
  /// that an outage made void). Their sum is the makespan.
  Duration compute;
  Duration communication;
  Duration wait;
  /// Largest first.
  std::vector<PathShare> shares;
};

/// The path that the trace's deciding rows make. Each step's cause says what it would be called in
/// a gap; computation is Dependency. Cost: O(steps).
CriticalPath critical_path(const Trace& trace, const IdleTime& idle);

}  // namespace sluice

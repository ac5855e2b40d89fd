// Parts that are slow for a time: how long work takes that begins at a given moment.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostics.hpp"
#include "base/rng.hpp"
#include "model/machine.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// How one part's times stretch.
struct Pace {
  /// On every time.
  double factor = 1;
  std::optional<Drift> drift;
  std::optional<Interference> interference;
  std::optional<SlowTail> tail;

  [[nodiscard]] bool varies() const { return drift || interference || tail; }
};

/// When work of `length_ps`, the constant factor already in it, that begins at `start_ps` ends,
/// less the start: the time in which the changing speed adds up to it. `draw` names the operation,
/// for the tail. Cost: O(steps of the drift and boundaries of the interference that it meets),
/// whole periods at once.
std::int64_t paced(const Pace& pace, std::int64_t start_ps, std::int64_t length_ps,
                   const DrawKey& draw);

/// By device, and by link. Problems: reference.device, reference.node, link.missing, key.conflict
/// (two drifts, interferences or tails of one part).
struct Paces {
  std::vector<Pace> devices;
  std::vector<Pace> links;
};
Paces paces_of(const Scenario& scenario, const Machine& machine, Diagnostics& problems);

struct Program;
/// Puts the constant factors into the program's times, and marks what changes in the run.
void slow_down(Program& program, const Paces& paces);

}  // namespace sluice

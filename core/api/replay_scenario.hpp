// The scenario that plays a recorded run again: its figures as YAML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/link_bench.hpp"
#include "measure/observed_order.hpp"
#include "measure/trace_figures.hpp"
#include "model/presets.hpp"

namespace sluice {

struct ReplaySource {
  const TracedRun& run;
  const TraceFigures& figures;
  const ObservedOrder& order;
  /// Raw points in the place of the times that messages took in the trace; may be empty.
  const std::vector<BenchedLink>& links;
  /// Size of one activation as it is sent. Without it and with `links`: the size whose time in the
  /// benchmark is what messages took in the trace (median over pairs).
  std::optional<double> message_MiB;
  /// Sends and receives are blocking calls of Megatron; else they overlap.
  bool blocking_calls = false;
};

/// Entry of `pipeline.stages` -> entry of `ranks`: by stage where each rank has one, else by rank.
std::vector<std::size_t> places_of_entries(const TracedRun& run);

/// YAML with a comment line for the origin of each figure. Forwards, backwards and updates are
/// constant at their means; the pause between steps at its median, as a few slow steps must not
/// lengthen all. Host time of blocking calls is that of the first calibration. Each rank is a
/// device of its own, with the preset that its name holds.
std::string replay_scenario(const ReplaySource& source, const Presets& presets);

}  // namespace sluice

#include "api/player.hpp"

#include <limits>
#include <utility>

#include "api/run_metrics.hpp"
#include "engine/engine.hpp"
#include "metrics/summary.hpp"

namespace sluice {

Result<PlayedRun> Player::play(Loaded& loaded, std::uint64_t seed) {
  loaded.scenario.simulation.seed = seed;
  loaded.program.simulation.seed = seed;
  Engine engine(loaded.program, std::move(memory_));
  while (!engine.step(std::numeric_limits<std::uint32_t>::max())) {
  }
  memory_ = engine.take_trace();
  if (!engine.finished()) return engine.problems();
  const Summary summary =
      summarize(loaded.program, loaded.costs, loaded.scenario, memory_, engine.failures());
  return PlayedRun{run_metrics(summary), trace_hash(memory_)};
}

std::string reason_of(const Diagnostics& diagnostics) {
  const Diagnostic& first = diagnostics.front();
  return first.message + " [" + std::string(code_text(first.code)) + "]";
}

}  // namespace sluice

#include "api/run_metrics.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice {

std::vector<double> run_metrics(const Summary& summary) {
  std::int64_t peak = 0;
  for (std::size_t d = 0; d < summary.peak_memory.size(); ++d) {
    if (summary.holds_stages[d]) peak = std::max(peak, summary.peak_memory[d].value);
  }
  return {to_ms(summary.makespan),
          summary.throughput_per_ms * 1000,
          summary.bubble.idle_over_makespan,
          summary.bubble.idle_over_work,
          summary.bubble.span,
          summary.latency_p50_ms,
          summary.latency_p99_ms,
          static_cast<double>(peak),
          summary.fits ? 1.0 : 0.0};
}

}  // namespace sluice

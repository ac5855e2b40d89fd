// Idle time, its causes and the critical path as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/program.hpp"
#include "io/json.hpp"
#include "metrics/critical_path.hpp"
#include "metrics/gaps.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// What a run's idle time is made of; all must outlive the texts made of it.
struct IdleReport {
  const Program& program;
  const Trace& trace;
  const IdleTime& idle;
  const CriticalPath& path;
  /// Empty where it is not known.
  const std::vector<std::int64_t>& slack;
};

/// `{"per_rank": [{"warm_up": ms, ...}]}`: ranks that share a device share its idle time.
Json idle_ms_json(const IdleReport& report);

/// `{"per_rank": [{"F": ms, ...}]}`: what the rank's device computes, by kind, void work too,
/// without kinds that are 0. With `idle_ms` it sums to the makespan, to the picosecond.
Json busy_ms_json(const IdleReport& report);

/// `{"compute_ms", "communication_ms", "wait_ms", "top": [...], "least_slack_ms": [...]}`: the ten
/// largest shares by kind and rank or link, and by rank the least slack of its operations.
Json critical_path_json(const IdleReport& report);

/// A gap: where, when, what ended it, causes that are not 0, the chain (newest first, at most
/// `steps` of it; `chain_steps` is its length) and what could have run.
Json gap_json(const Program& program, const Trace& trace, const IdleTime& idle, const Gap& gap,
              std::size_t steps);

/// The twenty longest.
Json top_gaps_json(const IdleReport& report);

/// JSON text: the gaps of a device that have a part in [from, to] (picoseconds), in order of time,
/// a hundred at most; chains up to 500 steps. Cost: O(gaps + steps).
std::string gaps_json(const Program& program, const Trace& trace, const IdleTime& idle,
                      std::uint32_t device, std::int64_t from, std::int64_t to);

}  // namespace sluice

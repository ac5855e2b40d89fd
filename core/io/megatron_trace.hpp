// A rank's trace as Megatron jobs of HOPS write it: one JSON object a line.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "measure/traced_run.hpp"

namespace sluice {

/// Keys: rank, stage, iteration, event_type (compute, transfer), phase (FORWARD, BACKWARD,
/// BACKWARD_B, BACKWARD_W, OPTIMIZER), start_wall_ns, end_wall_ns, device_id; with transfers
/// src_device and dst_device; microbatch and hostname where they are there. `duration_ms` is not
/// read. Diagnostics with the line: trace.syntax, trace.field, trace.ranks (a second rank in the
/// file), trace.empty. Source: specification of HOPS, section 11.
Result<RankTrace> read_megatron_trace(std::string_view text);

}  // namespace sluice

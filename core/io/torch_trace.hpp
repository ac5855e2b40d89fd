// A rank's trace as PyTorch's profiler exports it: Chrome trace JSON.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "measure/traced_run.hpp"

namespace sluice {

/// Reads the complete events (ph "X") whose names torch.distributed.pipelining gives its
/// operations: "PP:0F3" or "0F3" (stage 0, forward, microbatch 3; B, I and W alike) and
/// "Forward 3", "Backward 3" of the schedules with one stage a rank, whose stage is the rank's
/// place; and "Optimizer.step#...". ts and dur are us, on top of baseTimeNanoseconds where that is
/// written. The GPU's copies of these (cat gpu_user_annotation) are taken where they are there, on
/// the stream that works most: the host's own only say when kernels were launched. An operation
/// that comes again begins the next iteration. rank: distributedInfo.rank. Diagnostics with the
/// line: trace.syntax, trace.field, trace.ranks (no rank), trace.empty (no such name). Source:
/// pytorch/pytorch, torch/distributed/pipelining/schedules.py (_get_profiler_function_name,
/// ScheduleGPipe) and torch/optim/optimizer.py. Cost: O(text); events of other names are dropped
/// as they are read.
Result<RankTrace> read_torch_trace(std::string_view text);

}  // namespace sluice

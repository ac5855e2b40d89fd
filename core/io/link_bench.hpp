// A benchmark of the links between stages, as torchrun jobs of HOPS print it.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "measure/measured_run.hpp"

namespace sluice {

/// The measured points between the nodes of two stages, ascending by size.
struct BenchedLink {
  std::int32_t from_stage = 0;
  std::int32_t to_stage = 0;
  std::vector<LinkSample> points;
};

/// Rows of mode p2p and rank 0 (the sender): label (`pair_I_J`), size_mb (MiB) and p50_ms. Lines
/// that do not begin with "{" are other programs' output. Points stay as they are, without a line
/// through them: small messages end in buffers, and pipelines send small messages. One entry a
/// pair, by stages. Diagnostics with the line: trace.syntax, trace.field, trace.ranks (a pair
/// without rows of rank 0). Source: specification of HOPS, sections 11 and 13 (25).
Result<std::vector<BenchedLink>> read_link_bench(std::string_view text);

}  // namespace sluice

#include "schedule/placement.hpp"

#include <algorithm>

namespace sluice {

int Placement::chunks() const {
  std::vector<int> held(static_cast<std::size_t>(ranks), 0);
  for (const std::uint16_t rank : rank_of_stage) {
    if (rank != kNoRank) ++held[rank];
  }
  return held.empty() ? 0 : *std::max_element(held.begin(), held.end());
}

std::string pipe_name(int pipe) {
  if (pipe == 0) return "down";
  return pipe == 1 ? "up" : "pipe" + std::to_string(pipe);
}

Placement loop_placement(int ranks, int chunks) {
  Placement out;
  out.ranks = ranks;
  for (int k = 0; k < chunks; ++k) {
    for (int r = 0; r < ranks; ++r) out.rank_of_stage.push_back(static_cast<std::uint16_t>(r));
  }
  return out;
}

Placement zigzag_placement(int ranks, int legs) {
  Placement out;
  out.ranks = ranks;
  for (int leg = 0; leg < legs; ++leg) {
    for (int i = 0; i < ranks; ++i) {
      out.rank_of_stage.push_back(static_cast<std::uint16_t>(leg % 2 == 0 ? i : ranks - 1 - i));
    }
  }
  return out;
}

Placement with_mirror(const Placement& down) {
  Placement out = down;
  out.pipes = 2;
  for (const std::uint16_t rank : down.rank_of_stage) {
    out.rank_of_stage.push_back(static_cast<std::uint16_t>(down.ranks - 1 - rank));
  }
  return out;
}

}  // namespace sluice

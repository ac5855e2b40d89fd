#include "search/instance.hpp"

namespace sluice {

const StageLoad& Instance::load(const Layout& layout, std::size_t s) const {
  if (!movable) return fixed[layout.fixed].loads[s];
  const std::size_t rank = layout.rank_of_stage[s];
  const std::size_t edges = (s == 0 ? 1U : 0U) + (s + 1 == layout.stages() ? 2U : 0U);
  const int first = layout.cuts[s];
  return loads[kind_of_rank[rank]][edges][place(first, layout.cuts[s + 1] - first)];
}

std::vector<std::int32_t> uniform_cuts(int layers, std::size_t stages) {
  const auto n = static_cast<int>(stages);
  std::vector<std::int32_t> cuts{0};
  for (int s = 0; s < n; ++s) cuts.push_back(cuts.back() + layers / n + (s < layers % n ? 1 : 0));
  return cuts;
}

}  // namespace sluice

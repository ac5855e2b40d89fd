#include "schedule/several.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace sluice {

Plan put_together(const std::vector<Plan>& plans, std::vector<std::string> names) {
  int longest = 0;
  std::size_t operations = 0;
  Plan out = plans.front();
  out.microbatches = 0;
  out.pipelines = std::move(names);
  out.device_of_rank.clear();
  Placement placement;
  placement.pipes = static_cast<int>(plans.size());
  for (const Plan& p : plans) {
    SLUICE_CHECK(p.order && p.placement.pipes == 1 && p.slices() == 1);
    longest = std::max(longest, p.placement.stages());
    operations += p.order->operations.size();
  }
  std::vector<std::uint8_t> pipe_of_microbatch;
  for (std::size_t pipe = 0; pipe < plans.size(); ++pipe) {
    const Plan& p = plans[pipe];
    for (int s = 0; s < longest; ++s) {
      const bool there = s < p.placement.stages();
      placement.rank_of_stage.push_back(
          there ? static_cast<std::uint16_t>(placement.ranks + p.placement.rank_of(s)) : kNoRank);
    }
    placement.lengths.push_back(static_cast<std::uint16_t>(p.placement.stages()));
    placement.ranks += p.ranks();
    pipe_of_microbatch.insert(pipe_of_microbatch.end(), static_cast<std::size_t>(p.microbatches),
                              static_cast<std::uint8_t>(pipe));
    out.microbatches += p.microbatches;
    out.device_of_rank.insert(out.device_of_rank.end(), p.device_of_rank.begin(),
                              p.device_of_rank.end());
    out.split_backward = out.split_backward || p.split_backward;
    if (p.resolved != out.resolved) out.resolved = "several";
    if (p.name != out.name) out.name = "several";
  }
  out.weight_copies = 1;
  const auto ranks = static_cast<std::size_t>(placement.ranks);
  OrderBuilder builder(placement, out.microbatches, operations / ranks + 1);
  int microbatch = 0;
  for (std::size_t pipe = 0; pipe < plans.size(); ++pipe) {
    const Plan& p = plans[pipe];
    const int stage = static_cast<int>(pipe) * longest;
    for (int r = 0; r < p.ranks(); ++r) {
      for (const Operation& op : p.order->of_rank(r))
        builder.add(op.kind, stage + op.stage, microbatch + static_cast<int>(op.microbatch));
      builder.end_rank();
    }
    microbatch += p.microbatches;
  }
  builder.set_pipes(std::move(pipe_of_microbatch));
  out.order = builder.take();
  out.placement = std::move(placement);
  return out;
}

}  // namespace sluice

#include "engine/own_updates.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice {
namespace {

double parameter(const Plan& plan, std::string_view name) {
  for (const auto& [key, values] : plan.parameters) {
    if (key == name && !values.empty()) return values.front();
  }
  return 0;
}

// A ring over all copies of a stage: P - 1 turns that sum a Pth part at each, and as many that hand
// the sums round; or, where one copy's rank has the optimizer (`owned`), the new weights.
void add_copies_sum(Program& p, int stage, bool owned, const Costs& costs, const LinkTools& tools) {
  const Placement& placement = p.plan.placement;
  Program::Sum out;
  double gradient = 0;
  double weights = 0;
  for (int pipe = 0; pipe < placement.pipes; ++pipe) {
    const auto copy = static_cast<std::size_t>(pipe * placement.stages() + stage);
    out.ranks.push_back(placement.rank_of_stage[copy]);
    out.stages.push_back(static_cast<std::uint16_t>(copy));
    const std::optional<StageMemory>& memory = costs.stages[copy].memory;
    gradient = static_cast<double>(memory ? memory->gradients.value : costs.gradient.value);
    weights = owned && memory ? static_cast<double>(memory->weights.value) : gradient;
  }
  if (gradient == 0) return;
  out.bytes = bytes_from((gradient + weights) * (placement.pipes - 1) / placement.pipes);
  tools.add_ring(out);
  const double parts = placement.pipes;
  const bool timed = p.simulation.transfers != Transfers::Latency;
  for (const std::uint32_t index : out.links) {
    const Link& link = p.machine.links[index];
    const std::int64_t wire =
        timed ? tools.wire_ps(link, gradient / parts) + tools.wire_ps(link, weights / parts) : 0;
    const std::int64_t turn = wire + 2 * link.latency.ps;
    out.duration_ps = std::max(out.duration_ps, turn * (placement.pipes - 1));
  }
  p.sums.push_back(std::move(out));
}

}  // namespace

void add_own_updates(Program& program, bool enabled, const Costs& costs, const LinkTools& tools,
                     Diagnostics& notes) {
  // Asynchronous schedules do not wait for each other between batches.
  program.simulation.step_barrier = true;
  if (!enabled) return;
  program.own_updates = true;
  if (costs.tied) {
    notes.push_back(warning(Code::GradientNoReplicas, "pipeline.schedule",
                            "the ends of the pipeline update at different times: the copies of "
                            "the tied embedding are not reduced"));
  }
  const Placement& placement = program.plan.placement;
  program.gradients_per_update = static_cast<std::uint32_t>(
      program.plan.order->microbatches_per_update / placement.pipes * program.plan.slices());
  program.update_share = 1.0 / placement.chunks();
  if (placement.pipes == 1) return;
  const bool owned = parameter(program.plan, "zero1") != 0;
  for (DurationModel& update : program.update) {
    if (!owned) break;
    update.offset_ms *= program.update_share;
    update.scale *= program.update_share;
  }
  // Backwards come to the last stages first.
  for (int s = placement.stages() - 1; s >= 0; --s) add_copies_sum(program, s, owned, costs, tools);
}

Bytes summed_bytes(const Program& program) {
  double sent = 0;
  for (const Program::Sum& sum : program.sums)
    sent += static_cast<double>(sum.bytes.value) * static_cast<double>(sum.ranks.size());
  return bytes_from(sent / program.plan.ranks());
}

}  // namespace sluice

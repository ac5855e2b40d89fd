#include "model/options.hpp"

namespace sluice {

Options bundle(Physics physics) {
  if (physics == Physics::Sluice) return Options{};
  return Options{.cost_model = CostModel::HopsRoofline,
                 .policies = Policies::Hops,
                 .link_share = LinkShare::PerPairAtStart,
                 .locality_penalty = true,
                 .allreduce_over = AllReduceOver::Stages,
                 .throughput_until = ThroughputUntil::LastBackward,
                 .memory_model = MemoryModel::Hops,
                 .capacity = Capacity::Error,
                 .failure_effect = FailureEffect::DelayStarts};
}

}  // namespace sluice

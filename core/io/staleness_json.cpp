#include "io/staleness_json.hpp"

#include "engine/own_updates.hpp"
#include "metrics/versions.hpp"

namespace sluice {

Json staleness_json(const Program& program) {
  const Plan& plan = program.plan;
  const Staleness found = staleness_of(versions_of(plan, plan.batches_in_order), plan);
  Json stages = Json::array();
  for (std::size_t s = 0; s < found.stages.size(); ++s) {
    const StageStaleness& stage = found.stages[s];
    stages.push_back(json_object({{"stage", s},
                                  {"drift_max", stage.drift_max},
                                  {"drift_mean", stage.drift_mean},
                                  {"drifted_share", stage.drifted},
                                  {"drift_histogram", stage.drift_histogram},
                                  {"delay_max", stage.delay_max},
                                  {"delay_mean", stage.delay_mean},
                                  {"weight_versions", stage.versions},
                                  {"updates", stage.updates}}));
  }
  return json_object({{"drift_max", found.drift_max},
                      {"drift_mean", found.drift_mean},
                      {"drifted_share", found.drifted},
                      {"delay_max", found.delay_max},
                      {"skew_max", found.skew_max},
                      {"microbatches_per_update", plan.order->microbatches_per_update},
                      {"summed_bytes_per_rank_and_update", summed_bytes(program).value},
                      {"stages", stages}});
}

}  // namespace sluice

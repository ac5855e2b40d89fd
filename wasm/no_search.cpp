// The page's modules have no search: it is for programs that need not be fetched before a first
// picture. Linked before the core, this takes the place of api/adaptive.cpp and of all that it
// needs.
#include "api/adaptive.hpp"

namespace sluice {

Result<AdaptiveChoice> resolve_adaptive(const ReadScenario&, const Presets&) {
  return error(Code::ScheduleNeedsSearch, "pipeline.schedule",
               "`adaptive` is found by a search, which this page does not have",
               "`sluice tune FILE --plan PLAN.yaml` writes a plan that runs here");
}

}  // namespace sluice

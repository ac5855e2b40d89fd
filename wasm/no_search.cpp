// The module that every visitor fetches has no search and plays one pipeline: these are for
// programs that need not be there before a first picture. Linked before the core, this takes the
// place of api/adaptive.cpp, api/load_pipelines.cpp and all that they need.
#include "api/adaptive.hpp"
#include "api/load_pipelines.hpp"

namespace sluice {

Result<AdaptiveChoice> resolve_adaptive(const ReadScenario&, const Presets&) {
  return error(Code::ScheduleNeedsSearch, "pipeline.schedule",
               "`adaptive` is found by a search, which this page does not have",
               "`sluice tune FILE --plan PLAN.yaml` writes a plan that runs here");
}

Result<Loaded> prepare_pipelines(const ReadScenario&, const Presets&) {
  return error(Code::ScheduleNeedsSearch, "pipelines", "this page plays one pipeline at a time",
               "`sluice run FILE` plays several");
}

}  // namespace sluice

// A campaign of a scenario: the engine plays its steps once, without failures, and many of them are
// put together with the failures, checkpoints and restarts that `failure` describes.
#pragma once

#include <optional>
#include <string>

#include "api/load.hpp"
#include "base/result.hpp"
#include "engine/campaign.hpp"

namespace sluice {

struct CampaignReport {
  CampaignResult result;
  double step_ms = 0;
  /// Time between failures of anything that computes; nothing when no law says.
  std::optional<double> job_mtbf_s;
  /// For `checkpoint.cost_s` at that time between failures.
  std::optional<double> young_s;
  std::optional<double> daly_s;
  double steps_per_day = 0;
};

/// What Campaign needs, from a scenario with `campaign` and `failure`. Diagnostics: key.missing
/// (either is not there, or a campaign has no end), and what stops the steps' own run.
Result<CampaignPlan> plan_campaign(const Loaded& loaded);

/// Plays it to the end. Cost: see Campaign.
Result<CampaignReport> run_campaign(const Loaded& loaded);

/// {"hours", "steps", "goodput", "failures", ...}.
std::string campaign_json(const CampaignReport& report, int indent = 2);

}  // namespace sluice

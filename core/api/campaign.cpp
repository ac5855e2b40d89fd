#include "api/campaign.hpp"

#include <utility>

#include "engine/engine.hpp"
#include "io/json.hpp"
#include "metrics/plays.hpp"

namespace sluice {
namespace {

constexpr double kNsPerHour = 3.6e12;
constexpr double kNsPerS = 1e9;
constexpr double kNsPerMs = 1e6;
constexpr double kSPerDay = 86400;
constexpr double kMsPerS = 1e3;

// The steps of a run in which nothing fails; a step is what one update closes.
Result<std::vector<LongTime>> lengths_of_steps(const Loaded& loaded) {
  Program calm = loaded.program;
  calm.failure.enabled = false;
  calm.components.clear();
  Engine engine(calm);
  while (!engine.step(UINT64_MAX / 2)) {
  }
  if (!engine.finished()) return engine.problems();
  const Plays plays(calm, engine.trace());
  const auto& all = plays.plays();
  const auto steps = static_cast<std::size_t>(calm.accumulation_steps);
  std::vector<LongTime> out;
  if (!calm.simulation.step_barrier || all.size() < steps) {
    const std::int64_t whole = plays.until() - plays.from();
    out.push_back(long_time(whole / static_cast<std::int64_t>(calm.simulation.batches)));
    return out;
  }
  for (std::size_t k = 0; k + steps <= all.size(); k += steps) {
    // With the pause before it, which the first step of a run does not have.
    const std::int64_t since = k == 0 ? all[0].begin : all[k - 1].ended;
    out.push_back(long_time(all[k + steps - 1].ended - since));
  }
  if (out.size() > 1 && calm.barrier) out.erase(out.begin());
  return out;
}

double mean_ns(const std::vector<LongTime>& lengths) {
  double sum = 0;
  for (const LongTime t : lengths) sum += static_cast<double>(t.ns);
  return sum / static_cast<double>(lengths.size());
}

// Rates add up; of a Weibull law this is the rate in the long run.
std::optional<double> mtbf_s(const CampaignPlan& plan) {
  double rate = 0;
  for (std::size_t i = 0; i < plan.components.size(); ++i) {
    const double mtbf_ms = plan.components[i].mtbf_ms;
    if (plan.working[i] > 0 && mtbf_ms > 0) rate += kMsPerS / mtbf_ms;
  }
  if (rate <= 0) return std::nullopt;
  return 1 / rate;
}

}  // namespace

Result<CampaignPlan> plan_campaign(const Loaded& loaded) {
  const Scenario& s = loaded.scenario;
  const auto missing = [](const char* path, const char* what, const char* hint) {
    return Diagnostics{error(Code::KeyMissing, path, what, hint)};
  };
  if (!s.campaign || (!s.campaign->hours && s.campaign->steps == 0))
    return missing("campaign", "a campaign needs an end", "campaign: {hours: 720}, or {steps: N}");
  if (!s.failure.enabled || s.failure.sources.empty())
    return missing("failure.sources", "a campaign needs to know what fails, and how often",
                   "failure: {enabled: true, sources: [{devices: all, mtbf_hours: 50000, "
                   "repair_s: 600}]}");
  auto lengths = lengths_of_steps(loaded);
  if (!lengths) return lengths.diagnostics();
  CampaignPlan plan;
  plan.failure = s.failure;
  plan.components = loaded.program.components;
  for (const FailureComponent& c : plan.components) {
    std::uint32_t working = 0;
    for (const std::uint32_t d : c.devices)
      working += loaded.program.first_rank[d] < loaded.program.first_rank[d + 1] ? 1U : 0U;
    plan.working.push_back(working);
  }
  plan.step_lengths = std::move(lengths).value();
  plan.seed = s.simulation.seed;
  if (s.campaign->hours)
    plan.duration = {static_cast<std::int64_t>(*s.campaign->hours * kNsPerHour)};
  plan.steps = static_cast<std::uint64_t>(s.campaign->steps);
  return plan;
}

Result<CampaignReport> run_campaign(const Loaded& loaded) {
  auto plan = plan_campaign(loaded);
  if (!plan) return plan.diagnostics();
  CampaignReport report;
  const double step_ns = mean_ns(plan.value().step_lengths);
  report.step_ms = step_ns / kNsPerMs;
  report.job_mtbf_s = mtbf_s(plan.value());
  const CheckpointSection& c = loaded.scenario.failure.checkpoint;
  if (report.job_mtbf_s && loaded.scenario.failure.recovery == Recovery::Checkpoint) {
    report.young_s = young_interval(c.cost_s, *report.job_mtbf_s);
    report.daly_s = daly_interval(c.cost_s, *report.job_mtbf_s);
  }
  Campaign campaign(std::move(plan).value());
  while (!campaign.step(1U << 20U)) {
  }
  report.result = campaign.result();
  const double days = static_cast<double>(report.result.time.ns) / kNsPerS / kSPerDay;
  if (days > 0) report.steps_per_day = static_cast<double>(report.result.steps) / days;
  return report;
}

std::string campaign_json(const CampaignReport& report, int indent) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  const CampaignResult& r = report.result;
  const Json j = json_object({{"hours", to_hours(r.time)},
                              {"steps", r.steps},
                              {"step_ms", report.step_ms},
                              {"steps_per_day", report.steps_per_day},
                              {"goodput", r.goodput()},
                              {"failures", r.failures},
                              {"rollbacks", r.rollbacks},
                              {"checkpoints", r.checkpoints},
                              {"lost_hours", to_hours(r.lost)},
                              {"recovery_hours", to_hours(r.recovering)},
                              {"checkpoint_hours", to_hours(r.saving)},
                              {"stalled_hours", to_hours(r.stalled)},
                              {"job_mtbf_s", optional(report.job_mtbf_s)},
                              {"young_interval_s", optional(report.young_s)},
                              {"daly_interval_s", optional(report.daly_s)}});
  return json_text(j, indent);
}

}  // namespace sluice

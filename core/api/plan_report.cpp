// What a planning found, as JSON.
#include <algorithm>

#include "api/planning.hpp"
#include "io/json.hpp"
#include "io/number.hpp"
#include "search/hpp/sample.hpp"

namespace sluice {
namespace {

/// In the order of Operator, as under `recompute`.
constexpr const char* kOperatorNames[kOperators] = {"LN1", "Qkv",  "Sco", "AS",  "AD",
                                                    "ADm", "Proj", "LN2", "FC1", "Gelu"};

double gib(Bytes bytes) {
  return static_cast<double>(bytes.value) / kGiB;
}

Json stage_json(const PlannedStage& s, const HppCosts& costs) {
  Json out;
  out["gpu"] = costs.device(s.stage.shape.type).preset;
  out["devices"] = s.stage.shape.devices();
  out["tensor_parallel"] = s.stage.shape.tensor;
  out["data_parallel"] = s.stage.shape.data;
  out["layers"] = s.stage.layers;
  out["recompute"] = recompute_label(s.recompute, s.stage.layers);
  out["time_ms"] = s.ms;
  out["memory_GiB"] = gib(s.peak);
  out["analytic_memory_GiB"] = gib(s.predicted);
  out["device_memory_GiB"] = gib(s.room);
  return out;
}

Json nodes_json(const hpp::NodeCounts& nodes, const HppCosts& costs) {
  Json out = Json::object();
  for (std::size_t t = 0; t < nodes.size(); ++t) {
    if (nodes[t] == 0) continue;
    const std::string& gpu = costs.plan().cluster[t].gpu;
    out[gpu] = out.value(gpu, 0) + nodes[t];
  }
  return out;
}

Json pipeline_json(const PlayedPipeline& p, const HppCosts& costs) {
  Json out;
  out["nodes"] = nodes_json(p.planned.nodes, costs);
  out["local_batch"] = p.planned.microbatches * p.planned.pipeline.micro_batch;
  out["micro_batch_size"] = p.planned.pipeline.micro_batch;
  out["microbatches"] = p.planned.microbatches;
  out["iteration_ms"] = p.ms;
  out["analytic_ms"] = p.analytic_ms;
  Json stages = Json::array();
  for (const PlannedStage& s : p.stages) stages.push_back(stage_json(s, costs));
  out["stages"] = std::move(stages);
  return out;
}

Json pipelines_json(const std::vector<PlayedPipeline>& pipelines, const HppCosts& costs) {
  Json out = Json::array();
  for (const PlayedPipeline& p : pipelines) out.push_back(pipeline_json(p, costs));
  return out;
}

Json plan_json(const PlayedPlan& plan, const HppCosts& costs) {
  Json out;
  out["iteration_ms"] = plan.ms;
  out["analytic_ms"] = plan.analytic_ms;
  out["behind_ms"] = plan.behind_ms;
  out["memory_fits"] = plan.fits;
  out["max_min_latency"] = plan.spread.max_min_latency;
  out["v_inter"] = plan.spread.between;
  out["v_intra"] = plan.spread.within;
  out["pipelines"] = pipelines_json(plan.pipelines, costs);
  return out;
}

}  // namespace

namespace {

std::string number(double value) {
  constexpr int kDigits = 9;
  return short_text(value, kDigits);
}

// The fullest device's share of its memory.
double fullest(const PlayedPlan& plan) {
  double most = 0;
  for (const PlayedPipeline& p : plan.pipelines) {
    for (const PlannedStage& s : p.stages) {
      most = std::max(most, static_cast<double>(s.peak.value) / static_cast<double>(s.room.value));
    }
  }
  return most;
}

}  // namespace

std::string plan_csv_header() {
  std::string out =
      "iteration_ms,analytic_ms,behind_ms,pipelines,memory_share,max_min_latency,v_inter,v_intra";
  for (const char* name : kBaselineNames)
    out += std::string(",") + name + "_ms," + name + "_max_min";
  return out + ",ideal_ms,configurations,evaluated,templates,forms,seconds";
}

std::string plan_csv_row(const Planning& planning, std::optional<double> seconds) {
  std::string out;
  if (planning.plans().empty()) {
    out = ",,,,,,,";
  } else {
    const PlayedPlan& p = planning.plans().front();
    out = number(p.ms) + "," + number(p.analytic_ms) + "," + number(p.behind_ms) + "," +
          std::to_string(p.pipelines.size()) + "," + number(fullest(p)) + "," +
          number(p.spread.max_min_latency) + "," + number(p.spread.between) + "," +
          number(p.spread.within);
  }
  for (const char* name : kBaselineNames) {
    const auto& all = planning.baselines();
    const auto at = std::find_if(all.begin(), all.end(), [&](const PlanBaseline& b) {
      return std::string_view(b.name) == name;
    });
    const bool fits = at != all.end() && at->ms;
    out += fits ? "," + number(*at->ms) + "," + number(at->max_min_latency) : ",,";
  }
  const hpp::PlannerCounts& c = planning.counts();
  return out + "," + number(planning.costs().ideal_ms()) + "," + std::to_string(c.configurations) +
         "," + std::to_string(c.evaluated) + "," + std::to_string(c.templates) + "," +
         std::to_string(c.forms) + "," + (seconds ? number(*seconds) : "");
}

Result<std::string> sampled_plans_csv(std::string_view text, const std::vector<Setting>& settings,
                                      std::uint64_t seed, std::uint64_t count) {
  const Result<Planning> made = Planning::make(text, settings, {});
  if (!made) return made.diagnostics();
  const HppCosts& costs = made.value().costs();
  const hpp::Problem problem = costs.problem({.recompute = costs.plan().recompute});
  hpp::StageTimes times(problem);
  std::string out = "number,samples_per_s,v_inter,v_intra,max_min_latency,pipelines\n";
  constexpr std::uint64_t kTries = 20;
  std::uint64_t found = 0;
  for (std::uint64_t n = 0; found < count && n < kTries * count; ++n) {
    // Seeds that follow one another share no numbers.
    constexpr std::uint64_t kApart = std::uint64_t{1} << 32U;
    const std::optional<hpp::HppPlan> plan = hpp::random_plan(problem, times, seed * kApart + n);
    if (!plan) continue;
    ++found;
    const PlanSpread spread = spread_of(*plan);
    constexpr double kMsPerSecond = 1000;
    const double rate = static_cast<double>(problem.global_batch) / plan->ms * kMsPerSecond;
    out += std::to_string(n) + "," + number(rate) + "," + number(spread.between) + "," +
           number(spread.within) + "," + number(spread.max_min_latency) + "," +
           std::to_string(plan->pipelines.size()) + "\n";
  }
  return out;
}

std::string recompute_label(const Recompute& recompute, std::int64_t layers) {
  switch (recompute.kind) {
    case Recompute::Kind::None:
      return "none";
    case Recompute::Kind::Selective:
      return "selective";
    case Recompute::Kind::Full:
      return "full";
    case Recompute::Kind::Operators:
      break;
  }
  // One term for each number of layers, most layers first.
  std::string out;
  std::int64_t below = Recompute::kAllLayers + 1;
  for (;;) {
    std::int64_t most = 0;
    for (const std::int64_t n : recompute.layers) {
      if (n < below && n > most) most = n;
    }
    if (most == 0) return out.empty() ? "none" : out;
    std::string names;
    for (std::size_t o = 0; o < kOperators; ++o) {
      if (recompute.layers[o] != most) continue;
      names += (names.empty() ? "" : "+") + std::string(kOperatorNames[o]);
    }
    out += (out.empty() ? "" : ", ") + names;
    if (most < layers) out += " x" + std::to_string(most);
    below = most;
  }
}

std::string Planning::json(int indent, std::optional<double> seconds) const {
  Json out;
  Json plans = Json::array();
  for (const PlayedPlan& plan : plans_) plans.push_back(plan_json(plan, *costs_));
  out["plans"] = std::move(plans);
  if (plans_.empty()) out["why"] = why_nothing();
  Json baselines = Json::object();
  for (const PlanBaseline& b : baselines_) {
    if (!b.ms) {
      baselines[b.name] = nullptr;
      continue;
    }
    baselines[b.name] = {{"iteration_ms", *b.ms},
                         {"max_min_latency", b.max_min_latency},
                         {"memory_fits", b.fits},
                         {"pipelines", pipelines_json(b.pipelines, *costs_)}};
  }
  if (request_.baselines)
    baselines["ideal"] = {{"iteration_ms", costs_->ideal_ms()}, {"max_min_latency", 1.0}};
  out["baselines"] = std::move(baselines);
  out["search"] = {{"configurations", counts_.configurations},
                   {"evaluated", counts_.evaluated},
                   {"templates", counts_.templates},
                   {"forms", counts_.forms}};
  if (seconds) out["search"]["seconds"] = *seconds;
  return json_text(out, indent);
}

}  // namespace sluice

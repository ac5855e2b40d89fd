#include "api/planning.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/draft.hpp"
#include "base/stable_order.hpp"
#include "io/presets.hpp"
#include "io/print_scenario.hpp"

namespace sluice {
namespace {

/// How each baseline differs from the planner.
struct BaselineRules {
  const char* name;
  const char* doc;
  HppRules costs;
  hpp::TemplateOptions pipelines;
  bool single = false;
  bool one_type = false;
  bool equal_shares = false;
};

constexpr BaselineRules kBaselines[] = {
    {kBaselineNames[0],
     "one pipeline, equal layers, one tensor and data size for all, whole layers made again or "
     "none",
     {.recompute = true, .bounded = true, .full_only = true},
     {.fill = hpp::Fill::Uniform, .uniform_stages = true},
     true},
    {kBaselineNames[1],
     "one pipeline, layers balanced within memory, nothing made again: the best there is of these",
     {.recompute = false},
     {},
     true},
    {kBaselineNames[2],
     "the same if memory were no limit",
     {.recompute = false, .bounded = false},
     {},
     true},
    {kBaselineNames[3],
     "layers by memory, equal shares of the batch, nothing made again",
     {.recompute = false},
     {.fill = hpp::Fill::ByMemory, .uniform_stages = false},
     false,
     false,
     true},
    {kBaselineNames[4], "each pipeline on one type of device", {}, {}, false, true},
};

// The costs must outlive it.
hpp::Planner::SyncMs sync_of(const HppCosts& costs) {
  return [&costs](const std::vector<hpp::PlannedPipeline>& pipelines) {
    return costs.behind_ms(pipelines, costs.plan().gradient_sync);
  };
}

// When a device has done its last operation of a microbatch.
double last_backward_ms(const Run& run, std::size_t device) {
  const Trace& t = run.trace();
  std::int64_t last = 0;
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.resource[row] == device && t.per_microbatch(row)) last = std::max(last, t.end[row]);
  }
  return to_ms(Time{last});
}

double spread(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return (*high - *low) / (sum / static_cast<double>(values.size()));
}

}  // namespace

PlanSpread spread_of(const hpp::HppPlan& plan) {
  PlanSpread out;
  double samples = 0;
  double fastest = plan.pipelines.front().pipeline.bottleneck_ms;
  double slowest = 0;
  std::vector<double> ends;
  for (const hpp::PlannedPipeline& p : plan.pipelines)
    samples += static_cast<double>(p.microbatches * p.pipeline.micro_batch);
  for (const hpp::PlannedPipeline& p : plan.pipelines) {
    std::vector<double> own;
    for (const hpp::PipelineStage& s : p.pipeline.stages) own.push_back(s.ms);
    fastest = std::min(fastest, *std::min_element(own.begin(), own.end()));
    slowest = std::max(slowest, p.pipeline.bottleneck_ms);
    out.within +=
        static_cast<double>(p.microbatches * p.pipeline.micro_batch) / samples * spread(own);
    ends.push_back(p.pipeline.time_ms(p.microbatches));
  }
  out.max_min_latency = slowest / fastest;
  out.between = spread(ends);
  return out;
}

Planning::Planning(Scenario scenario, const Presets& presets, PlanningRequest request,
                   HppCosts costs)
    : scenario_(std::move(scenario)),
      presets_(presets),
      request_(request),
      costs_(std::make_unique<HppCosts>(std::move(costs))),
      problem_(std::make_unique<hpp::Problem>(
          costs_->problem({.recompute = scenario_.plan->recompute}))) {
  hpp::PlannerOptions options;
  options.cache = request.cache;
  options.skip = request.skip;
  options.order = request.order;
  options.fast_fill = request.fast_fill;
  options.tolerance = scenario_.plan->tolerance;
  options.keep = request.keep;
  planner_ = std::make_unique<hpp::Planner>(*problem_, options, sync_of(*costs_));
}

Result<Planning> Planning::make(std::string_view text, const std::vector<Setting>& settings,
                                PlanningRequest request) {
  const Result<Draft> draft = Draft::make(text, settings);
  if (!draft) return draft.diagnostics();
  Result<ReadScenario> read = draft.value().read();
  if (!read) return read.diagnostics();
  Result<Planning> made = make(read.value().scenario, load_presets(), request);
  if (made) return made;
  Diagnostics problems = made.diagnostics();
  read.value().places.locate(problems);
  settle(problems);
  return problems;
}

Result<Planning> Planning::make(const Scenario& scenario, const Presets& presets,
                                PlanningRequest request) {
  Result<HppCosts> costs = HppCosts::make(scenario, presets);
  if (!costs) return costs.diagnostics();
  return Planning(scenario, presets, request, std::move(costs).value());
}

std::uint64_t Planning::total() const {
  std::uint64_t all = done_ + 1;
  if (planner_) all += planner_->total() - planner_->done();
  return all;
}

std::size_t Planning::part() const {
  if (!planner_) return 1 + std::size(kBaselines);
  return own_planner_ ? 1 + baseline_ : 0;
}

void Planning::enough() {
  if (!planner_) return;
  ended_early_ = true;
  if (!own_planner_) take_own();
  planner_.reset();
  problem_.reset();
}

const hpp::HppPlan* Planning::best() const {
  const hpp::Planner* own = own_planner_ ? own_planner_.get() : planner_.get();
  return own == nullptr || own->plans().empty() ? nullptr : &own->plans().front();
}

bool Planning::step(std::uint64_t units) {
  for (; units > 0; --units) {
    if (search_step()) return true;
    ++done_;
  }
  return false;
}

bool Planning::search_step() {
  if (planner_) {
    if (!planner_->step(1)) return false;
    if (!own_planner_) {
      take_own();
    } else {
      end_baseline();
    }
    begin_baseline();
    return false;
  }
  const std::vector<hpp::HppPlan>& found = own_planner_->plans();
  if (played_ < found.size()) {
    play(found[played_++]);
    return false;
  }
  sort_stably(plans_, [](const PlayedPlan& a, const PlayedPlan& b) {
    return a.fits != b.fits ? a.fits : a.ms < b.ms;
  });
  return true;
}

// The search itself is over; its times are still asked for.
void Planning::take_own() {
  counts_ = planner_->counts();
  own_problem_ = std::move(problem_);
  own_planner_ = std::move(planner_);
}

void Planning::begin_baseline() {
  planner_.reset();
  problem_.reset();
  if (!request_.baselines || baseline_ == std::size(kBaselines)) return;
  const BaselineRules& b = kBaselines[baseline_];
  HppRules rules = b.costs;
  rules.recompute = rules.recompute && scenario_.plan->recompute;
  problem_ = std::make_unique<hpp::Problem>(costs_->problem(rules));
  hpp::PlannerOptions options;
  options.keep = 1;
  options.pipelines = b.pipelines;
  options.single = b.single;
  options.one_type = b.one_type;
  options.equal_shares = b.equal_shares;
  planner_ = std::make_unique<hpp::Planner>(*problem_, options, sync_of(*costs_));
}

void Planning::end_baseline() {
  PlanBaseline out;
  out.name = kBaselines[baseline_].name;
  out.doc = kBaselines[baseline_].doc;
  if (!planner_->plans().empty()) {
    out.plan = planner_->plans().front();
    out.ms = out.plan.ms;
    out.max_min_latency = spread_of(out.plan).max_min_latency;
    out.pipelines = pipelines_of(out.plan, *problem_, planner_->times());
    out.fits = true;
    for (const PlayedPipeline& p : out.pipelines) {
      for (const PlannedStage& s : p.stages) {
        // Both sides were rounded.
        out.fits = out.fits && s.peak.value <= s.room.value + 2;
      }
    }
  }
  baselines_.push_back(std::move(out));
  ++baseline_;
}

// As the closed form has them: what the engine finds takes the place of times and peaks.
std::vector<PlayedPipeline> Planning::pipelines_of(const hpp::HppPlan& plan,
                                                   const hpp::Problem& problem,
                                                   hpp::StageTimes& times) const {
  std::vector<PlayedPipeline> out;
  for (const hpp::PlannedPipeline& planned : plan.pipelines) {
    PlayedPipeline p;
    p.planned = planned;
    p.stages = stages_of(planned, problem, times);
    p.analytic_ms = p.ms = planned.pipeline.time_ms(planned.microbatches);
    out.push_back(std::move(p));
  }
  return out;
}

std::vector<PlannedStage> Planning::stages_of(const hpp::PlannedPipeline& planned,
                                              const hpp::Problem& problem,
                                              hpp::StageTimes& times) const {
  std::vector<PlannedStage> out;
  const hpp::Pipeline& p = planned.pipeline;
  const auto all = static_cast<int>(p.stages.size());
  // As many as the planner counted with: the batch is divided afterwards.
  const auto most = static_cast<int>(
      std::min<std::int64_t>(problem.layers, problem.global_batch / p.micro_batch));
  for (int s = 0; s < all; ++s) {
    PlannedStage stage;
    stage.stage = p.stages[static_cast<std::size_t>(s)];
    const hpp::StageFigures& figures =
        times.figures(stage.stage.shape, p.micro_batch, s == 0, s + 1 == all);
    const hpp::StageTime time = hpp::stage_time(
        figures, stage.stage.layers, std::min(all - s, most), problem.recompute, problem.bounded);
    stage.mix = time.mix;
    stage.ms = time.ms;
    const auto in_flight = static_cast<int>(std::min<std::int64_t>(all - s, planned.microbatches));
    stage.predicted =
        bytes_from(hpp::stage_bytes(figures, stage.stage.layers, in_flight, time.mix));
    // What is kept in reserve is held as well.
    stage.room = costs_->device(stage.stage.shape.type).memory_capacity;
    stage.peak =
        bytes_from(static_cast<double>(stage.predicted.value) +
                   scenario_.hardware.memory_reserve * static_cast<double>(stage.room.value));
    stage.recompute = time.mix.level == figures.whole
                          ? Recompute(Recompute::Full)
                          : costs_->recompute(stage.stage.shape, p.micro_batch, time.mix);
    out.push_back(std::move(stage));
  }
  return out;
}

void Planning::play(const hpp::HppPlan& plan) {
  PlayedPlan out;
  out.analytic_ms = plan.ms;
  out.pipelines = pipelines_of(plan, *own_problem_, own_planner_->times());
  const Result<std::shared_ptr<const Run>> run =
      simulate({scenario_of(plan, out.pipelines), {}, {}}, presets_);
  if (!run) {
    // More operations than one run may have.
    refused_ = run.diagnostics().front().message;
    return;
  }
  out.run = run.value();
  const Summary& s = out.run->summary();
  out.ms = to_ms(s.makespan);
  out.fits = s.fits;
  std::size_t device = 0;
  double last = 0;
  for (PlayedPipeline& p : out.pipelines) {
    p.ms = 0;
    for (PlannedStage& stage : p.stages) {
      p.ms = std::max(p.ms, last_backward_ms(*out.run, device));
      stage.peak = s.peak_memory[device++];
    }
    last = std::max(last, p.ms);
  }
  out.behind_ms = out.ms - last;
  out.spread = spread_of(plan);
  plans_.push_back(std::move(out));
}

Scenario Planning::scenario_of(const hpp::HppPlan& plan,
                               const std::vector<PlayedPipeline>& pipelines) const {
  std::vector<std::vector<hpp::LayerMix>> mixes;
  for (const PlayedPipeline& p : pipelines) {
    mixes.emplace_back();
    for (const PlannedStage& s : p.stages) mixes.back().push_back(s.mix);
  }
  Scenario out = costs_->scenario_of(plan.pipelines, mixes);
  // Under rules of its own a mix may mean something else.
  for (std::size_t p = 0; p < pipelines.size(); ++p) {
    for (std::size_t s = 0; s < pipelines[p].stages.size(); ++s)
      out.pipelines[p].pipeline.stages[s].recompute = pipelines[p].stages[s].recompute;
  }
  return out;
}

std::string Planning::plan_yaml(std::size_t index) const {
  return index < plans_.size() ? print_scenario(plans_[index].run->loaded().scenario) : "";
}

std::string Planning::plan_yaml(std::string_view baseline) const {
  for (const PlanBaseline& b : baselines_) {
    if (b.name == baseline && b.ms) return print_scenario(scenario_of(b.plan, b.pipelines));
  }
  return "";
}

std::string Planning::why_nothing() const {
  if (!plans_.empty()) return "";
  if (best() == nullptr && ended_early_) return "the search was ended before it found a plan";
  if (best() != nullptr) return "the plan cannot be played: " + refused_;
  return "no pipeline over these nodes holds the model within memory";
}

}  // namespace sluice

#include "api/tune.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/draft.hpp"
#include "api/other_schedule.hpp"
#include "io/json.hpp"
#include "io/megatron_layout.hpp"
#include "io/presets.hpp"
#include "io/print_scenario.hpp"
#include "metrics/bound.hpp"
#include "schedule/registry.hpp"
#include "search/bounds.hpp"
#include "search/channels.hpp"

namespace sluice {
namespace {

constexpr const char* kPlain = "1f1b";
/// Share of the tuner's evaluations that each single axis gets.
constexpr std::uint64_t kAxisShare = 10;

TunedCandidate result_of(std::string name, const Run& run) {
  TunedCandidate out;
  out.name = std::move(name);
  const Summary& s = run.summary();
  out.makespan = s.makespan;
  for (std::size_t d = 0; d < s.peak_memory.size(); ++d) {
    if (s.holds_stages[d]) out.peak_memory = std::max(out.peak_memory, s.peak_memory[d]);
  }
  out.fits = s.fits;
  return out;
}

// "tuned" where its own order won; else the known schedule that was put on its layout, or improved.
std::string name_of(const FoundPlan& plan) {
  const bool own = plan.origin.starts_with("list");
  std::string schedule = plan.origin;
  if (schedule.ends_with("+")) schedule.pop_back();
  return own ? "tuned" : "tuned " + schedule;
}

Axes single(int axis) {
  return {.partition = axis == 0, .placement = axis == 1, .schedule = axis == 2};
}

Json candidate_json(const TunedCandidate& c) {
  Json out{{"name", c.name}};
  if (!c.reason.empty()) {
    out["makespan_ms"] = nullptr;
    out["fits"] = false;
    out["reason"] = c.reason;
    return out;
  }
  out["makespan_ms"] = to_ms(c.makespan);
  out["peak_memory"] = c.peak_memory.value;
  out["fits"] = c.fits;
  return out;
}

}  // namespace

std::optional<Axes> axes_of(const std::vector<std::string>& names) {
  Axes out{.partition = false, .placement = false, .schedule = false};
  for (const std::string& name : names) {
    if (name != "partition" && name != "placement" && name != "schedule") return std::nullopt;
    out.partition = out.partition || name == "partition";
    out.placement = out.placement || name == "placement";
    out.schedule = out.schedule || name == "schedule";
  }
  return out;
}

Scenario with_plan(Scenario scenario, const FoundPlan& plan) {
  PipelineSection& p = scenario.pipeline;
  OrderText text;
  for (int r = 0; r < plan.order.ranks(); ++r) text.order.push_back(rank_text(plan.order, r));
  const Placement& placement = plan.order.placement;
  for (int pipe = 0; pipe < placement.pipes; ++pipe) {
    std::vector<std::int64_t> ranks;
    for (int s = 0; s < placement.stages(); ++s)
      ranks.push_back(placement.rank_of(pipe * placement.stages() + s));
    text.placement.emplace_back(pipe_name(pipe), std::move(ranks));
  }
  p.schedule = {};
  p.schedule.order = std::move(text);
  if (plan.layout.cuts.empty()) return scenario;
  for (StageSpec& s : p.stages) {
    s.layers = 0;
    s.chunk_layers.clear();
  }
  for (std::size_t s = 0; s < plan.layout.stages(); ++s) {
    StageSpec& entry = p.stages[plan.layout.rank_of_stage[s]];
    const std::int64_t layers = plan.layout.cuts[s + 1] - plan.layout.cuts[s];
    entry.layers = *entry.layers + layers;
    entry.chunk_layers.push_back(layers);
  }
  for (StageSpec& s : p.stages) {
    if (s.chunk_layers.size() == 1) s.chunk_layers.clear();
  }
  return scenario;
}

std::string plan_yaml(const TunedPlan& plan) {
  const Run& run = *plan.run;
  Scenario scenario = run.loaded().scenario;
  // What was expected was expected of another plan.
  scenario.expect.clear();
  // A known schedule's order is written out too: the plan means the same whatever becomes of names.
  if (const std::optional<Order>& order = run.program().plan.order)
    scenario = with_plan(std::move(scenario),
                         {.layout = {}, .order = *order, .makespan = 0, .origin = {}});
  return print_scenario(scenario);
}

std::optional<std::string> megatron_layout(const Run& run) {
  const PipelineSection& p = run.loaded().scenario.pipeline;
  const Placement& placement = run.program().plan.placement;
  if (!p.model || !layers_move(run.loaded().scenario) || placement.pipes != 1 ||
      placement != loop_placement(placement.ranks, placement.chunks()))
    return std::nullopt;
  std::vector<StageLayout> stages(static_cast<std::size_t>(placement.stages()));
  std::vector<std::int64_t> seen(p.stages.size(), 0);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::size_t rank = placement.rank_of_stage[s];
    const StageSpec& entry = p.stages[rank];
    const std::int64_t part = seen[rank]++;
    std::int64_t layers = 0;
    if (entry.chunk_layers.empty()) {
      const std::int64_t chunks = placement.chunks();
      layers = *entry.layers / chunks + (part < *entry.layers % chunks ? 1 : 0);
    } else {
      layers = entry.chunk_layers[static_cast<std::size_t>(part)];
    }
    stages[s].layers = static_cast<int>(layers);
    stages[s].embedding = s == 0;
    stages[s].loss = s + 1 == stages.size();
  }
  return layout_text(stages);
}

Tuning::Tuning(TuneRequest request, ReadScenario read, const Presets& presets, Loaded base)
    : request_(std::move(request)),
      read_(std::move(read)),
      presets_(presets),
      base_(std::make_unique<Loaded>(std::move(base))) {
  if (is_adaptive(read_.scenario.pipeline.schedule)) phase_ = Phase::Known;
  if (!request_.schedules.empty()) return;
  if (!request_.axes.schedule) {
    request_.schedules = {kPlain};
    return;
  }
  const bool hops = base_->scenario.simulation.options.policies == Policies::Hops;
  for (const ScheduleInfo& info : all_schedules()) {
    if (!info.synchronous || info.name == kAdaptive) continue;
    if (hops || !info.name.starts_with("hops/")) request_.schedules.emplace_back(info.name);
  }
}

Result<Tuning> Tuning::make(std::string_view text, const std::vector<Setting>& settings,
                            TuneRequest request) {
  const Result<Draft> draft = Draft::make(text, settings);
  if (!draft) return draft.diagnostics();
  Result<ReadScenario> read = draft.value().read();
  if (!read) return read.diagnostics();
  return make(std::move(read).value(), load_presets(), std::move(request));
}

Result<Tuning> Tuning::make(ReadScenario read, const Presets& presets, TuneRequest request) {
  Diagnostics several = check_one_pipeline(read.scenario);
  if (!several.empty()) {
    read.places.locate(several);
    return several;
  }
  ReadScenario possible = read;
  put_schedule(possible.scenario, kAlwaysPossible);
  Result<Loaded> loaded = prepare(possible, presets);
  if (!loaded) return loaded.diagnostics();
  Tuning out(std::move(request), std::move(read), presets, std::move(loaded).value());
  Result<Instance> instance = make_instance(*out.base_, presets, out.request_.axes.partition);
  if (!instance) return instance.diagnostics();
  out.instance_ = std::make_unique<Instance>(std::move(instance).value());
  return out;
}

std::uint64_t Tuning::total() const {
  const std::uint64_t axes =
      request_.ablation && instance_->movable ? 3 * (request_.evaluations / kAxisShare) : 0;
  return 1 + request_.schedules.size() + axes + request_.evaluations;
}

bool Tuning::step(std::uint64_t evaluations) {
  for (std::uint64_t i = 0; i < evaluations && phase_ != Phase::Over; ++i) {
    ++done_;
    switch (phase_) {
      case Phase::Written:
        as_written();
        break;
      case Phase::Known:
        known_one();
        break;
      case Phase::Axes:
        axis_step();
        break;
      case Phase::Tune:
        tune_step();
        break;
      case Phase::Judge:
        judge_one();
        break;
      case Phase::Over:
        break;
    }
  }
  return phase_ == Phase::Over;
}

// Whatever its schedule is, with parameters or as an explicit order: no plan may be worse.
void Tuning::as_written() {
  if (const auto run = play(read_.scenario)) {
    consider({result_of(kAsWritten, *run.value()), run.value()});
  } else {
    refuse(kAsWritten, run.diagnostics().front().message);
  }
  phase_ = Phase::Known;
}

void Tuning::known_one() {
  const std::string& name = request_.schedules[name_];
  Scenario scenario = read_.scenario;
  put_schedule(scenario, name);
  const Result<std::shared_ptr<const Run>> run = play(std::move(scenario));
  if (!run) {
    refuse(name, run.diagnostics().front().message);
  } else if (!request_.axes.placement &&
             run.value()->program().plan.placement != base_->program.plan.placement) {
    refuse(name, name + ": another placement of stages, which may not change");
  } else {
    consider({result_of(name, *run.value()), run.value()});
  }
  if (++name_ < request_.schedules.size()) return;
  // What no plan can beat needs no search. Where durations are drawn the bound is no bound.
  if (best_ && best_->run->summary().lower_bound && best_->result.makespan == lower_bound()) {
    phase_ = Phase::Over;
    return;
  }
  if (request_.ablation && instance_->movable) {
    begin_axes();
  } else {
    begin_tuner();
  }
}

void Tuning::refuse(std::string name, std::string reason) {
  TunedCandidate refused;
  refused.name = std::move(name);
  refused.reason = std::move(reason);
  candidates_.push_back(std::move(refused));
}

void Tuning::consider(TunedPlan plan) {
  slices_ = std::max(slices_, plan.run->program().plan.slices());
  candidates_.push_back(plan.result);
  if (!plan.result.fits) return;
  if (best_ && best_->result.makespan <= plan.result.makespan) return;
  best_ = std::move(plan);
  ++version_;
}

void Tuning::begin_axes() {
  phase_ = Phase::Axes;
  if (tuner_) version_ += tuner_->version();
  constexpr const char* kNames[] = {"partition", "placement", "schedule"};
  axes_.push_back({kNames[axis_], std::nullopt});
  tuner_ = std::make_unique<Tuner>(*instance_,
                                   TunerRequest{.seed = request_.seed,
                                                .evaluations = request_.evaluations / kAxisShare,
                                                .axes = single(static_cast<int>(axis_)),
                                                .chunks = TunerRequest{}.chunks,
                                                .seeds = {}});
}

void Tuning::axis_step() {
  if (!tuner_->step(1)) return;
  if (const auto& best = tuner_->best()) {
    axis_layouts_.push_back(best->layout);
    axis_of_finalist_.push_back(axis_);
    finalists_.push_back(*best);
  }
  if (++axis_ < 3) {
    begin_axes();
  } else {
    begin_tuner();
  }
}

void Tuning::begin_tuner() {
  phase_ = Phase::Tune;
  if (tuner_) version_ += tuner_->version();
  tuner_ = std::make_unique<Tuner>(*instance_, TunerRequest{.seed = request_.seed,
                                                            .evaluations = request_.evaluations,
                                                            .axes = request_.axes,
                                                            .chunks = TunerRequest{}.chunks,
                                                            .seeds = axis_layouts_});
}

void Tuning::tune_step() {
  if (!tuner_->step(1)) return;
  std::vector<FoundPlan> found = tuner_->finalists();
  if (tuner_->best()) found.insert(found.begin(), *tuner_->best());
  for (FoundPlan& plan : found) {
    const auto same = [&](const FoundPlan& other) {
      return other.order == plan.order && other.layout == plan.layout;
    };
    if (std::none_of(finalists_.begin(), finalists_.end(), same))
      finalists_.push_back(std::move(plan));
  }
  phase_ = finalists_.empty() ? Phase::Over : Phase::Judge;
}

void Tuning::judge_one() {
  if (std::optional<TunedPlan> plan = judged(finalists_[finalist_])) {
    if (finalist_ < axis_of_finalist_.size()) {
      AxisResult& axis = axes_[axis_of_finalist_[finalist_]];
      axis.makespan = plan->result.makespan;
      plan->result.name = std::string(axis.name) + " alone";
    }
    consider(std::move(*plan));
  }
  if (++finalist_ == finalists_.size()) phase_ = Phase::Over;
}

std::optional<TunedPlan> Tuning::judged(const FoundPlan& plan) const {
  const Result<std::shared_ptr<const Run>> run = play(with_plan(base_->scenario, plan));
  if (!run) return std::nullopt;
  return TunedPlan{result_of(name_of(plan), *run.value()), run.value()};
}

std::optional<TunedPlan> Tuning::best_so_far() const {
  if (phase_ != Phase::Axes && phase_ != Phase::Tune) return best_;
  if (!tuner_->best()) return best_;
  std::optional<TunedPlan> found = judged(*tuner_->best());
  const bool better =
      found && found->result.fits && (!best_ || found->result.makespan < best_->result.makespan);
  return better ? found : best_;
}

Result<std::shared_ptr<const Run>> Tuning::play(Scenario scenario) const {
  return simulate({std::move(scenario), read_.places, {}}, presets_);
}

Duration Tuning::lower_bound() const {
  const InstanceBounds b = bounds_of(*instance_);
  const SimulationSection& s = base_->scenario.simulation;
  const Duration each{b.work};
  // Slices of a microbatch follow one another through the layers.
  const Duration way{b.chain / slices_};
  return s.step_barrier ? max(each, way) * s.batches : max(each * s.batches, way);
}

Duration Tuning::whole_layers_bound() const {
  const Duration each{bounds_of(*instance_).layers};
  return max(lower_bound(), each * base_->scenario.simulation.batches);
}

const char* Tuning::binding() const {
  const InstanceBounds b = bounds_of(*instance_);
  return b.work >= b.chain ? "work" : "chain";
}

Result<AdaptiveChoice> Tuning::choice() const {
  if (best_) {
    const Run& run = *best_->run;
    const ScheduleChoice& schedule = run.loaded().scenario.pipeline.schedule;
    return AdaptiveChoice{schedule, schedule.order ? "search" : best_->result.name};
  }
  const TunedCandidate* least = nullptr;
  for (const TunedCandidate& c : candidates_) {
    if (!c.reason.empty()) continue;
    if (least == nullptr || c.peak_memory < least->peak_memory) least = &c;
  }
  if (least != nullptr)
    return AdaptiveChoice{{.name = least->name, .parameters = {}, .policy = {}, .order = {}},
                          least->name};
  return error(Code::ScheduleConstraint, "pipeline.schedule",
               "adaptive: no schedule can run here: " + candidates_.front().reason);
}

std::string Tuning::json(int indent, std::optional<double> seconds) const {
  Json out;
  if (best_) {
    Json best = candidate_json(best_->result);
    const std::optional<double> gap = gap_pct(best_->result.makespan, lower_bound());
    best["above_bound_pct"] = gap ? Json(*gap) : Json(nullptr);
    best["plan"] = plan_yaml();
    const Plan& plan = best_->run->program().plan;
    best["buffers"] = plan.order ? Json(buffers_needed(*plan.order)) : Json(nullptr);
    const std::optional<std::string> layout = megatron_layout(*best_->run);
    best["megatron_layout"] = layout ? Json(*layout) : Json(nullptr);
    out["best"] = std::move(best);
  } else {
    out["best"] = nullptr;
  }
  Json list = Json::array();
  for (const TunedCandidate& c : candidates_) list.push_back(candidate_json(c));
  out["candidates"] = std::move(list);
  if (!axes_.empty()) {
    Json axes = Json::object();
    for (const AxisResult& a : axes_)
      axes[a.name] = a.makespan ? Json(to_ms(*a.makespan)) : Json(nullptr);
    out["single_axis_makespan_ms"] = std::move(axes);
  }
  out["lower_bound_ms"] = to_ms(lower_bound());
  out["binding"] = binding();
  out["whole_layers_bound_ms"] = to_ms(whole_layers_bound());
  out["evaluations"] = done_;
  if (seconds) out["seconds"] = *seconds;
  return json_text(out, indent);
}

}  // namespace sluice

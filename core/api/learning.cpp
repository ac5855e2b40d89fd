#include "api/learning.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/other_schedule.hpp"
#include "api/run.hpp"
#include "engine/own_updates.hpp"

namespace sluice {
namespace {

constexpr int kMostSeeds = 100;
constexpr std::uint32_t kMostMicrobatches = 1'000'000;

struct ModelWord {
  std::string_view word;
  learn::ModelKind kind;
};
constexpr ModelWord kModels[] = {{"mlp", learn::ModelKind::CharMlp},
                                 {"transformer", learn::ModelKind::Transformer},
                                 {"linear", learn::ModelKind::Linear}};
struct OptimizerWord {
  std::string_view word;
  learn::OptimizerKind kind;
  double rate;
};
constexpr OptimizerWord kOptimizers[] = {{"sgd", learn::OptimizerKind::Sgd, 0.1},
                                         {"momentum", learn::OptimizerKind::Momentum, 0.02},
                                         {"adamw", learn::OptimizerKind::AdamW, 0.003},
                                         {"nadam", learn::OptimizerKind::NAdam, 0.003},
                                         {"muon", learn::OptimizerKind::Muon, 0.02}};

std::vector<Setting> with_schedule(std::vector<Setting> settings, const std::string& schedule,
                                   std::int64_t batches) {
  if (!schedule.empty()) settings.push_back({"pipeline.schedule", schedule});
  settings.push_back({"simulation.batches", std::to_string(batches)});
  return settings;
}

// A batch's weights for all: what a flush gives, whatever the schedule's own stages are.
VersionTable flushed(std::uint32_t stages, std::uint32_t microbatches, std::uint32_t per_update) {
  VersionTable table;
  table.stages = stages;
  table.microbatches = microbatches;
  for (std::uint32_t m = 0; m < microbatches; ++m)
    table.forward.insert(table.forward.end(), stages, m / per_update);
  table.backward = table.update = table.forward;
  return table;
}

void shorten(VersionTable& table, std::uint32_t microbatches) {
  table.microbatches = microbatches;
  const std::size_t entries = std::size_t{microbatches} * table.stages;
  for (auto* column : {&table.forward, &table.backward, &table.update}) column->resize(entries);
}

std::vector<std::int64_t> ends_of(const Trace& trace, std::uint32_t microbatches) {
  std::vector<std::int64_t> ends(microbatches, 0);
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    if (!trace.per_microbatch(row) || trace.resource[row] >= trace.devices) continue;
    const std::uint32_t unit = trace.unit_at(row);
    if (unit < microbatches) ends[unit] = std::max(ends[unit], trace.end[row]);
  }
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  return ends;
}

LearnArm arm_of(const Run& run, std::uint32_t stages, const LearnRequest& request) {
  const Plan& plan = run.program().plan;
  const auto per_batch = static_cast<std::uint32_t>(plan.microbatches);
  LearnArm arm;
  arm.schedule = plan.name;
  arm.synchronous = plan.synchronous;
  arm.weight_copies = plan.weight_copies;
  for (const auto& [name, values] : plan.parameters)
    arm.predicts = arm.predicts || (name == "prediction" && values.front() != 0);
  if (plan.synchronous) {
    const auto batches = static_cast<std::uint32_t>(
        std::max<std::int64_t>(1, run.program().updates ? run.program().accumulation_steps : 1));
    arm.microbatches_per_update = per_batch * batches;
    arm.table = flushed(stages, request.microbatches, arm.microbatches_per_update);
  } else {
    arm.microbatches_per_update = static_cast<std::uint32_t>(plan.order->microbatches_per_update);
    arm.table = versions_of(plan, plan.batches_in_order);
    shorten(arm.table, request.microbatches);
  }
  arm.rate_factor = std::min(
      1.0, static_cast<double>(arm.microbatches_per_update) / static_cast<double>(per_batch));
  arm.staleness = staleness_of(arm.table, plan);
  const std::vector<double>& busy = run.summary().rank_utilization;
  for (const double part : busy) arm.utilization += part / static_cast<double>(busy.size());
  for (const Bytes peak : run.summary().peak_memory)
    arm.peak_memory = std::max(arm.peak_memory, peak);
  for (const double held : run.summary().in_flight_until_weight)
    arm.peak_in_flight = std::max(arm.peak_in_flight, held);
  arm.summed = summed_bytes(run.program());
  arm.done_ps = ends_of(run.trace(), request.microbatches);
  return arm;
}

Diagnostics check_request(const LearnRequest& request) {
  Diagnostics out;
  const auto range = [&](bool holds, const char* path, const std::string& what) {
    if (!holds) out.push_back(error(Code::ValueRange, path, what));
  };
  range(request.seeds >= 1 && request.seeds <= kMostSeeds, "seeds",
        "seeds must be from 1 to " + std::to_string(kMostSeeds));
  range(request.microbatches >= 1 && request.microbatches <= kMostMicrobatches, "microbatches",
        "microbatches must be from 1 to " + std::to_string(kMostMicrobatches));
  range(request.test_every >= 1, "test_every", "test_every must be at least 1");
  for (const double rate : request.rates)
    range(rate > 0 && rate < 1e6, "rates", "a learning rate must be more than 0");
  return out;
}

learn::ModelSpec model_of(learn::ModelKind kind, std::uint32_t stages) {
  switch (kind) {
    case learn::ModelKind::Linear:
      return learn::linear_model(stages);
    case learn::ModelKind::Transformer:
      return learn::transformer_model(stages);
    default:
      return learn::char_mlp_model(stages);
  }
}

}  // namespace

std::optional<learn::ModelKind> learn_model(std::string_view word) {
  for (const ModelWord& m : kModels) {
    if (m.word == word) return m.kind;
  }
  return std::nullopt;
}

std::string_view learn_model_word(learn::ModelKind kind) {
  for (const ModelWord& m : kModels) {
    if (m.kind == kind) return m.word;
  }
  return "";
}

std::optional<learn::OptimizerSpec> learn_optimizer(std::string_view word) {
  for (const OptimizerWord& o : kOptimizers) {
    if (o.word != word) continue;
    learn::OptimizerSpec spec;
    spec.kind = o.kind;
    spec.rate = o.rate;
    return spec;
  }
  return std::nullopt;
}

double LearnArm::ms_per_microbatch() const {
  return done_ps.empty() ? 0 : to_ms(Time{done_ps.back()}) / static_cast<double>(done_ps.size());
}

int LearnedCase::diverged() const {
  return static_cast<int>(
      std::count_if(seeds.begin(), seeds.end(), [](const LearnedSeed& s) { return s.diverged; }));
}

std::optional<double> LearnedCase::mean() const {
  double sum = 0;
  int count = 0;
  for (const LearnedSeed& s : seeds) {
    if (!s.test_loss) continue;
    sum += *s.test_loss;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::optional<double> LearnedCase::sd() const {
  const std::optional<double> middle = mean();
  double squares = 0;
  int count = 0;
  for (const LearnedSeed& s : seeds) {
    if (!s.test_loss) continue;
    squares += (*s.test_loss - *middle) * (*s.test_loss - *middle);
    ++count;
  }
  if (count < 2) return std::nullopt;
  return std::sqrt(squares / (count - 1));
}

Learning::Learning(LearnRequest request, learn::ModelSpec model, std::vector<LearnArm> arms)
    : request_(std::move(request)), model_(model), arms_(std::move(arms)) {
  if (request_.rates.empty()) request_.rates.push_back(request_.optimizer.rate);
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (arms_[i].refused.empty()) able_.push_back(i);
  }
}

Result<Learning> Learning::make(std::string_view text, const std::vector<Setting>& settings,
                                LearnRequest request) {
  Diagnostics problems = check_request(request);
  if (!problems.empty()) return problems;
  const Result<Loaded> base = load_scenario(text, settings);
  if (!base) return base.diagnostics();
  problems = check_one_pipeline(base.value().scenario);
  if (!problems.empty()) return problems;
  const Program& program = base.value().program;
  const auto stages = static_cast<std::uint32_t>(program.plan.ranks());
  const std::int64_t per_batch = program.plan.microbatches;
  const std::int64_t batches = (request.microbatches + per_batch - 1) / per_batch;
  const learn::ModelSpec model = model_of(request.model, stages);
  problems = learn::check(model);
  if (problems.empty()) problems = learn::check(request.optimizer);
  if (!problems.empty()) return problems;
  std::vector<LearnArm> arms;
  std::vector<std::string> schedules{""};
  schedules.insert(schedules.end(), request.schedules.begin(), request.schedules.end());
  for (const std::string& schedule : schedules) {
    const auto run = simulate(text, with_schedule(settings, schedule, batches));
    if (!run && schedule.empty()) return run.diagnostics();
    LearnArm arm;
    if (run) {
      arm = arm_of(*run.value(), stages, request);
    } else {
      arm.refused = run.diagnostics().front().message;
    }
    if (!schedule.empty()) arm.schedule = schedule;
    arms.push_back(std::move(arm));
  }
  Learning job(std::move(request), model, std::move(arms));
  // What cannot be trained at all is said now, not in the middle.
  const Result<learn::Training> first = job.begin_run(0);
  if (!first) return first.diagnostics();
  return job;
}

std::uint64_t Learning::runs() const {
  return able_.size() * request_.rates.size() * static_cast<std::uint64_t>(request_.seeds);
}

std::uint64_t Learning::total() const {
  return runs() * request_.microbatches;
}

std::uint64_t Learning::done() const {
  return run_ * request_.microbatches + (training_ ? training_->done() : 0);
}

// Rates outermost, seeds innermost: what is there when it is stopped can be compared.
Result<learn::Training> Learning::begin_run(std::uint64_t run) const {
  const auto seeds = static_cast<std::uint64_t>(request_.seeds);
  const auto which = static_cast<std::size_t>(run / seeds);
  const LearnArm& arm = arms_[able_[which % able_.size()]];
  learn::ArmSpec spec;
  spec.model = model_;
  spec.optimizer = request_.optimizer;
  spec.optimizer.rate = request_.rates[which / able_.size()] * arm.rate_factor;
  spec.optimizer.vector_rate *= arm.rate_factor;
  spec.optimizer.predict = spec.optimizer.predict || arm.predicts;
  spec.seed = run % seeds + 1;
  spec.table = arm.table;
  spec.test_every = request_.test_every;
  return learn::Training::start(std::move(spec));
}

bool Learning::step(std::uint64_t microbatches) {
  while (run_ < runs() && microbatches > 0) {
    if (!training_) {
      Result<learn::Training> next = begin_run(run_);
      // Arms differ in their tables only, and those come from plans that were played.
      SLUICE_CHECK(next.ok());
      training_ = std::make_unique<learn::Training>(std::move(next).value());
    }
    const std::uint64_t before = training_->done();
    training_->step(static_cast<std::uint32_t>(
        std::min<std::uint64_t>(microbatches, request_.microbatches - before)));
    microbatches -= std::min(microbatches, std::max<std::uint64_t>(1, training_->done() - before));
    note();
    if (!training_->over()) continue;
    training_.reset();
    ++run_;
  }
  return run_ == runs();
}

// The run that is under way, as far as it is.
void Learning::note() {
  const auto seeds = static_cast<std::uint64_t>(request_.seeds);
  const auto which = static_cast<std::size_t>(run_ / seeds);
  if (cases_.size() == which)
    cases_.push_back({able_[which % able_.size()], request_.rates[which / able_.size()], {}});
  LearnedCase& one = cases_[which];
  if (one.seeds.size() == run_ % seeds) one.seeds.emplace_back().seed = run_ % seeds + 1;
  LearnedSeed& seed = one.seeds.back();
  if (!training_->over() && seed.curve.size() == training_->curve().size()) return;
  seed.curve = training_->curve();
  seed.diverged = training_->diverged();
  seed.test_loss = training_->test_loss();
  if (training_->over()) seed.weights_hash = training_->weights_hash();
}

std::optional<double> Learning::target() const {
  if (request_.target) return request_.target;
  std::optional<double> largest;
  for (const LearnedCase& one : cases_) {
    const std::optional<double> mean = one.mean();
    if (mean && one.diverged() == 0 && (!largest || *mean > *largest)) largest = mean;
  }
  return largest;
}

std::optional<Learning::Reached> Learning::reached(const LearnedCase& one, double target) const {
  if (one.seeds.empty() || one.diverged() > 0) return std::nullopt;
  std::size_t points = one.seeds.front().curve.size();
  for (const LearnedSeed& s : one.seeds) points = std::min(points, s.curve.size());
  const LearnArm& arm = arms_[one.arm];
  double before = 0;
  double before_at = 0;
  for (std::size_t i = 0; i < points; ++i) {
    double loss = 0;
    for (const LearnedSeed& s : one.seeds)
      loss += s.curve[i].test / static_cast<double>(one.seeds.size());
    const double at =
        static_cast<double>(one.seeds.front().curve[i].samples) / static_cast<double>(model_.batch);
    if (loss > target) {
      before = loss;
      before_at = at;
      continue;
    }
    const double part = i == 0 ? 1 : (before - target) / (before - loss);
    const double microbatches = before_at + part * (at - before_at);
    const auto last = static_cast<std::size_t>(std::ceil(microbatches)) - 1;
    return Reached{microbatches, to_ms(Time{arm.done_ps[std::min(last, arm.done_ps.size() - 1)]})};
  }
  return std::nullopt;
}

std::optional<double> Learning::stable_rate(std::size_t arm) const {
  std::optional<double> largest;
  for (const LearnedCase& one : cases_) {
    if (one.arm == arm && one.diverged() == 0 && (!largest || one.rate > *largest))
      largest = one.rate;
  }
  return largest;
}

}  // namespace sluice

// What the module with the search has beside the other's functions: `tune`, `plan` and `learn`.
// Names as in sluice.d.ts.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/learning.hpp"
#include "api/planning.hpp"
#include "api/tune.hpp"
#include "wasm/answers.hpp"

namespace {

using emscripten::val;
using sluice::wasm::refused;
using sluice::wasm::without_job;

class TuningHandle {
 public:
  explicit TuningHandle(sluice::Tuning tuning)
      : tuning_(std::make_unique<sluice::Tuning>(std::move(tuning))) {}

  val step(double evaluations) {
    const bool finished =
        tuning_->step(static_cast<std::uint64_t>(evaluations < 1 ? 1 : evaluations));
    val out = val::object();
    out.set("done", static_cast<double>(tuning_->done()));
    out.set("total", static_cast<double>(tuning_->total()));
    out.set("version", static_cast<double>(tuning_->version()));
    out.set("finished", finished);
    return out;
  }

  val best() {
    const std::optional<sluice::TunedPlan> plan = tuning_->best_so_far();
    if (!plan) return val::null();
    val out = val::object();
    out.set("name", plan->result.name);
    out.set("makespan_ms", sluice::to_ms(plan->result.makespan));
    out.set("plan", sluice::plan_yaml(*plan));
    return out;
  }

  std::string result() { return tuning_->json(-1, std::nullopt); }

 private:
  std::unique_ptr<sluice::Tuning> tuning_;
};

class PlanningHandle {
 public:
  explicit PlanningHandle(sluice::Planning planning)
      : planning_(std::make_unique<sluice::Planning>(std::move(planning))) {}

  val step(double units) {
    const bool finished = planning_->step(static_cast<std::uint64_t>(units < 1 ? 1 : units));
    val out = val::object();
    out.set("done", static_cast<double>(planning_->done()));
    out.set("total", static_cast<double>(planning_->total()));
    out.set("part", static_cast<double>(planning_->part()));
    if (const sluice::hpp::HppPlan* best = planning_->best()) out.set("best_ms", best->ms);
    out.set("finished", finished);
    return out;
  }

  void enough() { planning_->enough(); }
  std::string plan(const std::string& which) {
    // Three digits are more plans than are kept.
    const bool number = !which.empty() && which.size() <= 3 &&
                        which.find_first_not_of("0123456789") == std::string::npos;
    return number ? planning_->plan_yaml(static_cast<std::size_t>(std::stoul(which)))
                  : planning_->plan_yaml(which);
  }
  std::string result() { return planning_->json(-1, std::nullopt); }

 private:
  std::unique_ptr<sluice::Planning> planning_;
};

class LearningHandle {
 public:
  explicit LearningHandle(sluice::Learning learning)
      : learning_(std::make_unique<sluice::Learning>(std::move(learning))) {}

  val step(double microbatches) {
    const bool finished =
        learning_->step(static_cast<std::uint64_t>(microbatches < 1 ? 1 : microbatches));
    val out = val::object();
    out.set("done", static_cast<double>(learning_->done()));
    out.set("total", static_cast<double>(learning_->total()));
    out.set("finished", finished);
    return out;
  }
  std::string result() { return learning_->json(-1); }

 private:
  std::unique_ptr<sluice::Learning> learning_;
};

template <class T>
void read_count(const sluice::Json& options, const char* key, T& value) {
  // Numbers that no run could take are refused with the rest of the request.
  if (options.contains(key) && options[key].is_number_unsigned())
    value = static_cast<T>(std::min<std::uint64_t>(options[key].get<std::uint64_t>(), INT32_MAX));
}

sluice::LearnRequest learn_request(const sluice::Json& options) {
  sluice::LearnRequest request;
  const auto word = [&](const char* key) {
    return options.contains(key) && options[key].is_string() ? options[key].get<std::string>() : "";
  };
  if (const auto model = sluice::learn_model(word("model"))) request.model = *model;
  if (const auto optimizer = sluice::learn_optimizer(word("optimizer")))
    request.optimizer = *optimizer;
  read_count(options, "seeds", request.seeds);
  read_count(options, "microbatches", request.microbatches);
  read_count(options, "test_every", request.test_every);
  for (const char* key : {"schedules", "rates"}) {
    if (!options.contains(key) || !options[key].is_array()) continue;
    for (const sluice::Json& item : options[key]) {
      if (item.is_string()) request.schedules.push_back(item.get<std::string>());
      if (item.is_number()) request.rates.push_back(item.get<double>());
    }
  }
  return request;
}

val learn(const std::string& text, const std::string& options) {
  try {
    const sluice::wasm::Options wanted = sluice::wasm::parse_options(options);
    auto learning = sluice::Learning::make(text, wanted.settings,
                                           learn_request(sluice::wasm::options_json(options)));
    if (!learning) return without_job(refused(learning.diagnostics()));
    val out = val::object();
    out.set("ok", true);
    out.set("diagnostics", val::array());
    out.set("job", std::make_shared<LearningHandle>(std::move(learning).value()));
    return out;
  } catch (const std::exception& e) {
    return without_job(sluice::wasm::internal_error(e.what()));
  }
}

val plan(const std::string& text, const std::string& options) {
  try {
    const sluice::wasm::Options wanted = sluice::wasm::parse_options(options);
    auto planning = sluice::Planning::make(text, wanted.settings, {});
    if (!planning) return without_job(refused(planning.diagnostics()));
    val out = val::object();
    out.set("ok", true);
    out.set("diagnostics", val::array());
    out.set("job", std::make_shared<PlanningHandle>(std::move(planning).value()));
    return out;
  } catch (const std::exception& e) {
    return without_job(sluice::wasm::internal_error(e.what()));
  }
}

val tune(const std::string& text, const std::string& options) {
  try {
    const sluice::wasm::Options wanted = sluice::wasm::parse_options(options);
    const sluice::Json more = sluice::wasm::options_json(options);
    sluice::TuneRequest request;
    if (more.contains("evaluations") && more["evaluations"].is_number_unsigned())
      request.evaluations = more["evaluations"].get<std::uint64_t>();
    if (more.contains("axes") && more["axes"].is_array()) {
      std::vector<std::string> names;
      for (const sluice::Json& name : more["axes"])
        names.push_back(name.is_string() ? name.get<std::string>() : "");
      if (const auto axes = sluice::axes_of(names)) request.axes = *axes;
      request.ablation = request.axes == sluice::Axes{};
    }
    auto tuning = sluice::Tuning::make(text, wanted.settings, std::move(request));
    if (!tuning) return without_job(refused(tuning.diagnostics()));
    val out = val::object();
    out.set("ok", true);
    out.set("diagnostics", val::array());
    out.set("job", std::make_shared<TuningHandle>(std::move(tuning).value()));
    return out;
  } catch (const std::exception& e) {
    return without_job(sluice::wasm::internal_error(e.what()));
  }
}

}  // namespace

EMSCRIPTEN_BINDINGS(sluice_search) {
  emscripten::function("learn", &learn);
  emscripten::function("plan", &plan);
  emscripten::function("tune", &tune);
  emscripten::class_<PlanningHandle>("Planning")
      .smart_ptr<std::shared_ptr<PlanningHandle>>("Planning")
      .function("step", &PlanningHandle::step)
      .function("enough", &PlanningHandle::enough)
      .function("plan", &PlanningHandle::plan)
      .function("result", &PlanningHandle::result);
  emscripten::class_<LearningHandle>("Learning")
      .smart_ptr<std::shared_ptr<LearningHandle>>("Learning")
      .function("step", &LearningHandle::step)
      .function("result", &LearningHandle::result);
  emscripten::class_<TuningHandle>("Tuning")
      .smart_ptr<std::shared_ptr<TuningHandle>>("Tuning")
      .function("step", &TuningHandle::step)
      .function("best", &TuningHandle::best)
      .function("result", &TuningHandle::result);
}

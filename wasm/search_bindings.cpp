// What the module with the search has beside the other's functions: `tune` and `plan`. Names as in
// sluice.d.ts.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  emscripten::function("plan", &plan);
  emscripten::function("tune", &tune);
  emscripten::class_<PlanningHandle>("Planning")
      .smart_ptr<std::shared_ptr<PlanningHandle>>("Planning")
      .function("step", &PlanningHandle::step)
      .function("enough", &PlanningHandle::enough)
      .function("plan", &PlanningHandle::plan)
      .function("result", &PlanningHandle::result);
  emscripten::class_<TuningHandle>("Tuning")
      .smart_ptr<std::shared_ptr<TuningHandle>>("Tuning")
      .function("step", &TuningHandle::step)
      .function("best", &TuningHandle::best)
      .function("result", &TuningHandle::result);
}

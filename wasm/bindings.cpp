// The module's surface: functions over text, two owned handles, columns as views. Names as in
// sluice.d.ts. No exception leaves: a wrong scenario is `ok: false`, a broken invariant one
// diagnostic with code "internal".
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/compare.hpp"
#include "api/run.hpp"
#include "api/sweep.hpp"
#include "io/idle_json.hpp"
#include "io/json.hpp"
#include "io/memory_parts.hpp"
#include "io/presets.hpp"
#include "io/schedule_json.hpp"
#include "io/schema.hpp"
#include "io/summary_json.hpp"
#include "metrics/critical_path.hpp"
#include "metrics/memory.hpp"
#include "metrics/slack.hpp"
#include "metrics/versions.hpp"
#include "wasm/answers.hpp"

namespace {

using emscripten::val;
using sluice::wasm::diagnostics_value;
using sluice::wasm::internal_error;
using sluice::wasm::Options;
using sluice::wasm::parse_options;
using sluice::wasm::refused;
using sluice::wasm::without_job;

template <class T>
val view(const std::vector<T>& values) {
  return val(emscripten::typed_memory_view(values.size(), values.data()));
}
template <class T>
val view(const sluice::Column<T>& values) {
  return val(emscripten::typed_memory_view(values.size(), values.data()));
}

/// A played simulation, with those columns that are made for display.
class RunHandle {
 public:
  explicit RunHandle(std::shared_ptr<const sluice::Run> run) : run_(std::move(run)) {}

  std::string summary() { return run_->summary_json(idle(), -1); }
  [[nodiscard]] std::string plan() const { return run_->plan_json(); }
  [[nodiscard]] std::string resolved() const { return run_->resolved_yaml(); }
  [[nodiscard]] const sluice::Run& run() const { return *run_; }

  std::string gaps(std::uint32_t device, double from, double to) {
    // Of what is no number, or beyond any run, the nearest time that can be.
    const auto time = [](double ps) {
      const double most = static_cast<double>(sluice::kMaxRunTime.ps);
      return ps > 0 ? static_cast<std::int64_t>(ps < most ? ps : most) : std::int64_t{0};
    };
    return sluice::gaps_json(run_->program(), run_->trace(), idle(), device, time(from), time(to));
  }

  val path() {
    path_.clear();
    for (const sluice::WaitStep& step : sluice::critical_path(run_->trace(), idle()).steps) {
      if (step.under_way && (path_.empty() || path_.back() != step.row)) path_.push_back(step.row);
    }
    return view(path_);
  }

  val slack() {
    slack_.clear();
    for (const std::int64_t ps : sluice::slack(run_->program(), run_->trace(), idle()))
      slack_.push_back(static_cast<double>(ps));
    return view(slack_);
  }

  val memory(std::uint32_t device) {
    memory_.clear();
    const sluice::Trace& t = run_->trace();
    if (device >= t.devices) return view(memory_);
    for (const sluice::MemoryMoment& m :
         sluice::memory_timeline(run_->program(), run_->loaded().costs, t, device)) {
      memory_.push_back(static_cast<double>(m.ps));
      memory_.push_back(m.row);
      for (const sluice::PartField& part : sluice::kPartFields)
        memory_.push_back(static_cast<double>((m.parts.*part.bytes).value));
    }
    return view(memory_);
  }

  val columns() {
    const sluice::Trace& t = run_->trace();
    if (start_.size() != t.rows()) fill(t);
    val out = val::object();
    out.set("start", view(start_));
    out.set("end", view(end_));
    out.set("kind", view(t.kind));
    out.set("resource", view(t.resource));
    out.set("stage", view(stage_));
    out.set("microbatch", view(microbatch_));
    out.set("batch", view(batch_));
    out.set("slice", view(slice_));
    out.set("pipe", view(pipe_));
    out.set("predecessor", view(t.predecessor));
    if (version_forward_.empty()) return out;
    out.set("version_forward", view(version_forward_));
    out.set("version_backward", view(version_backward_));
    return out;
  }

 private:
  // All memory is taken before any view is made: growth would leave views behind.
  void fill(const sluice::Trace& t) {
    start_.resize(t.rows());
    end_.resize(t.rows());
    microbatch_.resize(t.rows());
    batch_.resize(t.rows());
    stage_.resize(t.rows());
    slice_.resize(t.rows());
    pipe_.resize(t.rows());
    fill_versions(t);
    for (std::size_t i = 0; i < t.rows(); ++i) {
      start_[i] = static_cast<double>(t.start[i]);
      end_[i] = static_cast<double>(t.end[i]);
      microbatch_[i] = t.microbatch_at(i);
      batch_[i] = t.batch_at(i);
      stage_[i] = t.model_stage_at(i);
      slice_[i] = static_cast<std::uint8_t>(t.slice_at(i));
      pipe_[i] = static_cast<std::uint8_t>(t.pipe_at(i));
    }
  }

  void fill_versions(const sluice::Trace& t) {
    const sluice::Plan& plan = run_->program().plan;
    if (plan.synchronous) return;
    const sluice::VersionTable table = sluice::versions_of(plan, plan.batches_in_order);
    version_forward_.assign(t.rows(), 0);
    version_backward_.assign(t.rows(), 0);
    for (std::size_t i = 0; i < t.rows(); ++i) {
      if (!t.per_microbatch(i)) continue;
      const std::size_t at = table.at(t.unit_at(i), t.model_stage_at(i));
      version_forward_[i] = static_cast<std::uint16_t>(table.forward[at]);
      version_backward_[i] = static_cast<std::uint16_t>(table.backward[at]);
    }
  }

  // Found when first asked for, with the summary or without.
  const sluice::IdleTime& idle() {
    if (!idle_) idle_ = std::make_unique<sluice::IdleTime>(run_->program(), run_->trace());
    return *idle_;
  }

  std::shared_ptr<const sluice::Run> run_;
  std::unique_ptr<sluice::IdleTime> idle_;
  std::vector<std::uint32_t> path_;
  std::vector<double> slack_;
  std::vector<double> memory_;
  std::vector<double> start_;
  std::vector<double> end_;
  std::vector<std::uint32_t> microbatch_;
  std::vector<std::uint32_t> batch_;
  std::vector<std::uint16_t> stage_;
  std::vector<std::uint8_t> slice_;
  std::vector<std::uint8_t> pipe_;
  /// Empty for a synchronous schedule.
  std::vector<std::uint16_t> version_forward_;
  std::vector<std::uint16_t> version_backward_;
};

/// Long work in steps: a simulation, a sweep or a comparison.
class JobHandle {
 public:
  explicit JobHandle(sluice::Loaded loaded)
      : simulation_(std::make_unique<sluice::Simulation>(std::move(loaded))) {}
  JobHandle(sluice::Sweep sweep, bool csv)
      : sweep_(std::make_unique<sluice::Sweep>(std::move(sweep))), csv_(csv) {}
  explicit JobHandle(sluice::Comparison comparison)
      : comparison_(std::make_unique<sluice::Comparison>(std::move(comparison))) {}

  val step(double units) {
    const auto count = static_cast<std::uint64_t>(units < 1 ? 1 : units);
    if (simulation_) return progress(*simulation_, simulation_->step(count), "");
    if (sweep_) {
      const bool finished = sweep_->step(count);
      return progress(*sweep_, finished, csv_ ? new_rows() : sweep_->json());
    }
    const bool finished = comparison_->step(count);
    return progress(*comparison_, finished, comparison_->json());
  }

  /// A Run, or for a simulation that could not finish {ok: false, diagnostics}; a sweep and a
  /// comparison answer their rows as JSON text.
  val result() {
    if (sweep_) return val(csv_ ? sweep_->csv() : sweep_->json());
    if (comparison_) return val(comparison_->json());
    auto outcome = simulation_->finish();
    if (outcome) return val(std::make_shared<RunHandle>(outcome.value()));
    val out = val::object();
    out.set("ok", false);
    out.set("diagnostics", diagnostics_value(outcome.diagnostics()));
    return out;
  }

 private:
  template <class Work>
  static val progress(const Work& work, bool finished, const std::string& partial) {
    val out = val::object();
    out.set("done", static_cast<double>(work.done()));
    out.set("total", static_cast<double>(work.total()));
    out.set("finished", finished);
    out.set("partial", partial);
    return out;
  }

  // The CSV since the last step.
  std::string new_rows() {
    const std::size_t from = std::exchange(told_, sweep_->csv().size());
    return sweep_->csv().substr(from);
  }

  std::unique_ptr<sluice::Simulation> simulation_;
  std::unique_ptr<sluice::Sweep> sweep_;
  bool csv_ = false;
  std::size_t told_ = 0;
  std::unique_ptr<sluice::Comparison> comparison_;
};

/// A scenario may name files to write; here there are none.
void say_output_is_ignored(sluice::Loaded& loaded) {
  if (loaded.scenario.output == sluice::OutputSection{}) return;
  sluice::Diagnostics note{
      sluice::info(sluice::Code::OutputIgnored, "output", "no files are written here; use Export")};
  loaded.places.locate(note);
  loaded.diagnostics.push_back(note.front());
  sluice::sort_by_place(loaded.diagnostics);
}

/// What the page may show before it runs.
void describe_loaded(val& out, const sluice::Loaded& l) {
  out.set("ok", true);
  out.set("diagnostics", diagnostics_value(l.diagnostics));
  out.set("events", static_cast<double>(l.program.rows_per_batch *
                                        static_cast<std::uint64_t>(l.program.simulation.batches)));
  out.set("title", l.title);
  out.set("schedule", l.program.plan.resolved);
  out.set("ranks", l.program.plan.ranks());
  out.set("microbatches", l.program.plan.microbatches);
}

val load(const std::string& text, const std::string& options) {
  try {
    auto loaded = sluice::load_scenario(text, parse_options(options).settings);
    if (!loaded) return refused(loaded.diagnostics());
    say_output_is_ignored(loaded.value());
    val out = val::object();
    describe_loaded(out, loaded.value());
    return out;
  } catch (const std::exception& e) {
    return internal_error(e.what());
  }
}

val make_job(const std::string& kind, const std::string& text, const std::string& options) {
  try {
    const Options wanted = parse_options(options);
    val out = val::object();
    if (kind == "sweep") {
      auto sweep = sluice::Sweep::make({text, wanted.settings, wanted.axes, wanted.seeds},
                                       wanted.first, wanted.last);
      if (!sweep) return without_job(refused(sweep.diagnostics()));
      out.set("job", std::make_shared<JobHandle>(std::move(sweep).value(), wanted.csv));
    } else if (kind == "compare") {
      auto comparison = sluice::Comparison::make(text, wanted.settings);
      if (!comparison) return without_job(refused(comparison.diagnostics()));
      out.set("job", std::make_shared<JobHandle>(std::move(comparison).value()));
    } else {
      auto loaded = sluice::load_scenario(text, wanted.settings);
      if (!loaded) return without_job(refused(loaded.diagnostics()));
      say_output_is_ignored(loaded.value());
      describe_loaded(out, loaded.value());
      out.set("job", std::make_shared<JobHandle>(std::move(loaded).value()));
      return out;
    }
    out.set("ok", true);
    out.set("diagnostics", val::array());
    return out;
  } catch (const std::exception& e) {
    return without_job(internal_error(e.what()));
  }
}

std::string export_run(const RunHandle& handle, const std::string& format) {
  const sluice::Run& run = handle.run();
  if (format == "summary_json") return run.summary_json();
  if (format == "trace_csv") return run.trace_csv();
  if (format == "chrome_trace") return run.chrome_trace();
  if (format == "svg") return run.timeline_svg();
  if (format.starts_with("svg:")) return run.timeline_svg(format.substr(4));
  return "";
}

val version() {
  val out = val::object();
  out.set("name", "sluice");
  out.set("version", std::string(sluice::engine_version()));
  out.set("engine_version", std::string(sluice::engine_version()));
  out.set("schema_version", sluice::kSchemaVersion);
  return out;
}

}  // namespace

EMSCRIPTEN_BINDINGS(sluice) {
  emscripten::function("version", &version);
  emscripten::function("presets", &sluice::presets_json);
  emscripten::function("schema", &sluice::scenario_schema);
  emscripten::function("schedules", &sluice::schedules_json);
  emscripten::function("order", &sluice::order_from_json);
  emscripten::function("load", &load);
  emscripten::function("job", &make_job);
  emscripten::function("export_run", &export_run);
  emscripten::class_<RunHandle>("Run")
      .smart_ptr<std::shared_ptr<RunHandle>>("Run")
      .function("summary", &RunHandle::summary)
      .function("columns", &RunHandle::columns)
      .function("gaps", &RunHandle::gaps)
      .function("path", &RunHandle::path)
      .function("slack", &RunHandle::slack)
      .function("memory", &RunHandle::memory)
      .function("plan", &RunHandle::plan)
      .function("resolved", &RunHandle::resolved);
  emscripten::class_<JobHandle>("Job")
      .smart_ptr<std::shared_ptr<JobHandle>>("Job")
      .function("step", &JobHandle::step)
      .function("result", &JobHandle::result);
}

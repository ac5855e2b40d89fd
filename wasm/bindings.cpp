// The module's surface: functions over text, two owned handles, columns as views. Names as in
// sluice.d.ts. No exception leaves: a wrong scenario is `ok: false`, a broken invariant one
// diagnostic with code "internal".
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "api/sweep.hpp"
#include "io/json.hpp"
#include "io/presets.hpp"
#include "io/schedule_json.hpp"
#include "io/schema.hpp"
#include "io/summary_json.hpp"

namespace {

using emscripten::val;
using sluice::Json;

template <class T>
val view(const std::vector<T>& values) {
  return val(emscripten::typed_memory_view(values.size(), values.data()));
}
template <class T>
val view(const sluice::Column<T>& values) {
  return val(emscripten::typed_memory_view(values.size(), values.data()));
}

val parsed(const std::string& json) {
  return val::global("JSON").call<val>("parse", json);
}
val diagnostics_value(const sluice::Diagnostics& diagnostics) {
  return parsed(sluice::json_text(sluice::diagnostics_to_json(diagnostics)));
}

val internal_error(const char* what) {
  return parsed(sluice::json_text(
      {{"ok", false},
       {"diagnostics",
        Json::array({{{"code", "internal"},
                      {"severity", "error"},
                      {"path", ""},
                      {"line", 0},
                      {"column", 0},
                      {"end_line", 0},
                      {"end_column", 0},
                      {"message", std::string("internal error: ") + what},
                      {"hint", "this is a bug in Sluice; please report it with the scenario"},
                      {"fix", ""}}})}}));
}

/// A played simulation, with those columns that are made for display.
class RunHandle {
 public:
  explicit RunHandle(std::shared_ptr<const sluice::Run> run) : run_(std::move(run)) {}

  [[nodiscard]] std::string summary() const { return run_->summary_json(-1); }
  [[nodiscard]] std::string plan() const { return run_->plan_json(); }
  [[nodiscard]] std::string resolved() const { return run_->resolved_yaml(); }
  [[nodiscard]] const sluice::Run& run() const { return *run_; }

  val columns() {
    const sluice::Trace& t = run_->trace();
    if (start_.size() != t.rows()) fill(t);
    val out = val::object();
    out.set("start", view(start_));
    out.set("end", view(end_));
    out.set("kind", view(t.kind));
    out.set("resource", view(t.resource));
    out.set("stage", view(t.stage));
    out.set("microbatch", view(microbatch_));
    out.set("batch", view(batch_));
    out.set("predecessor", view(t.predecessor));
    return out;
  }

 private:
  // All memory is taken before any view is made: growth would leave views behind.
  void fill(const sluice::Trace& t) {
    start_.resize(t.rows());
    end_.resize(t.rows());
    microbatch_.resize(t.rows());
    batch_.resize(t.rows());
    for (std::size_t i = 0; i < t.rows(); ++i) {
      start_[i] = static_cast<double>(t.start[i]);
      end_[i] = static_cast<double>(t.end[i]);
      microbatch_[i] = t.microbatch_at(i);
      batch_[i] = t.batch_at(i);
    }
  }

  std::shared_ptr<const sluice::Run> run_;
  std::vector<double> start_;
  std::vector<double> end_;
  std::vector<std::uint32_t> microbatch_;
  std::vector<std::uint32_t> batch_;
};

/// Long work in steps: a simulation or a sweep.
class JobHandle {
 public:
  explicit JobHandle(sluice::Loaded loaded)
      : simulation_(std::make_unique<sluice::Simulation>(std::move(loaded))) {}
  explicit JobHandle(sluice::Sweep sweep)
      : sweep_(std::make_unique<sluice::Sweep>(std::move(sweep))) {}

  val step(double units) {
    const auto count = static_cast<std::uint64_t>(units < 1 ? 1 : units);
    std::string partial;
    bool finished = false;
    if (simulation_) {
      finished = simulation_->step(count);
    } else {
      finished = sweep_->step(count);
      partial = sweep_->json();
    }
    val out = val::object();
    out.set("done", static_cast<double>(simulation_ ? simulation_->done() : sweep_->done()));
    out.set("total", static_cast<double>(simulation_ ? simulation_->total() : sweep_->total()));
    out.set("finished", finished);
    out.set("partial", partial);
    return out;
  }

  /// A Run, or for a simulation that could not finish {ok: false, diagnostics}; a sweep answers its
  /// rows as JSON text.
  val result() {
    if (sweep_) return val(sweep_->json());
    auto outcome = simulation_->finish();
    if (outcome) return val(std::make_shared<RunHandle>(outcome.value()));
    val out = val::object();
    out.set("ok", false);
    out.set("diagnostics", diagnostics_value(outcome.diagnostics()));
    return out;
  }

 private:
  std::unique_ptr<sluice::Simulation> simulation_;
  std::unique_ptr<sluice::Sweep> sweep_;
};

struct ParsedOptions {
  std::vector<sluice::Setting> settings;
  std::vector<sluice::Axis> axes;
  std::int64_t seeds = 1;
};

std::string yaml_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : sluice::json_text(value);
}

ParsedOptions parse_options(const std::string& text) {
  ParsedOptions out;
  const Json j = Json::parse(text.empty() ? "{}" : text, nullptr, false);
  if (!j.is_object()) return out;
  if (j.contains("set") && j["set"].is_object()) {
    for (const auto& [path, value] : j["set"].items())
      out.settings.push_back({path, yaml_text(value)});
  }
  if (j.contains("over") && j["over"].is_array()) {
    for (const Json& axis : j["over"]) {
      if (!axis.is_object() || !axis.contains("path") || !axis["path"].is_string() ||
          !axis.contains("values"))
        continue;
      sluice::Axis a{axis["path"].get<std::string>(), {}};
      for (const Json& value : axis["values"]) a.values.push_back(yaml_text(value));
      out.axes.push_back(std::move(a));
    }
  }
  if (j.contains("seeds") && j["seeds"].is_number_integer()) {
    out.seeds = std::max<std::int64_t>(1, j["seeds"].get<std::int64_t>());
  }
  return out;
}

val refused(const sluice::Diagnostics& diagnostics) {
  val out = val::object();
  out.set("ok", false);
  out.set("diagnostics", diagnostics_value(diagnostics));
  return out;
}

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
  out.set("ranks", l.program.plan.ranks);
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
    const ParsedOptions parsed_options = parse_options(options);
    val out = val::object();
    if (kind == "sweep") {
      auto sweep = sluice::Sweep::make(
          {text, parsed_options.settings, parsed_options.axes, parsed_options.seeds});
      if (!sweep) {
        out = refused(sweep.diagnostics());
        out.set("job", val::null());
        return out;
      }
      out.set("job", std::make_shared<JobHandle>(std::move(sweep).value()));
    } else {
      auto loaded = sluice::load_scenario(text, parsed_options.settings);
      if (!loaded) {
        out = refused(loaded.diagnostics());
        out.set("job", val::null());
        return out;
      }
      say_output_is_ignored(loaded.value());
      describe_loaded(out, loaded.value());
      out.set("job", std::make_shared<JobHandle>(std::move(loaded).value()));
    }
    if (kind == "sweep") {
      out.set("ok", true);
      out.set("diagnostics", val::array());
    }
    return out;
  } catch (const std::exception& e) {
    val out = internal_error(e.what());
    out.set("job", val::null());
    return out;
  }
}

std::string export_run(const RunHandle& handle, const std::string& format) {
  const sluice::Run& run = handle.run();
  if (format == "summary_json") return run.summary_json();
  if (format == "trace_csv") return run.trace_csv();
  if (format == "chrome_trace") return run.chrome_trace();
  if (format == "svg") return run.timeline_svg();
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
      .function("plan", &RunHandle::plan)
      .function("resolved", &RunHandle::resolved);
  emscripten::class_<JobHandle>("Job")
      .smart_ptr<std::shared_ptr<JobHandle>>("Job")
      .function("step", &JobHandle::step)
      .function("result", &JobHandle::result);
}

#include "api/import_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/load.hpp"
#include "api/replay_scenario.hpp"
#include "engine/engine.hpp"
#include "io/link_bench.hpp"
#include "io/megatron_trace.hpp"
#include "io/number.hpp"
#include "io/torch_trace.hpp"
#include "measure/typical_step.hpp"

namespace sluice {
namespace {

constexpr std::uint64_t kAllEvents = std::uint64_t{1} << 40;
constexpr std::int64_t kPsPerNs = 1000;
constexpr double kNsPerMs = 1e6;

bool is_torch(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos &&
         (text[first] == '[' || text.find("\"traceEvents\"") != std::string_view::npos);
}

template <class T>
bool take(Result<T> result, const std::string& file, Diagnostics& problems, T& out) {
  if (result) {
    out = std::move(result).value();
    return true;
  }
  for (Diagnostic d : result.diagnostics()) {
    d.path = file;
    problems.push_back(std::move(d));
  }
  return false;
}

/// The rows of a simulated run as if they had been recorded. A scenario has the whole pause between
/// steps after the updates; the trace has `before_updates_ms` of it before them, and so have these
/// rows: else the last step would end early. `slow_steps_ms` goes between each step and the next.
TracedRun recorded(const Program& program, const Trace& trace, const TracedRun& real,
                   double before_updates_ms, double slow_steps_ms) {
  const auto delay_ns = static_cast<std::int64_t>(before_updates_ms * kNsPerMs);
  const auto slow_ns = static_cast<std::int64_t>(slow_steps_ms * kNsPerMs);
  const std::vector<std::size_t> places = places_of_entries(real);
  TracedRun out;
  out.stages = real.stages;
  out.place_of_stage = real.place_of_stage;
  for (const RankTrace& r : real.ranks) {
    out.ranks.emplace_back();
    out.ranks.back().source = "simulated";
    out.ranks.back().rank = r.rank;
  }
  std::vector<std::int32_t> rank_of_device(trace.devices, 0);
  for (std::size_t entry = 0; entry < places.size(); ++entry)
    rank_of_device[program.device_of_rank[entry]] = real.ranks[places[entry]].rank;
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    const OpKind kind = trace.kind_at(row);
    if (trace.resource[row] >= trace.devices) continue;
    OpEvent e;
    e.kind = kind;
    e.rank = rank_of_device[trace.resource[row]];
    e.stage = trace.stage[row];
    e.iteration = static_cast<std::int32_t>(trace.batch_at(row));
    e.microbatch = kind == OpKind::Update ? 0 : static_cast<std::int32_t>(trace.microbatch_at(row));
    const std::int64_t later =
        e.iteration * slow_ns + (kind == OpKind::Update ? delay_ns : std::int64_t{0});
    e.start_ns = trace.start[row] / kPsPerNs + later;
    e.end_ns = trace.end[row] / kPsPerNs + later;
    out.events.push_back(e);
  }
  sort_events(out.events);
  return out;
}

class Importer {
 public:
  Importer(const ImportRequest& request, const Presets& presets)
      : request_(request), presets_(presets) {}

  Result<ImportedTrace> import() {
    std::vector<RankTrace> files = read_traces();
    const std::vector<BenchedLink> links = read_links();
    if (!problems_.empty()) return problems_;
    Result<TracedRun> joined = join_ranks(std::move(files));
    if (!joined) return joined.diagnostics();
    out_.clocks = align_clocks(joined.value());
    const TracedRun aligned = with_clocks(std::move(joined).value(), out_.clocks);
    std::int32_t warm_up = 0;
    std::int32_t incomplete = 0;
    const Result<TracedRun> steady = steady_part(aligned, warm_up, incomplete);
    if (!steady) return steady.diagnostics();
    const TracedRun& run = steady.value();
    out_.measured = trace_figures(run);
    out_.measured.warm_up_dropped = warm_up;
    out_.measured.incomplete_dropped = incomplete;
    out_.order = observed_order(run);
    out_.place_of_stage = run.place_of_stage;
    for (const RankTrace& r : run.ranks) {
      out_.ranks.push_back(r.rank);
      out_.devices.push_back(r.device);
    }
    out_.scenario = replay_scenario({.run = run,
                                     .figures = out_.measured,
                                     .order = out_.order,
                                     .links = links,
                                     .message_MiB = request_.message_MiB,
                                     .blocking_calls = out_.format == "megatron"},
                                    presets_);
    const Result<Loaded> loaded = load_scenario(out_.scenario, {}, presets_);
    if (!loaded) return of_scenario(loaded.diagnostics());
    Engine engine(loaded.value().program);
    engine.step(kAllEvents);
    if (!engine.finished()) return of_scenario(engine.problems());
    const TraceFigures& m = out_.measured;
    const double before_updates =
        std::clamp(m.before_updates.median_ms, 0.0, std::max(0.0, m.pause.median_ms));
    if (m.period_median_ms)
      out_.slow_steps_ms = std::max(0.0, *m.period_mean_ms - *m.period_median_ms);
    const auto played = [&](double slow_steps_ms) {
      return recorded(loaded.value().program, engine.trace(), run, before_updates, slow_steps_ms);
    };
    const TracedRun simulated = played(0);
    out_.simulated = trace_figures(simulated);
    out_.with_slow_steps = trace_figures(played(out_.slow_steps_ms));
    out_.measured_step = typical_step(run);
    out_.simulated_step = typical_step(simulated);
    add_notes(run);
    return std::move(out_);
  }

 private:
  static Diagnostics of_scenario(Diagnostics problems) {
    for (Diagnostic& d : problems) {
      d.message = "the scenario that was made of the trace: " + d.message;
      d.path = "scenario";
    }
    return problems;
  }

  std::vector<RankTrace> read_traces() {
    std::vector<RankTrace> out;
    for (const NamedText& file : request_.traces) {
      const std::string format = is_torch(file.text) ? "torch" : "megatron";
      if (out_.format.empty()) out_.format = format;
      if (format != out_.format) {
        Diagnostic d = error(Code::TraceSyntax, file.name,
                             "a trace of another kind than " + request_.traces.front().name);
        d.line = d.column = 1;
        problems_.push_back(std::move(d));
        continue;
      }
      RankTrace one;
      Result<RankTrace> read =
          format == "torch" ? read_torch_trace(file.text) : read_megatron_trace(file.text);
      if (!take(std::move(read), file.name, problems_, one)) continue;
      one.source = file.name;
      out.push_back(std::move(one));
    }
    return out;
  }

  std::vector<BenchedLink> read_links() {
    std::vector<BenchedLink> out;
    for (const NamedText& file : request_.links) {
      std::vector<BenchedLink> one;
      if (take(read_link_bench(file.text), file.name, problems_, one))
        out.insert(out.end(), one.begin(), one.end());
    }
    return out;
  }

  void add_notes(const TracedRun& run) {
    auto& notes = out_.notes;
    const TraceFigures& m = out_.measured;
    notes.push_back(
        "Stage times, updates and pauses are taken from this trace itself: this is a replay, not "
        "a prediction.");
    for (const RankTrace& r : run.ranks) {
      if (!r.host_times) continue;
      notes.push_back(
          r.source + " has no times of a GPU, only the host's: what they wait for counts as work.");
    }
    if (out_.clocks.source == ClockSource::Updates) {
      notes.emplace_back("Clocks of the hosts are aligned so that updates start together.");
    } else if (out_.clocks.source == ClockSource::Causality) {
      notes.emplace_back(
          "Clocks of the hosts are aligned so that no message is received before it is sent.");
    }
    if (out_.clocks.contradiction_ns > 0) {
      notes.push_back("Messages contradict each other by " +
                      short_text(static_cast<double>(out_.clocks.contradiction_ns) / kNsPerMs) +
                      " ms: clocks drift, or rows are wrong.");
    }
    if (m.incomplete_dropped > 0) {
      notes.push_back("Left out at the ends of the recording: " +
                      std::to_string(m.incomplete_dropped) + " incomplete iterations.");
    }
    if (out_.slow_steps_ms > 0) {
      notes.push_back("The trace's mean step takes " + short_text(out_.slow_steps_ms) +
                      " ms longer than its median: slow steps are in the measured throughput, "
                      "bubble and utilization. The scenario plays the typical step.");
    }
    if (!m.period_median_ms)
      notes.emplace_back("One iteration has no period: the pause between steps is not known.");
    if (!m.updates) notes.emplace_back("Not every rank recorded updates: there are none.");
  }

  const ImportRequest& request_;
  const Presets& presets_;
  Diagnostics problems_;
  ImportedTrace out_;
};

}  // namespace

Result<ImportedTrace> import_trace(const ImportRequest& request, const Presets& presets) {
  return Importer(request, presets).import();
}

}  // namespace sluice

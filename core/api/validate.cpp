#include "api/validate.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/load.hpp"
#include "engine/engine.hpp"
#include "io/json.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

/// The first step finds empty links and the last one no next one: the one between is taken.
constexpr std::uint32_t kSteps = 3;
constexpr std::uint32_t kTaken = 1;
constexpr std::uint64_t kAllEvents = std::uint64_t{1} << 40;

// Times of the steps of a trace.
class StepReader {
 public:
  StepReader(const Program& program, const Trace& trace)
      : t_(trace), stages_(static_cast<std::size_t>(program.plan.stages())) {}

  // Sums are exact: equal stages must come out equal to the last digit, as ranks are compared.
  PredictedStep read() {
    std::vector<Stage> stages(stages_);
    std::int64_t begin = -1;
    std::int64_t next = -1;
    std::int64_t updates_begin = -1;
    for (std::size_t row = 0; row < t_.rows(); ++row) {
      if (t_.resource[row] >= t_.devices) continue;
      const std::uint32_t batch = t_.batch_at(row);
      const OpKind kind = t_.kind_at(row);
      if (kind == OpKind::Forward && t_.stage[row] == 0) {
        std::int64_t& first = batch == kTaken ? begin : next;
        if (batch >= kTaken && first < 0) first = t_.start[row];
      }
      if (batch != kTaken) continue;
      Stage& s = stages[t_.stage[row]];
      const Time took{t_.end[row] - t_.start[row]};
      if (kind == OpKind::Update) {
        s.update = took;
        if (updates_begin < 0) updates_begin = t_.start[row];
        continue;
      }
      const bool forward = kind == OpKind::Forward;
      (forward ? s.forward : s.backward) += took;
      ++(forward ? s.forwards : s.backwards);
      if (!forward) s.last_backward = t_.end[row];
    }
    PredictedStep out;
    out.period_ms = to_ms(Time{next - begin});
    out.first_stage_done_ms = to_ms(Time{stages.front().last_backward - begin});
    out.updates_begin_ms = to_ms(Time{updates_begin - begin});
    for (const Stage& s : stages) {
      out.forward_ms.push_back(to_ms(s.forward) / std::max(1, s.forwards));
      out.backward_ms.push_back(to_ms(s.backward) / std::max(1, s.backwards));
      out.update_ms.push_back(to_ms(s.update));
      out.busy_ms.push_back(to_ms(Time{s.forward.ps + s.backward.ps}));
    }
    return out;
  }

 private:
  struct Stage {
    Time forward;
    Time backward;
    Time update;
    int forwards = 0;
    int backwards = 0;
    std::int64_t last_backward = 0;
  };

  const Trace& t_;
  std::size_t stages_;
};

double stall_of(const RunFacts& facts, const Environment& e) {
  const auto count = std::count(facts.gpus.begin(), facts.gpus.end(), e.gpu);
  const bool applies =
      count >= e.at_least && facts.gpus.front() == e.gpu && facts.gpus.back() != e.not_last;
  return applies ? e.probability * e.stall_ms : 0;
}

}  // namespace

std::string scenario_of(const RunFacts& f) {
  std::string out = "simulation: {batches: " + std::to_string(kSteps) +
                    ", microbatches: " + std::to_string(f.microbatches) +
                    ", transfers: bandwidth, communication: calls}\n";
  out += "pipeline:\n  schedule: " + f.schedule + "\n  precision: " + f.precision +
         "\n  micro_batch_size: " + std::to_string(f.micro_batch_size) +
         "\n  calibration: megatron_local\n  model: {hidden_dim: " + std::to_string(f.hidden_dim) +
         ", seq_len: " + std::to_string(f.seq_len) + ", ffn_dim: " + std::to_string(f.ffn_dim) +
         ", heads: " + std::to_string(f.heads) + ", vocab_size: " + std::to_string(f.vocab_size) +
         ", tied_embeddings: true, learned_positions: " + std::to_string(f.seq_len) +
         ", attention: unfused}\n  stages:\n";
  for (std::size_t s = 0; s < f.gpus.size(); ++s)
    out +=
        "    - {device: d" + std::to_string(s) + ", layers: " + std::to_string(f.layers[s]) + "}\n";
  out += "hardware:\n  devices:\n";
  for (std::size_t s = 0; s < f.gpus.size(); ++s)
    out += "    - {id: d" + std::to_string(s) + ", gpu: " + f.gpus[s] + ", node: n" +
           std::to_string(s) + ", socket: 0}\n";
  if (!f.links.empty()) out += "  links:\n";
  for (std::size_t s = 0; s < f.links.size(); ++s) {
    out += "    - {from: d" + std::to_string(s) + ", to: d" + std::to_string(s + 1) + ", points: [";
    for (std::size_t i = 0; i < f.links[s].size(); ++i) {
      const LinkSample& p = f.links[s][i];
      out += (i == 0 ? "{size_MiB: " : ", {size_MiB: ") + number_text(p.size_MiB) +
             ", time_ms: " + number_text(p.time_ms) + "}";
    }
    out += "]}\n";
  }
  return out + "optimizer: {enabled: true}\n";
}

std::vector<double> update_times(const RunFacts& facts, const Presets& presets) {
  const Result<Loaded> loaded = load_scenario(scenario_of(facts), {}, presets);
  SLUICE_CHECK(loaded.ok());
  std::vector<double> out;
  for (const DurationModel& update : loaded.value().program.update)
    out.push_back(update.typical_ms());
  return out;
}

Result<PredictedStep> predict(const RunFacts& facts, const Presets& presets) {
  const Result<Loaded> loaded = load_scenario(scenario_of(facts), {}, presets);
  if (!loaded) return loaded.diagnostics();
  Engine engine(loaded.value().program);
  engine.step(kAllEvents);
  if (!engine.finished()) return engine.problems();
  return StepReader(loaded.value().program, engine.trace()).read();
}

Result<Validation> validate_runs(const ValidationRequest& request, const Presets& presets) {
  std::vector<ComparedRun> compared;
  const Environment* environment = nullptr;
  for (const Calibration& c : presets.calibrations) {
    for (const Environment& e : c.environments) {
      if (e.name == request.environment) environment = &e;
    }
  }
  if (!request.environment.empty() && environment == nullptr) {
    return error(Code::ReferencePreset, "environment",
                 "no calibration knows an environment \"" + request.environment + "\"");
  }
  for (const MeasuredRun& run : request.runs) {
    Result<PredictedStep> step = predict(run.facts, presets);
    if (!step) {
      Diagnostics problems = step.diagnostics();
      for (Diagnostic& d : problems) d.message = run.facts.name + ": " + d.message;
      return problems;
    }
    const double stall = environment == nullptr ? 0 : stall_of(run.facts, *environment);
    ComparedRun row;
    row.split = run.facts.split;
    row.name = run.facts.name;
    row.measured = run.figures;
    row.predicted = figures_of(step.value(), run.facts, stall, !run.figures.update_ms.empty());
    row.predicted_mean_ms = step.value().period_ms + stall;
    compared.push_back(std::move(row));
  }
  return validate(std::move(compared));
}

std::string validation_json(const Validation& v, int indent) {
  Json runs = Json::array();
  for (const ComparedRun& r : v.runs) {
    runs.push_back({{"split", r.split},
                    {"fixture", r.name},
                    {"period_measured_median_ms", r.measured.period_median_ms},
                    {"period_predicted_median_ms", r.predicted.period_median_ms},
                    {"period_predicted_mean_ms", r.predicted_mean_ms},
                    {"period_error_pct", r.period_error_pct},
                    {"throughput_measured_per_s", r.measured.microbatches_per_s},
                    {"throughput_predicted_per_s", r.predicted.microbatches_per_s},
                    {"throughput_error_pct", r.throughput_error_pct},
                    {"bubble_measured", r.measured.bubble},
                    {"bubble_predicted", r.predicted.bubble},
                    {"bubble_error_pp", r.bubble_error_pp},
                    {"utilization_measured", r.measured.utilization},
                    {"utilization_predicted", r.predicted.utilization},
                    {"utilization_rho", r.utilization_rho},
                    {"forward_predicted_ms", r.predicted.forward_ms},
                    {"backward_predicted_ms", r.predicted.backward_ms},
                    {"update_predicted_ms", r.predicted.update_ms},
                    {"stage_time_ape_pct", r.stage_time_ape_pct}});
  }
  return json_text({{"n", v.runs.size()},
                    {"period_mape_pct", v.period_mape_pct},
                    {"period_max_ape_pct", v.period_max_ape_pct},
                    {"throughput_mape_pct", v.throughput_mape_pct},
                    {"throughput_bias_pct", v.throughput_bias_pct},
                    {"bubble_mae_pp", v.bubble_mae_pp},
                    {"utilization_rho_mean", v.utilization_rho_mean},
                    {"utilization_mae_pp", v.utilization_mae_pp},
                    {"stage_time_mape_pct", v.stage_time_mape_pct},
                    {"forward_backward_mape_pct", v.forward_backward_mape_pct},
                    {"runs", runs}},
                   indent);
}

}  // namespace sluice

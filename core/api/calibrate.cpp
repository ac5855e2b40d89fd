#include "api/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/validate.hpp"
#include "cost/transformer.hpp"
#include "measure/minimize.hpp"

namespace sluice {
namespace {

/// Relative errors beyond this count linearly. Rare shapes carry all there is to know of some
/// constants, so it must not be narrow.
constexpr double kWidth = 0.1;
/// Weight of a constant's distance from where it is expected, as a share of its range: as much as
/// one stage time that is off by a tenth for a move over a tenth of the range.
constexpr double kPrior = 1;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

// A stage's observables and what they follow from.
struct StageRow {
  ModelShape model;
  TransformerStage stage;
  Device device;
  double samples = 1;
  double forward_ms = 0;
  double backward_ms = 0;
};

ModelShape model_of(const RunFacts& f) {
  ModelShape m;
  m.hidden_dim = f.hidden_dim;
  m.seq_len = f.seq_len;
  m.vocab_size = f.vocab_size;
  m.ffn_dim = f.ffn_dim;
  m.heads = f.heads;
  m.tied_embeddings = true;
  m.learned_positions = f.seq_len;
  m.attention = AttentionKind::Unfused;
  return complete(m);
}

std::vector<StageRow> stage_rows(const std::vector<MeasuredRun>& runs, const Presets& presets) {
  std::vector<StageRow> rows;
  for (const MeasuredRun& run : runs) {
    for (std::size_t s = 0; s < run.facts.gpus.size(); ++s) {
      const DevicePreset* preset = presets.device(run.facts.gpus[s]);
      if (preset == nullptr || s >= run.figures.forward_median_ms.size()) continue;
      StageRow row;
      row.model = model_of(run.facts);
      row.stage = {.layers = static_cast<int>(run.facts.layers[s]),
                   .first = s == 0,
                   .last = s + 1 == run.facts.gpus.size()};
      row.device.preset = preset->name;
      row.device.peak = {preset->tflops_half * kTera};
      row.device.memory_bandwidth = {preset->memory_bandwidth_GBps * kGiga};
      row.samples = static_cast<double>(run.facts.micro_batch_size);
      row.forward_ms = run.figures.forward_median_ms[s];
      row.backward_ms = run.figures.backward_median_ms[s];
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

class Fitter {
 public:
  Fitter(const std::vector<MeasuredRun>& runs, const Calibration& start, const Presets& presets)
      : runs_(runs), presets_(presets) {
    presets_.calibrations = {start};
    rows_ = stage_rows(runs, presets_);
  }

  Calibration fit(int sweeps) {
    fit_stages(sweeps);
    fit_optimizer(sweeps);
    // Each evaluation plays every run, so there are fewer.
    fit_step(sweeps / 3);
    return calibration();
  }

 private:
  Calibration& calibration() { return presets_.calibrations.front(); }

  void fit_stages(int sweeps) {
    CalibrationConstants& c = calibration().constants;
    std::vector<FitParameter> p{
        {"call_start_ms", &c.call_start_ms, 0, 0.5},
        {"embedding_forward_ms", &c.embedding_forward_ms, 0, 4},
        {"embedding_backward_ms", &c.embedding_backward_ms, 0, 2},
        {"head_forward_ms", &c.head_forward_ms, 0, 5},
        {"head_backward_ms", &c.head_backward_ms, 0, 3},
        {"elementwise_forward_bytes", &c.elementwise_forward_bytes, 0, 800},
        {"elementwise_backward_bytes", &c.elementwise_backward_bytes, 0, 1200},
        {"scores_forward_bytes", &c.scores_forward_bytes, 0, 40},
        {"scores_backward_bytes", &c.scores_backward_bytes, 0, 80},
        {"logits_forward_bytes", &c.logits_forward_bytes, 0, 100},
        {"logits_backward_bytes", &c.logits_backward_bytes, 0, 60},
        {"cache_share", &c.cache_share, 0, 1}};
    for (DeviceCalibration& d : calibration().devices) {
      const bool seen = std::any_of(rows_.begin(), rows_.end(),
                                    [&](const StageRow& r) { return r.device.preset == d.gpu; });
      if (!seen) continue;
      p.push_back({d.gpu + ".host_forward_ms", &d.host_forward_ms, 0.5, 3});
      p.push_back({d.gpu + ".host_backward_ms", &d.host_backward_ms, 0.5, 4});
      p.push_back({d.gpu + ".matmul_efficiency", &d.matmul_efficiency, 0.1, 0.9});
      // Bytes over bandwidth have one scale between them: it is kept on one device.
      if (d.gpu != kScaleDevice)
        p.push_back({d.gpu + ".bandwidth_efficiency", &d.bandwidth_efficiency, 0.4, 0.95});
    }
    const std::vector<double> expected = values_of(p);
    minimize([&] { return stage_loss() + distance(p, expected); }, p, sweeps);
  }

  static std::vector<double> values_of(const std::vector<FitParameter>& parameters) {
    std::vector<double> out;
    out.reserve(parameters.size());
    for (const FitParameter& p : parameters) out.push_back(*p.value);
    return out;
  }

  // What the data do not decide stays where it is expected to be.
  static double distance(const std::vector<FitParameter>& parameters,
                         const std::vector<double>& expected) {
    double sum = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const FitParameter& p = parameters[i];
      const double share = (*p.value - expected[i]) / (p.high - p.low);
      sum += share * share;
    }
    return kPrior * sum;
  }

  [[nodiscard]] double stage_loss() const {
    double loss = 0;
    for (const StageRow& r : rows_) {
      for (const auto& [part, measured] :
           {std::pair{OpPart::Forward, r.forward_ms}, std::pair{OpPart::Backward, r.backward_ms}}) {
        const double ms =
            stage_time(part, r.model, r.stage, r.device, presets_.calibrations.front(), r.samples)
                .ms;
        loss += robust_loss(ms / measured - 1, kWidth);
      }
    }
    return loss;
  }

  void fit_optimizer(int sweeps) {
    CalibrationConstants& c = calibration().constants;
    minimize([&] { return update_loss(); },
             {{"optimizer_bytes", &c.optimizer_bytes, 10, 200},
              {"optimizer_start_ms", &c.optimizer_start_ms, 0, 2},
              {"norm_layer_ms", &c.norm_layer_ms, 0, 1},
              {"optimizer_layer_ms", &c.optimizer_layer_ms, 0, 1}},
             sweeps);
  }

  [[nodiscard]] double update_loss() const {
    double loss = 0;
    for (const MeasuredRun& run : runs_) {
      if (run.figures.update_ms.empty()) continue;
      const std::vector<double> updates = update_times(run.facts, presets_);
      for (std::size_t s = 0; s < updates.size(); ++s)
        loss += robust_loss(updates[s] / run.figures.update_ms[s] - 1, kWidth);
    }
    return loss;
  }

  void fit_step(int sweeps) {
    CalibrationConstants& c = calibration().constants;
    double call = c.call_before_ms + c.call_after_ms;
    std::vector<FitParameter> p{{"call_ms", &call, 0, 2},
                                {"reduction_efficiency", &c.reduction_efficiency, 0.5, 1.2},
                                {"step_tail_ms", &c.step_tail_ms, 0, 5},
                                {"step_tail_rank_ms", &c.step_tail_rank_ms, 0, 1}};
    for (PairCalibration& pair : calibration().pairs)
      p.push_back({pair.gpu + ".reduction_GBps", &pair.reduction_GBps, 1, 4});
    minimize(
        [&] {
          c.call_before_ms = c.call_after_ms = call / 2;
          return period_loss();
        },
        p, sweeps);
    c.call_before_ms = c.call_after_ms = call / 2;
  }

  [[nodiscard]] double period_loss() const {
    double loss = 0;
    for (const MeasuredRun& run : runs_) {
      const Result<PredictedStep> step = predict(run.facts, presets_);
      SLUICE_CHECK(step.ok());
      loss += robust_loss(step.value().period_ms / run.figures.period_median_ms - 1, kWidth);
    }
    return loss;
  }

  static constexpr std::string_view kScaleDevice = "a10g";

  const std::vector<MeasuredRun>& runs_;
  Presets presets_;
  std::vector<StageRow> rows_;
};

}  // namespace

std::string family_of(const RunFacts& f) {
  std::vector<std::string> gpus = f.gpus;
  std::stable_sort(gpus.begin(), gpus.end());
  std::string out;
  for (const std::string& g : gpus) out += g + " ";
  std::int64_t layers = 0;
  for (const std::int64_t n : f.layers) layers += n;
  return out + std::to_string(f.hidden_dim) + " " + std::to_string(f.seq_len) + " " +
         std::to_string(layers);
}

Calibration fit_calibration(const std::vector<MeasuredRun>& runs, const Calibration& start,
                            const Presets& presets, int sweeps) {
  return Fitter(runs, start, presets).fit(sweeps);
}

Calibration round_calibration(const Calibration& like) {
  Calibration c = like;
  for (DeviceCalibration& d : c.devices) {
    d.host_forward_ms = 1.5;
    d.host_backward_ms = 1.8;
    d.matmul_efficiency = 0.5;
    d.bandwidth_efficiency = 0.85;
  }
  for (PairCalibration& p : c.pairs) p.reduction_GBps = 2;
  CalibrationConstants& k = c.constants;
  k.call_start_ms = 0.2;
  k.embedding_forward_ms = k.head_forward_ms = 2;
  k.embedding_backward_ms = 0.5;
  k.head_backward_ms = 1;
  k.elementwise_forward_bytes = 200;
  k.elementwise_backward_bytes = 400;
  k.scores_forward_bytes = 10;
  // Softmax in fp32: the upper end of 14 to 32.
  k.scores_backward_bytes = 30;
  k.logits_forward_bytes = 40;
  k.logits_backward_bytes = 20;
  k.cache_share = 0.25;
  k.optimizer_bytes = 100;
  k.optimizer_start_ms = 0.5;
  k.norm_layer_ms = k.optimizer_layer_ms = 0.2;
  k.call_before_ms = k.call_after_ms = 0.25;
  k.reduction_efficiency = 0.9;
  k.step_tail_ms = 2;
  k.step_tail_rank_ms = 0.3;
  return c;
}

Result<CrossValidation> cross_validate(const std::vector<MeasuredRun>& runs, const Presets& presets,
                                       int sweeps, std::size_t most_families) {
  std::vector<std::string> families;
  for (const MeasuredRun& run : runs) {
    const std::string family = family_of(run.facts);
    if (std::find(families.begin(), families.end(), family) == families.end())
      families.push_back(family);
  }
  if (most_families > 0 && families.size() > most_families) families.resize(most_families);
  const Calibration start = round_calibration(*presets.calibration(kLocalCalibration));
  std::vector<ComparedRun> held_out;
  for (const std::string& family : families) {
    std::vector<MeasuredRun> others;
    std::vector<MeasuredRun> own;
    for (const MeasuredRun& run : runs)
      (family_of(run.facts) == family ? own : others).push_back(run);
    Presets fitted = presets;
    fitted.calibrations = {fit_calibration(others, start, presets, sweeps)};
    Result<Validation> predicted = validate_runs({std::move(own), ""}, fitted);
    if (!predicted) return predicted.diagnostics();
    for (ComparedRun& row : predicted.value().runs) held_out.push_back(std::move(row));
  }
  return CrossValidation{validate(std::move(held_out)), families.size()};
}

}  // namespace sluice

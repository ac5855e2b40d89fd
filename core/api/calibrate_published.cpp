#include "api/calibrate_published.hpp"

#include <algorithm>
#include <utility>

#include "api/validate_published.hpp"
#include "measure/minimize.hpp"

namespace sluice {
namespace {

/// Errors beyond this share count linearly.
constexpr double kWidth = 0.05;
/// Weight of a constant's relative distance from its round figure.
constexpr double kPrior = 0.0075;
constexpr double kPercent = 100;

Presets with(const Presets& presets, const Calibration& calibration) {
  Presets out = presets;
  for (Calibration& c : out.calibrations) {
    if (c.name == calibration.name) c = calibration;
  }
  return out;
}

double loss_of(const std::vector<PublishedRun>& runs, const Presets& presets) {
  const Result<PublishedValidation> done = validate_published(runs, presets);
  SLUICE_CHECK(done.ok());
  double loss = 0;
  for (const ComparedPublished& row : done.value().rows) {
    loss += robust_loss(row.throughput_error_pct / kPercent, kWidth);
    if (row.ratio_error_pct) loss += robust_loss(*row.ratio_error_pct / kPercent, kWidth);
  }
  return loss;
}

}  // namespace

Calibration fit_published(const std::vector<PublishedRun>& runs, const Calibration& like,
                          const Presets& presets, int sweeps) {
  Presets own = with(presets, like);
  Calibration& c = *std::find_if(own.calibrations.begin(), own.calibrations.end(),
                                 [&](const Calibration& x) { return x.name == like.name; });
  CalibrationConstants& k = c.constants;
  double efficiency = 0.8;
  double call_ms = 0.2;
  k.elementwise_forward_bytes = k.elementwise_backward_bytes = 200;
  k.logits_forward_bytes = 10;
  k.logits_backward_bytes = 6;
  k.split_backward_extra = 0.05;
  const std::vector<FitParameter> parameters{
      {"matmul_efficiency", &efficiency, 0.1, 0.95},
      {"elementwise_forward_bytes", &k.elementwise_forward_bytes, 0, 600},
      {"elementwise_backward_bytes", &k.elementwise_backward_bytes, 0, 600},
      {"logits_forward_bytes", &k.logits_forward_bytes, 0, 30},
      {"logits_backward_bytes", &k.logits_backward_bytes, 0, 20},
      {"call_ms", &call_ms, 0, 1},
      {"split_backward_extra", &k.split_backward_extra, 0, 0.15}};
  std::vector<double> round;
  for (const FitParameter& p : parameters) round.push_back(*p.value);
  const auto apply = [&] {
    for (DeviceCalibration& d : c.devices) d.matmul_efficiency = efficiency;
    k.call_before_ms = k.call_after_ms = call_ms / 2;
  };
  minimize(
      [&] {
        apply();
        double loss = loss_of(runs, own);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
          const double away = *parameters[i].value / round[i] - 1;
          loss += kPrior * away * away;
        }
        return loss;
      },
      parameters, sweeps);
  apply();
  return c;
}

Result<PublishedValidation> cross_validate_published(const std::vector<PublishedRun>& runs,
                                                     const Presets& presets, int sweeps) {
  std::vector<std::string> models;
  for (const PublishedRun& run : runs) {
    if (std::find(models.begin(), models.end(), run.facts.model) == models.end())
      models.push_back(run.facts.model);
  }
  std::vector<ComparedPublished> held_out;
  for (const std::string& model : models) {
    std::vector<PublishedRun> own;
    std::vector<PublishedRun> others;
    for (const PublishedRun& run : runs) (run.facts.model == model ? own : others).push_back(run);
    const Calibration fitted =
        fit_published(others, *presets.calibration(kFusedCalibration), presets, sweeps);
    Result<PublishedValidation> predicted = validate_published(own, with(presets, fitted));
    if (!predicted) return predicted.diagnostics();
    for (ComparedPublished& row : predicted.value().rows) held_out.push_back(std::move(row));
  }
  return validate_published(std::move(held_out));
}

}  // namespace sluice

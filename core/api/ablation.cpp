#include "api/ablation.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "api/validate.hpp"

namespace sluice {
namespace {

/// One of the three is changed.
struct Term {
  const char* name;
  const char* doc;
  std::function<void(Calibration&)> calibration;
  std::function<void(RunFacts&)> facts;
  std::function<void(PredictedStep&)> step;
};

std::vector<Term> terms() {
  std::vector<Term> out;
  const auto add = [&](const char* name, const char* doc,
                       std::function<void(Calibration&)> change) {
    out.push_back({name, doc, std::move(change), {}, {}});
  };
  add("embedding all-reduce", "the tied embedding's gradient is summed in no time",
      [](Calibration& c) { c.constants.reduction_efficiency = 1e9; });
  add("head and loss", "the last stage is a stage like any other", [](Calibration& c) {
    CalibrationConstants& k = c.constants;
    k.head_forward_ms = k.head_backward_ms = 0;
    k.logits_forward_bytes = k.logits_backward_bytes = 0;
  });
  add("host dispatch", "launches cost nothing", [](Calibration& c) {
    for (DeviceCalibration& d : c.devices) d.host_forward_ms = d.host_backward_ms = 0;
    CalibrationConstants& k = c.constants;
    k.call_start_ms = k.embedding_forward_ms = k.embedding_backward_ms = 0;
    k.head_forward_ms = k.head_backward_ms = 0;
  });
  add("optimizer", "updates move no bytes",
      [](Calibration& c) { c.constants.optimizer_bytes = 0; });
  out.push_back({"optimizer's maximum",
                 "the first rank's update counts, not the slowest",
                 {},
                 {},
                 [](PredictedStep& s) {
                   const auto slowest = std::max_element(s.update_ms.begin(), s.update_ms.end());
                   if (!s.update_ms.empty()) s.period_ms -= *slowest - s.update_ms.front();
                 }});
  add("scores", "attention moves no bytes that grow with the square of the sequence",
      [](Calibration& c) {
        c.constants.scores_forward_bytes = c.constants.scores_backward_bytes = 0;
      });
  add("element-wise", "norms, biases and activations move no bytes", [](Calibration& c) {
    c.constants.elementwise_forward_bytes = c.constants.elementwise_backward_bytes = 0;
  });
  add("weight gradients", "adding them up moves no bytes",
      [](Calibration& c) { c.constants.weight_gradient_bytes = 0; });
  out.push_back({"point-to-point",
                 "messages take no time, on the wire or on the host",
                 [](Calibration& c) { c.constants.call_before_ms = c.constants.call_after_ms = 0; },
                 [](RunFacts& f) {
                   for (std::vector<LinkSample>& link : f.links) {
                     for (LinkSample& sample : link) sample.time_ms *= 1e-3;
                   }
                 },
                 {}});
  add("limit of two fast cards", "they sum as fast as their rates allow",
      [](Calibration& c) { c.pairs.clear(); });
  add("embedding", "it costs the first stage nothing", [](Calibration& c) {
    CalibrationConstants& k = c.constants;
    k.embedding_forward_ms = k.embedding_backward_ms = k.embedding_gradient_bytes = 0;
  });
  add("step tail", "the next step begins with the last update",
      [](Calibration& c) { c.constants.step_tail_ms = c.constants.step_tail_rank_ms = 0; });
  add("cache", "every tensor travels through memory",
      [](Calibration& c) { c.constants.cache_share = 0; });
  return out;
}

Result<Validation> validate_without(const std::vector<Term>& left_out,
                                    const std::vector<MeasuredRun>& runs, const Presets& presets) {
  Presets own = presets;
  for (const Term& term : left_out) {
    for (Calibration& c : own.calibrations) {
      if (c.name == kLocalCalibration && term.calibration) term.calibration(c);
    }
  }
  std::vector<ComparedRun> rows;
  for (const MeasuredRun& run : runs) {
    RunFacts facts = run.facts;
    for (const Term& term : left_out) {
      if (term.facts) term.facts(facts);
    }
    Result<PredictedStep> step = predict(facts, own);
    if (!step) return step.diagnostics();
    for (const Term& term : left_out) {
      if (term.step) term.step(step.value());
    }
    ComparedRun row;
    row.split = run.facts.split;
    row.name = run.facts.name;
    row.measured = run.figures;
    row.predicted = figures_of(step.value(), run.facts, 0, !run.figures.update_ms.empty());
    row.predicted_mean_ms = step.value().period_ms;
    rows.push_back(std::move(row));
  }
  return validate(std::move(rows));
}

}  // namespace

Result<std::vector<AblatedTerm>> ablate(const std::vector<MeasuredRun>& runs,
                                        const Presets& presets) {
  std::vector<AblatedTerm> out;
  const auto add = [&](const char* name, const char* doc,
                       const std::vector<Term>& left_out) -> Diagnostics {
    Result<Validation> without = validate_without(left_out, runs, presets);
    if (!without) return without.diagnostics();
    out.push_back({name, doc, std::move(without).value()});
    return {};
  };
  Diagnostics problems = add("nothing", "the full model", {});
  for (const Term& term : terms()) {
    if (problems.empty()) problems = add(term.name, term.doc, {term});
  }
  if (!problems.empty()) return problems;
  return out;
}

Result<std::vector<AblatedTerm>> build_up(const std::vector<MeasuredRun>& runs,
                                          const Presets& presets) {
  std::vector<Term> left_out = terms();
  std::vector<AblatedTerm> out;
  const char* name = "matrix products";
  const char* doc = "and nothing else";
  while (true) {
    Result<Validation> without = validate_without(left_out, runs, presets);
    if (!without) return without.diagnostics();
    out.push_back({name, doc, std::move(without).value()});
    if (left_out.empty()) return out;
    name = left_out.front().name;
    doc = "";
    left_out.erase(left_out.begin());
  }
}

}  // namespace sluice

#include "measure/validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace sluice {
namespace {

constexpr double kPercent = 100;

double error_pct(double predicted, double measured) {
  return (predicted / measured - 1) * kPercent;
}

std::vector<double> average_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    const double rank = (static_cast<double>(i) + static_cast<double>(j - 1)) / 2;
    for (std::size_t k = i; k < j; ++k) ranks[order[k]] = rank;
    i = j;
  }
  return ranks;
}

/// A mean that grows.
struct Mean {
  double sum = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    count += 1;
  }
  [[nodiscard]] double value() const { return count > 0 ? sum / count : 0; }
};

// A measured list of another length belongs to no stage of this run: it says nothing here.
bool comparable(const std::vector<double>& predicted, const std::vector<double>& measured) {
  return !predicted.empty() && predicted.size() == measured.size();
}

void add_errors(const std::vector<double>& predicted, const std::vector<double>& measured,
                std::initializer_list<Mean*> means) {
  if (!comparable(predicted, measured)) return;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (!(measured[i] > 0)) continue;
    for (Mean* mean : means) mean->add(std::fabs(error_pct(predicted[i], measured[i])));
  }
}

}  // namespace

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = average_ranks(a);
  const std::vector<double> y = average_ranks(b);
  const double middle = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  if (xx == 0 && yy == 0) return 1;
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

Validation validate(std::vector<ComparedRun> runs) {
  Validation out;
  Mean period;
  Mean throughput;
  Mean bias;
  Mean bubble;
  Mean rho;
  Mean utilization;
  Mean stage_times;
  Mean forward_backward;
  for (ComparedRun& run : runs) {
    const RunFigures& p = run.predicted;
    const RunFigures& m = run.measured;
    run.period_error_pct = error_pct(p.period_median_ms, m.period_median_ms);
    run.throughput_error_pct = error_pct(p.microbatches_per_s, m.microbatches_per_s);
    run.bubble_error_pp = (p.bubble - m.bubble) * kPercent;
    Mean own;
    add_errors(p.forward_ms, m.forward_ms, {&own, &stage_times, &forward_backward});
    add_errors(p.backward_ms, m.backward_ms, {&own, &stage_times, &forward_backward});
    add_errors(p.update_ms, m.update_ms, {&own, &stage_times});
    run.stage_time_ape_pct = own.value();
    period.add(std::fabs(run.period_error_pct));
    out.period_max_ape_pct = std::fmax(out.period_max_ape_pct, std::fabs(run.period_error_pct));
    throughput.add(std::fabs(run.throughput_error_pct));
    bias.add(run.throughput_error_pct);
    bubble.add(std::fabs(run.bubble_error_pp));
    if (!comparable(p.utilization, m.utilization)) continue;
    run.utilization_rho = spearman(p.utilization, m.utilization);
    rho.add(run.utilization_rho);
    for (std::size_t i = 0; i < p.utilization.size(); ++i)
      utilization.add(std::fabs(p.utilization[i] - m.utilization[i]) * kPercent);
  }
  out.runs = std::move(runs);
  out.period_mape_pct = period.value();
  out.throughput_mape_pct = throughput.value();
  out.throughput_bias_pct = bias.value();
  out.bubble_mae_pp = bubble.value();
  out.utilization_rho_mean = rho.value();
  out.utilization_mae_pp = utilization.value();
  out.stage_time_mape_pct = stage_times.value();
  out.forward_backward_mape_pct = forward_backward.value();
  return out;
}

}  // namespace sluice

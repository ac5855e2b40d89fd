#include "measure/published.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice {
namespace {

constexpr double kPercent = 100;

double error_pct(double predicted, double measured) {
  return kPercent * (predicted - measured) / measured;
}

bool same_case(const PublishedFacts& a, const PublishedFacts& b) {
  return a.model == b.model && a.stages == b.stages && a.microbatches == b.microbatches &&
         a.micro_batch_size == b.micro_batch_size;
}

class Mean {
 public:
  void add(double value) {
    sum_ += std::fabs(value);
    ++count_;
  }
  [[nodiscard]] double value() const { return count_ == 0 ? 0 : sum_ / count_; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

}  // namespace

PublishedValidation validate_published(std::vector<ComparedPublished> rows) {
  PublishedValidation out;
  Mean throughput;
  Mean ratio;
  Mean memory;
  for (ComparedPublished& row : rows) {
    const PublishedFigures& measured = row.run.figures;
    row.throughput_error_pct =
        error_pct(row.predicted.samples_per_gpu_per_s, measured.samples_per_gpu_per_s);
    throughput.add(row.throughput_error_pct);
    if (measured.memory_GB) {
      row.memory_error_pct = error_pct(*row.predicted.memory_GB, *measured.memory_GB);
      memory.add(*row.memory_error_pct);
    }
    const auto base = std::find_if(rows.begin(), rows.end(), [&](const ComparedPublished& other) {
      return other.run.facts.schedule == "1f1b" && same_case(other.run.facts, row.run.facts);
    });
    if (base == rows.end() || base->run.facts.schedule == row.run.facts.schedule) continue;
    row.ratio_error_pct =
        error_pct(row.predicted.samples_per_gpu_per_s / base->predicted.samples_per_gpu_per_s,
                  measured.samples_per_gpu_per_s / base->run.figures.samples_per_gpu_per_s);
    ratio.add(*row.ratio_error_pct);
  }
  out.rows = std::move(rows);
  out.throughput_mape_pct = throughput.value();
  out.ratio_to_1f1b_mape_pct = ratio.value();
  out.memory_mape_pct = memory.value();
  return out;
}

}  // namespace sluice

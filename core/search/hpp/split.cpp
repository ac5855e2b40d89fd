#include "search/hpp/split.hpp"

#include <algorithm>
#include <limits>

#include "base/stable_order.hpp"

namespace sluice::hpp {
namespace {

using Forms = std::vector<const std::vector<Pipeline>*>;

class Splitter {
 public:
  Splitter(const Forms& forms, std::int64_t batch) : forms_(forms), batch_(batch) {
    out_.form.resize(forms.size());
    out_.microbatches.resize(forms.size());
  }

  std::optional<Split> split() {
    double high = std::numeric_limits<double>::infinity();
    for (const auto* forms : forms_) {
      for (const Pipeline& p : *forms) {
        const std::int64_t all = (batch_ + p.micro_batch - 1) / p.micro_batch;
        high = std::min(high, p.time_ms(all));
      }
    }
    double low = 0;
    // One of them alone is done by `high`. Down to neighbouring numbers.
    for (;;) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (most_by(middle) >= batch_ ? high : low) = middle;
    }
    // Where the last microbatches do not add up, the next moment at which one more is through.
    constexpr int kMoments = 256;
    for (int i = 0; i < kMoments; ++i) {
      const std::int64_t most = most_by(high);
      if (trim(most - batch_)) return out_;
      high = next_moment(high);
    }
    return std::nullopt;
  }

 private:
  // Samples that are through by then; each pipeline in the form that does most.
  std::int64_t most_by(double ms) {
    std::int64_t all = 0;
    for (std::size_t r = 0; r < forms_.size(); ++r) {
      std::int64_t most = -1;
      for (std::size_t f = 0; f < forms_[r]->size(); ++f) {
        const Pipeline& p = (*forms_[r])[f];
        const std::int64_t n = p.microbatches_by(ms);
        if (n * p.micro_batch <= most) continue;
        most = n * p.micro_batch;
        out_.form[r] = f;
        out_.microbatches[r] = n;
      }
      all += most;
    }
    return all;
  }

  [[nodiscard]] const Pipeline& chosen(std::size_t r) const { return (*forms_[r])[out_.form[r]]; }

  [[nodiscard]] double next_moment(double ms) const {
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < forms_.size(); ++r) {
      for (const Pipeline& p : *forms_[r])
        next = std::min(next, p.time_ms(p.microbatches_by(ms) + 1));
    }
    return next;
  }

  // Takes `surplus` samples away, large microbatches first, and of equal ones where the last to
  // end is; whether it comes out even.
  bool trim(std::int64_t surplus) {
    std::vector<std::size_t> order(forms_.size());
    for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
    sort_stably(order, [&](std::size_t a, std::size_t b) {
      return chosen(a).micro_batch > chosen(b).micro_batch;
    });
    for (std::size_t i = 0; i < order.size();) {
      std::size_t end = i;
      const std::int64_t size = chosen(order[i]).micro_batch;
      while (end < order.size() && chosen(order[end]).micro_batch == size) ++end;
      while (surplus >= size) {
        std::size_t latest = order.size();
        double ms = -1;
        for (std::size_t k = i; k < end; ++k) {
          const std::size_t r = order[k];
          if (out_.microbatches[r] == 0) continue;
          const double time = chosen(r).time_ms(out_.microbatches[r]);
          if (time > ms) {
            ms = time;
            latest = r;
          }
        }
        if (latest == order.size()) break;
        --out_.microbatches[latest];
        surplus -= size;
      }
      i = end;
    }
    out_.ms = 0;
    for (std::size_t r = 0; r < forms_.size(); ++r)
      out_.ms = std::max(out_.ms, chosen(r).time_ms(out_.microbatches[r]));
    return surplus == 0;
  }

  const Forms& forms_;
  std::int64_t batch_;
  Split out_;
};

}  // namespace

std::optional<Split> split_batch(const Forms& forms, std::int64_t batch) {
  return Splitter(forms, batch).split();
}

double split_bound(const Forms& forms, std::int64_t batch) {
  double rate = 0;
  for (const auto* f : forms) {
    double best = 0;
    for (const Pipeline& p : *f) best = std::max(best, p.rate());
    rate += best;
  }
  return static_cast<double>(batch) / rate;
}

}  // namespace sluice::hpp

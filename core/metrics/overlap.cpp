#include "metrics/overlap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice {
namespace {

// Transfers from and to each device, by start.
class TransfersByDevice {
 public:
  TransfersByDevice(const Machine& machine, const Trace& trace)
      : machine_(machine), t_(trace), first_(std::size_t{trace.devices} + 1, 0) {
    each([&](std::uint32_t device, std::uint32_t) { ++first_[device + 1]; });
    for (std::size_t d = 0; d < t_.devices; ++d) first_[d + 1] += first_[d];
    rows_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    // Rows are in the order they were asked for, which on several links is almost that of their
    // starts: each moves down a few places, behind an outage more.
    each([&](std::uint32_t device, std::uint32_t row) {
      std::uint32_t at = next[device]++;
      for (; at > first_[device] && t_.start[rows_[at - 1]] > t_.start[row]; --at)
        rows_[at] = rows_[at - 1];
      rows_[at] = row;
    });
  }

  [[nodiscard]] std::uint32_t begin(std::size_t device) const { return first_[device]; }
  [[nodiscard]] std::uint32_t end(std::size_t device) const { return first_[device + 1]; }
  [[nodiscard]] std::uint32_t row(std::uint32_t at) const { return rows_[at]; }

 private:
  template <class Say>
  void each(const Say& say) const {
    for (std::uint32_t row = 0; row < t_.rows(); ++row) {
      if (t_.resource[row] < t_.devices || t_.kind_at(row) == OpKind::Failure) continue;
      const Link& link = machine_.links[t_.resource[row] - t_.devices];
      say(link.from.value, row);
      say(link.to.value, row);
    }
  }

  const Machine& machine_;
  const Trace& t_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

std::vector<Overlap> overlaps(const Program& program, const Trace& trace, const Plays& plays) {
  const TransfersByDevice transfers(program.machine, trace);
  std::vector<Overlap> out(trace.devices);
  for (std::uint32_t d = 0; d < trace.devices; ++d) {
    const auto work = plays.lane(d);
    std::size_t w = 0;
    std::int64_t covered = 0;
    for (std::uint32_t at = transfers.begin(d); at < transfers.end(d); ++at) {
      // What no transfer before it has covered.
      const std::int64_t from = std::max(covered, trace.start[transfers.row(at)]);
      const std::int64_t to = trace.end[transfers.row(at)];
      if (to <= from) continue;
      covered = to;
      out[d].transfer += Time{to - from};
      while (w < work.size() && trace.end[work[w]] <= from) ++w;
      for (std::size_t i = w; i < work.size() && trace.start[work[i]] < to; ++i) {
        out[d].hidden +=
            Time{std::min(trace.end[work[i]], to) - std::max(trace.start[work[i]], from)};
      }
    }
  }
  return out;
}

}  // namespace sluice

#include "metrics/overlap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/stable_order.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kNever = INT64_MAX;

/// Rows by resource, each resource's by start.
class RowsByResource {
 public:
  RowsByResource(const Trace& trace, std::size_t resources) : t_(trace), first_(resources + 1, 0) {
    for (std::size_t row = 0; row < t_.rows(); ++row) ++first_[t_.resource[row] + 1];
    for (std::size_t r = 0; r < resources; ++r) first_[r + 1] += first_[r];
    rows_.resize(t_.rows());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t row = 0; row < t_.rows(); ++row) rows_[next[t_.resource[row]]++] = row;
    for (std::size_t r = 0; r < resources; ++r) order(r);
  }

  [[nodiscard]] std::size_t begin(std::size_t resource) const { return first_[resource]; }
  [[nodiscard]] std::size_t end(std::size_t resource) const { return first_[resource + 1]; }
  [[nodiscard]] std::uint32_t row(std::size_t at) const { return rows_[at]; }

 private:
  // Transfers that an outage made wait may start in another order.
  void order(std::size_t r) {
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      return t_.start[a] < t_.start[b];
    };
    const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(first_[r]);
    const auto to = rows_.begin() + static_cast<std::ptrdiff_t>(first_[r + 1]);
    if (std::is_sorted(from, to, earlier)) return;
    std::vector<std::uint32_t> own(from, to);
    sort_stably(own, earlier);
    std::copy(own.begin(), own.end(), from);
  }

  const Trace& t_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> rows_;
};

/// What the rows of some resources cover together, interval by interval.
class Cover {
 public:
  Cover(const Trace& trace, const RowsByResource& rows, const std::vector<std::size_t>& resources)
      : t_(trace), rows_(rows) {
    for (const std::size_t r : resources) {
      if (rows.begin(r) < rows.end(r)) lists_.push_back({rows.begin(r), rows.end(r)});
    }
    next();
  }

  std::int64_t from = 0;
  std::int64_t to = 0;

  /// The next interval apart from those before; from kNever when there is none.
  void next() {
    from = kNever;
    for (;;) {
      List* first = nullptr;
      for (List& list : lists_) {
        if (list.at < list.end && (first == nullptr || start(list) < start(*first))) first = &list;
      }
      if (first == nullptr || (from != kNever && start(*first) > to)) return;
      const std::uint32_t row = rows_.row(first->at++);
      if (t_.kind_at(row) == OpKind::Failure || t_.end[row] == t_.start[row]) continue;
      if (from == kNever) from = to = t_.start[row];
      to = std::max(to, t_.end[row]);
    }
  }

 private:
  struct List {
    std::size_t at;
    std::size_t end;
  };
  [[nodiscard]] std::int64_t start(const List& list) const { return t_.start[rows_.row(list.at)]; }

  const Trace& t_;
  const RowsByResource& rows_;
  std::vector<List> lists_;
};

}  // namespace

std::vector<Overlap> overlaps(const Program& program, const Trace& trace) {
  const Machine& machine = program.machine;
  const RowsByResource rows(trace, machine.devices.size() + machine.links.size());
  std::vector<std::vector<std::size_t>> links(machine.devices.size());
  for (std::size_t l = 0; l < machine.links.size(); ++l) {
    const std::size_t resource = machine.devices.size() + l;
    if (rows.begin(resource) == rows.end(resource)) continue;
    links[machine.links[l].from.value].push_back(resource);
    links[machine.links[l].to.value].push_back(resource);
  }
  std::vector<Overlap> out(machine.devices.size());
  for (std::size_t d = 0; d < out.size(); ++d) {
    Cover transfers(trace, rows, links[d]);
    Cover work(trace, rows, {d});
    while (transfers.from != kNever) {
      while (work.from != kNever && work.to <= transfers.from) work.next();
      out[d].transfer += Time{transfers.to - transfers.from};
      for (; work.from < transfers.to; work.next()) {
        out[d].hidden +=
            Time{std::min(work.to, transfers.to) - std::max(work.from, transfers.from)};
        if (work.to > transfers.to) break;
      }
      transfers.next();
    }
  }
  return out;
}

}  // namespace sluice

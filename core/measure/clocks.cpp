#include "measure/clocks.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "measure/messages.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
/// Updates behind a barrier start within 0.2 ms of each other; what is further off is no barrier.
/// Source: specification of accuracy, section 1.
constexpr std::int64_t kBarrierJitterNs = 1'000'000;

std::int64_t median(std::vector<std::int64_t> values) {
  std::stable_sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  if (values.size() % 2 == 1) return values[half];
  return values[half - 1] + (values[half] - values[half - 1]) / 2;
}

/// What messages allow clock b to be moved by against clock a, for a < b.
struct Bounds {
  std::int64_t low = -kNone;
  std::int64_t high = kNone;
};

class Aligner {
 public:
  explicit Aligner(const TracedRun& run) : run_(run) {
    std::map<std::string, std::size_t> hosts;
    for (const RankTrace& r : run.ranks) {
      // A rank without a host's name has a clock of its own.
      const std::string name = r.host.empty() ? "\n" + std::to_string(r.rank) : r.host;
      clock_of_.push_back(hosts.emplace(name, hosts.size()).first->second);
    }
    clocks_ = hosts.size();
  }

  ClockAlignment align() {
    ClockAlignment out;
    out.shift_ns.assign(run_.ranks.size(), 0);
    if (clocks_ < 2) return out;
    find_bounds();
    std::vector<std::int64_t> shifts = from_updates();
    if (!shifts.empty()) {
      out.source = ClockSource::Updates;
    } else {
      shifts = from_messages(out);
    }
    const std::int64_t zero = shifts[clock_of_[run_.place_of_stage.front()]];
    for (std::size_t i = 0; i < run_.ranks.size(); ++i)
      out.shift_ns[i] = shifts[clock_of_[i]] - zero;
    return out;
  }

 private:
  void find_bounds() {
    for (const Message& m : messages_of(run_)) {
      const std::size_t from = clock_of_[m.from_place];
      const std::size_t to = clock_of_[m.to_place];
      if (from == to) continue;
      // received + shift(to) >= sent + shift(from)
      const bool waits = run_.ranks[m.to_place].host_times;
      const std::int64_t gap = (waits ? m.used_ns : m.received_ns) - m.sent_ns;
      Bounds& b = bounds_[{std::min(from, to), std::max(from, to)}];
      if (from < to) {
        b.low = std::max(b.low, -gap);
      } else {
        b.high = std::min(b.high, gap);
      }
    }
  }

  // By clock; empty when updates say nothing, or something that messages contradict.
  [[nodiscard]] std::vector<std::int64_t> from_updates() const {
    // Operations that begin with waiting leave bounds too wide to tell a barrier from none.
    for (const RankTrace& r : run_.ranks) {
      if (r.host_times) return {};
    }
    std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> starts;
    for (const OpEvent& e : run_.events) {
      if (e.kind == OpKind::Update) starts[e.iteration].emplace(e.rank, e.start_ns);
    }
    const std::int32_t first = run_.ranks[run_.place_of_stage.front()].rank;
    std::vector<std::vector<std::int64_t>> late(clocks_);
    for (const auto& [iteration, by_rank] : starts) {
      const auto zero = by_rank.find(first);
      if (zero == by_rank.end()) continue;
      for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
        const auto own = by_rank.find(run_.ranks[i].rank);
        if (own != by_rank.end()) late[clock_of_[i]].push_back(zero->second - own->second);
      }
    }
    std::vector<std::int64_t> shifts;
    for (const auto& values : late) {
      if (values.empty()) return {};
      shifts.push_back(median(values));
    }
    for (const auto& [pair, b] : bounds_) {
      const std::int64_t d = shifts[pair.second] - shifts[pair.first];
      if (d + kBarrierJitterNs < b.low || d - kBarrierJitterNs > b.high) return {};
    }
    return shifts;
  }

  // Outwards from the first stage's clock, over the pairs that exchange messages.
  std::vector<std::int64_t> from_messages(ClockAlignment& out) const {
    std::vector<std::int64_t> shifts(clocks_, 0);
    std::vector<bool> known(clocks_, false);
    std::vector<std::size_t> reached{clock_of_[run_.place_of_stage.front()]};
    known[reached.front()] = true;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::size_t from = reached[next];
      for (const auto& [pair, b] : bounds_) {
        if (pair.first != from && pair.second != from) continue;
        const std::size_t to = pair.first == from ? pair.second : pair.first;
        if (known[to]) continue;
        known[to] = true;
        reached.push_back(to);
        std::int64_t d = within(b);
        if (d != 0) out.source = ClockSource::Causality;
        if (b.low != -kNone && b.high != kNone)
          out.contradiction_ns = std::max(out.contradiction_ns, b.low - b.high);
        if (to == pair.first) d = -d;
        shifts[to] = shifts[from] + d;
      }
    }
    return shifts;
  }

  static std::int64_t within(const Bounds& b) {
    if (b.low <= 0 && b.high >= 0) return 0;
    if (b.low == -kNone) return b.high;
    if (b.high == kNone) return b.low;
    return b.low + (b.high - b.low) / 2;
  }

  const TracedRun& run_;
  std::vector<std::size_t> clock_of_;
  std::size_t clocks_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, Bounds> bounds_;
};

}  // namespace

ClockAlignment align_clocks(const TracedRun& run) {
  return Aligner(run).align();
}

TracedRun with_clocks(TracedRun run, const ClockAlignment& alignment) {
  std::map<std::int32_t, std::int64_t> shift;
  for (std::size_t i = 0; i < run.ranks.size(); ++i)
    shift[run.ranks[i].rank] = alignment.shift_ns[i];
  for (OpEvent& e : run.events) {
    e.start_ns += shift[e.rank];
    e.end_ns += shift[e.rank];
  }
  sort_events(run.events);
  return run;
}

}  // namespace sluice

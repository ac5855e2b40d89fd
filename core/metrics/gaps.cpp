#include "metrics/gaps.hpp"

#include <algorithm>
#include <cstddef>

#include "base/stable_order.hpp"
#include "metrics/ready_work.hpp"

namespace sluice {

IdleTime::IdleTime(const Program& program, const Trace& trace)
    : program_(program),
      trace_(trace),
      plays_(program, trace),
      waits_(program, trace, plays_),
      inputs_(program, trace),
      by_device_(trace.devices) {
  find_gaps();
}

// Goes through the rows in order of time, so that what a chain looks at was looked at just before.
void IdleTime::find_gaps() {
  ReadyWork ready(program_, trace_, plays_, inputs_);
  GapReasons reasons;
  std::vector<std::uint32_t> next(trace_.devices);
  std::vector<std::int64_t> idle_since(trace_.devices, plays_.from());
  for (std::uint32_t d = 0; d < trace_.devices; ++d) next[d] = plays_.lane_begin(d);
  const auto add = [&](Gap gap) {
    if (gap.next == kNoRow) gap.first_ready = static_cast<std::uint32_t>(could_run_.size());
    gap.end_ready = static_cast<std::uint32_t>(could_run_.size());
    explain(gap, reasons);
    for (std::size_t c = 0; c < kIdleCauses; ++c)
      by_device_[gap.device].of[c] += reasons.causes.of[c];
    gaps_.push_back(gap);
  };
  const auto& lanes = plays_.lanes();
  for (std::uint32_t row = 0; row < trace_.rows(); ++row) {
    const std::uint32_t d = trace_.resource[row];
    if (d >= trace_.devices) continue;
    const std::uint32_t at = next[d];
    if (at == plays_.lane_begin(d + 1) || lanes[at] != row) continue;
    const auto own = [&](Gap gap) {
      gap.next = row;
      gap.first_ready = static_cast<std::uint32_t>(could_run_.size());
      fill(gap, at, ready);
      add(gap);
    };
    if (idle_since[d] < trace_.start[row])
      split({.from = idle_since[d], .to = trace_.start[row], .device = d}, add, own);
    ready.ran(at);
    idle_since[d] = trace_.end[row];
    ++next[d];
  }
  for (std::uint32_t d = 0; d < trace_.devices; ++d) {
    if (program_.first_rank[d] == program_.first_rank[d + 1]) continue;
    if (idle_since[d] < plays_.until())
      split({.from = idle_since[d], .to = plays_.until(), .device = d}, add, add);
  }
}

// Idle time as it is but for what was thrown away, which is a piece by itself. The last piece goes
// to `last`.
template <class Add, class Last>
void IdleTime::split(Gap gap, const Add& add, const Last& last) const {
  const std::int64_t to = gap.to;
  const auto piece = [&](std::int64_t until, bool discarded) {
    gap.to = until;
    gap.discarded = discarded;
    if (gap.from < until) add(gap);
    gap.from = until;
  };
  const auto& all = trace_.discarded;
  const auto over = [](std::int64_t time, const Discarded& d) { return time < d.to; };
  for (auto d = std::upper_bound(all.begin(), all.end(), gap.from, over);
       d != all.end() && d->from < to; ++d) {
    piece(std::max(d->from, gap.from), false);
    piece(std::min(d->to, to), true);
  }
  gap.to = to;
  gap.discarded = false;
  if (gap.from < to) last(gap);
}

// What could have run in the gap before the lanes' `at`-th row.
void IdleTime::fill(const Gap& gap, std::size_t at, ReadyWork& ready) {
  // Elsewhere the order of messages decides what can be there.
  if (program_.simulation.communication != Communication::Async) return;
  if (plays_.in_phase(gap.next) || waits_.down_within(gap.device, gap.from, gap.to)) return;
  const std::int64_t begin = plays_.plays()[plays_.play_of(gap.next)].begin;
  ready.fill(at, std::max(begin, gap.from), gap.to, could_run_);
}

GapReasons IdleTime::reasons(const Gap& gap) const {
  GapReasons out;
  explain(gap, out);
  return out;
}

// Newest first: of each play that the gap touches the pause before the next one, its optimizer
// phase and its work.
void IdleTime::explain(const Gap& gap, GapReasons& reasons) const {
  reasons.causes = {};
  reasons.chain.clear();
  if (gap.discarded) {
    reasons.chain.push_back({gap.from, gap.to, IdleCause::Failure, kNoRow, false});
    reasons.causes.add(IdleCause::Failure, gap.to - gap.from);
    return;
  }
  const auto& plays = plays_.plays();
  const auto before = [](std::int64_t time, const PlayTimes& play) { return time <= play.begin; };
  auto k = static_cast<std::size_t>(std::upper_bound(plays.begin(), plays.end(), gap.to, before) -
                                    plays.begin());
  std::int64_t next_begin = plays_.until();
  if (k < plays.size()) next_begin = plays[k].begin;
  while (k-- > 0 && next_begin > gap.from) {
    const PlayTimes& play = plays[k];
    const auto within = [&](std::int64_t time) { return std::clamp(time, gap.from, gap.to); };
    if (within(play.ended) < within(next_begin)) {
      reasons.chain.push_back(
          {within(play.ended), within(next_begin), IdleCause::Barrier, kNoRow, false});
    }
    if (within(play.worked) < within(play.ended)) {
      // Before its own update the device waits for reductions, after it for the last update.
      const bool own = gap.next != kNoRow && plays_.in_phase(gap.next) && gap.to <= play.ended;
      if (own) {
        waits_.before(gap.next, within(play.worked), IdleCause::Optimizer, reasons.chain);
      } else {
        waits_.through(play.last_update, within(play.worked), IdleCause::Optimizer, reasons.chain);
      }
    }
    explain_work(gap, k, reasons);
    next_begin = play.begin;
  }
  // What could have run takes the place of the chain; both are gone through from the newest on.
  std::uint32_t ready = gap.end_ready;
  for (const WaitStep& step : reasons.chain) {
    std::int64_t left = step.to - step.from;
    for (std::uint32_t r = ready; r > gap.first_ready; --r) {
      const WaitStep& other = could_run_[r - 1];
      if (other.to <= step.from) break;
      const std::int64_t both = std::min(step.to, other.to) - std::max(step.from, other.from);
      if (both > 0) {
        reasons.causes.add(other.cause, both);
        left -= both;
      }
      if (other.from >= step.from) ready = r - 1;
    }
    reasons.causes.add(step.cause, left);
  }
}

// The part in which a play's operations run: before the device's own next one, or after its last.
void IdleTime::explain_work(const Gap& gap, std::size_t play, GapReasons& reasons) const {
  const PlayTimes& p = plays_.plays()[play];
  const std::int64_t since = std::max(gap.from, p.begin);
  if (since >= std::min(gap.to, p.worked)) return;
  const bool own = gap.next != kNoRow && !plays_.in_phase(gap.next) && gap.to <= p.worked &&
                   plays_.play_of(gap.next) == play;
  if (!own) return waits_.through(p.last_row, since, IdleCause::Drain, reasons.chain);
  const bool first = gap.from <= p.begin;
  waits_.before(gap.next, since, first ? IdleCause::WarmUp : IdleCause::Dependency, reasons.chain);
}

std::vector<std::uint32_t> IdleTime::longest(std::size_t most) const {
  return first_in_order(gaps_.size(), most, [&](std::uint32_t a, std::uint32_t b) {
    return gaps_[a].to - gaps_[a].from > gaps_[b].to - gaps_[b].from;
  });
}

}  // namespace sluice

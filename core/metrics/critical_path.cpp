#include "metrics/critical_path.hpp"

#include <algorithm>
#include <cstddef>

#include "base/stable_order.hpp"

namespace sluice {
namespace {

PathShare share_of(const Trace& t, const WaitStep& step) {
  PathShare out;
  out.waits = !step.under_way || !t.done_at(step.row);
  out.cause = step.cause;
  out.resource = kNoResource;
  out.time = {step.to - step.from};
  if (step.row != kNoRow) {
    out.kind = t.kind_at(step.row);
    out.resource = t.resource[step.row];
  }
  // What work is called in a gap does not matter here.
  if (!out.waits) out.cause = IdleCause::Dependency;
  return out;
}

bool before(const PathShare& a, const PathShare& b) {
  if (a.resource != b.resource) return a.resource < b.resource;
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.waits != b.waits) return b.waits;
  return a.cause < b.cause;
}

void add_shares(const Trace& t, CriticalPath& path) {
  std::vector<PathShare> sums;
  const auto step_before = [&](std::uint32_t a, std::uint32_t b) {
    return before(share_of(t, path.steps[a]), share_of(t, path.steps[b]));
  };
  for (const std::uint32_t i : stable_order(path.steps.size(), step_before)) {
    const PathShare share = share_of(t, path.steps[i]);
    Duration& sum = share.waits                   ? path.wait
                    : share.resource >= t.devices ? path.communication
                                                  : path.compute;
    sum += share.time;
    if (sums.empty() || before(sums.back(), share)) {
      sums.push_back(share);
    } else {
      sums.back().time += share.time;
    }
  }
  const auto larger = [&](std::uint32_t a, std::uint32_t b) { return sums[a].time > sums[b].time; };
  for (const std::uint32_t i : stable_order(sums.size(), larger)) path.shares.push_back(sums[i]);
}

// Between two plays, newest first: what was thrown away there, and the pause.
void add_pause(const Trace& t, std::int64_t from, std::int64_t to, CriticalPath& path) {
  const auto add = [&](std::int64_t since, IdleCause cause) {
    if (since < to) path.steps.push_back({since, to, cause, kNoRow, false});
    to = std::min(to, since);
  };
  for (std::size_t i = t.discarded.size(); i-- > 0;) {
    const Discarded& d = t.discarded[i];
    if (d.from >= to || d.to <= from) continue;
    add(std::max(from, d.to), IdleCause::Barrier);
    add(std::max(from, d.from), IdleCause::Failure);
  }
  add(from, IdleCause::Barrier);
}

}  // namespace

CriticalPath critical_path(const Trace& trace, const IdleTime& idle) {
  CriticalPath path;
  const auto& plays = idle.plays().plays();
  std::int64_t next_begin = idle.plays().until();
  for (std::size_t k = plays.size(); k-- > 0;) {
    const PlayTimes& play = plays[k];
    add_pause(trace, play.ended, next_begin, path);
    if (play.last_update != kNoRow)
      idle.waits().through(play.last_update, play.worked, IdleCause::Dependency, path.steps);
    if (play.last_row != kNoRow)
      idle.waits().through(play.last_row, play.begin, IdleCause::Dependency, path.steps);
    next_begin = play.begin;
  }
  if (!trace.discarded.empty()) add_pause(trace, idle.plays().from(), next_begin, path);
  add_shares(trace, path);
  return path;
}

}  // namespace sluice

#include "metrics/waits.hpp"

#include <algorithm>
#include <cstddef>

#include "base/stable_order.hpp"
#include "engine/draws.hpp"

namespace sluice {
namespace {

void add(std::int64_t from, std::int64_t to, IdleCause cause, std::uint32_t row, bool under_way,
         std::vector<WaitStep>& steps) {
  if (from < to) steps.push_back({from, to, cause, row, under_way});
}

}  // namespace

Waits::Waits(const Program& program, const Trace& trace, const Plays& plays)
    : program_(program), trace_(trace), plays_(plays) {
  expect_jitter();
  if (!program_.failure.enabled) return;
  for (std::uint32_t row = 0; row < trace_.rows(); ++row) {
    if (trace_.kind_at(row) == OpKind::Failure) outages_.push_back(row);
  }
  const auto before_other = [&](std::uint32_t a, std::uint32_t b) {
    return trace_.resource[outages_[a]] < trace_.resource[outages_[b]];
  };
  std::vector<std::uint32_t> sorted = stable_order(outages_.size(), before_other);
  for (std::uint32_t& place : sorted) place = outages_[place];
  outages_.swap(sorted);
  first_outage_.assign(trace_.devices + program_.machine.links.size() + 1, 0);
  for (const std::uint32_t row : outages_) ++first_outage_[trace_.resource[row] + 1];
  for (std::size_t r = 1; r < first_outage_.size(); ++r) first_outage_[r] += first_outage_[r - 1];
}

// Links mostly share their noise, and its mean is an integral: found once for neighbours alike.
void Waits::expect_jitter() {
  const Link* last = nullptr;
  for (const Link& link : program_.machine.links) {
    const bool same =
        last != nullptr && last->jitter == link.jitter && last->jitter_scale == link.jitter_scale;
    expected_jitter_.push_back(
        same ? expected_jitter_.back()
             : time_from_ms(link.jitter_scale * typical(link.jitter)).value_or(kMaxRunTime).ps);
    last = &link;
  }
}

void Waits::before(std::uint32_t row, std::int64_t since, IdleCause computing,
                   std::vector<WaitStep>& steps) const {
  std::int64_t until = trace_.start[row];
  while (until > since) {
    const std::uint32_t earlier = decider(row);
    const std::int64_t there =
        earlier == kNoRow ? since : std::clamp(trace_.end[earlier], since, until);
    held_up(row, there, until, steps);
    if (there == since) return;
    add_row(earlier, since, there, computing, steps);
    row = earlier;
    until = std::min(there, trace_.start[earlier]);
  }
}

void Waits::through(std::uint32_t row, std::int64_t since, IdleCause computing,
                    std::vector<WaitStep>& steps) const {
  add_row(row, since, trace_.end[row], computing, steps);
  before(row, since, computing, steps);
}

// A send that waited until its receiver was ready was decided by what the receiver did until then.
std::uint32_t Waits::decider(std::uint32_t row) const {
  const std::uint32_t given = trace_.predecessor[row];
  if (program_.simulation.communication != Communication::Rendezvous || given == kNoRow ||
      trace_.resource[row] < trace_.devices || trace_.end[given] == trace_.start[row])
    return given;
  const Link& link = program_.machine.links[trace_.resource[row] - trace_.devices];
  const std::uint32_t receiver = plays_.ended_at(link.to.value, trace_.start[row]);
  return receiver != kNoRow && receiver < row ? receiver : given;
}

// The resource's first outage that ends after `time`, as a place in the list.
std::uint32_t Waits::outage_after(std::uint32_t resource, std::int64_t time) const {
  std::uint32_t low = first_outage_[resource];
  std::uint32_t high = first_outage_[resource + 1];
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (trace_.end[outages_[middle]] <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool Waits::down_within(std::uint32_t resource, std::int64_t from, std::int64_t to) const {
  if (outages_.empty()) return false;
  const std::uint32_t at = outage_after(resource, from);
  return at < first_outage_[resource + 1] && trace_.start[outages_[at]] < to;
}

// What holds up a row whose inputs are there and whose resource is free, when nothing is down.
IdleCause Waits::waiting(std::uint32_t row) const {
  if (!trace_.per_microbatch(row)) return IdleCause::Optimizer;
  const Communication mode = program_.simulation.communication;
  if (mode == Communication::Calls) return IdleCause::LinkLatency;
  if (trace_.resource[row] < trace_.devices) return IdleCause::Order;
  if (mode == Communication::Async) return IdleCause::LinkBusy;
  return mode == Communication::Rendezvous ? IdleCause::Dependency : IdleCause::Order;
}

// [from, to), in which a row waited although what it needs was there and its resource free.
void Waits::held_up(std::uint32_t row, std::int64_t from, std::int64_t to,
                    std::vector<WaitStep>& steps) const {
  const IdleCause cause = waiting(row);
  if (!outages_.empty()) {
    const std::uint32_t resource = trace_.resource[row];
    // The last that begins before `to` is the first that ends after it, or the one before that.
    std::uint32_t at = outage_after(resource, to - 1);
    const std::uint32_t last = first_outage_[resource + 1];
    if (at < last && trace_.start[outages_[at]] < to) ++at;
    for (; at > first_outage_[resource] && trace_.end[outages_[at - 1]] > from; --at) {
      const std::int64_t start = trace_.start[outages_[at - 1]];
      const std::int64_t end = trace_.end[outages_[at - 1]];
      add(end, to, cause, row, false, steps);
      add(std::max(from, start), std::min(to, end), IdleCause::Failure, row, false, steps);
      to = std::min(to, start);
    }
  }
  add(from, to, cause, row, false, steps);
}

void Waits::add_row(std::uint32_t row, std::int64_t since, std::int64_t until, IdleCause computing,
                    std::vector<WaitStep>& steps) const {
  const std::int64_t from = std::max(since, trace_.start[row]);
  if (!trace_.done_at(row)) return add(from, until, IdleCause::Failure, row, true, steps);
  if (!trace_.per_microbatch(row)) return add(from, until, IdleCause::Optimizer, row, true, steps);
  if (trace_.resource[row] >= trace_.devices) return add_transfer(row, from, until, steps);
  const std::int64_t expected =
      std::clamp(trace_.end[row] - overrun(row), from, std::max(from, until));
  add(expected, until, IdleCause::Straggler, row, true, steps);
  add(from, expected, computing, row, true, steps);
}

void Waits::add_transfer(std::uint32_t row, std::int64_t since, std::int64_t until,
                         std::vector<WaitStep>& steps) const {
  const OpKind kind = trace_.kind_at(row);
  const std::uint32_t stage = trace_.stage[row];
  const Hop& hop =
      (kind == OpKind::Activation ? program_.forward_hop : program_.backward_hop)[stage];
  std::int64_t jitter = 0;
  std::int64_t expected = 0;
  if (hop.noisy) {
    const Link& link = program_.machine.links[hop.link];
    jitter = drawn_jitter(program_, link, kind, stage, trace_.index[row]).value_or(Duration{}).ps;
    expected = expected_jitter_[hop.link];
  }
  const std::int64_t late = trace_.end[row] - std::max<std::int64_t>(0, jitter - expected);
  const std::int64_t sent = trace_.end[row] - hop.latency_ps - jitter;
  const auto within = [&](std::int64_t time) { return std::clamp(time, since, until); };
  add(within(late), until, IdleCause::Straggler, row, true, steps);
  add(within(sent), within(late), IdleCause::LinkLatency, row, true, steps);
  add(since, within(sent), IdleCause::LinkBusy, row, true, steps);
}

// By how much an operation took longer than its expected time, by chance or by a slow device.
std::int64_t Waits::overrun(std::uint32_t row) const {
  const auto over = [&](OpKind kind, std::uint32_t of) -> std::int64_t {
    const std::uint32_t stage = trace_.stage[of];
    const OpTime& time =
        program_.times[std::size_t{stage} * kTimedKinds + static_cast<std::size_t>(kind)];
    if (!time.noisy) return time.slow_ps;
    const auto drawn = drawn_time(program_, kind, stage, trace_.index[of], trace_.start[of]);
    return drawn.value_or(Duration{time.fixed_ps}).ps - time.fixed_ps + time.slow_ps;
  };
  const OpKind kind = trace_.kind_at(row);
  const auto own = std::size_t{trace_.stage[row]} * kTimedKinds + static_cast<std::size_t>(kind);
  // A cell without a time of its own takes that of its halves.
  const std::int64_t sum =
      kind == OpKind::Overlapped && program_.times[own].sum
          ? over(OpKind::Forward, row) + over(trace_.kind_at(std::size_t{row} + 1), row + 1)
          : over(kind, row);
  return std::max<std::int64_t>(0, sum);
}

}  // namespace sluice

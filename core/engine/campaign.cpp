#include "engine/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rng.hpp"

namespace sluice {
namespace {

/// Beyond a century, and twice it is still a number.
constexpr std::int64_t kNever = INT64_MAX / 2;
constexpr double kNsPerS = 1e9;
constexpr double kNsPerMs = 1e6;
/// Steps shorter than this would be simulated by the engine.
constexpr std::int64_t kShortest = 1000;

std::int64_t ns_of(double value, double unit) {
  const double ns = value * unit + 0.5;
  return ns < static_cast<double>(kNever) ? static_cast<std::int64_t>(ns) : kNever;
}

}  // namespace

Campaign::Campaign(CampaignPlan plan) : plan_(std::move(plan)) {
  for (LongTime& length : plan_.step_lengths) length.ns = std::max(length.ns, kShortest);
  const auto& lengths = plan_.step_lengths;
  const auto differs = [&](LongTime t) { return t != lengths.front(); };
  alike_ = std::none_of(lengths.begin(), lengths.end(), differs);
  end_ = plan_.duration.ns > 0 ? plan_.duration.ns : kNever;
  restart_ = ns_of(plan_.failure.restart_s, kNsPerS);
  const CheckpointSection& c = plan_.failure.checkpoint;
  cost_ = ns_of(c.cost_s, kNsPerS);
  interval_ = c.interval_s ? ns_of(*c.interval_s, kNsPerS) : 0;
  spares_ = static_cast<std::uint32_t>(plan_.failure.spares);
  for (std::uint32_t i = 0; i < plan_.components.size(); ++i) await_next(i, 0, 0);
}

void Campaign::await_next(std::uint32_t component, std::uint32_t number, std::int64_t repaired) {
  const FailureComponent& c = plan_.components[component];
  std::int64_t next = kNever;
  if (c.scale_ms > 0) {
    const std::int64_t life = ns_of(life_ms(c, plan_.seed, number), kNsPerMs);
    next = life < kNever - repaired ? repaired + life : kNever;
  } else if (number < c.at_ps.size()) {
    next = std::max(now_, long_time(c.at_ps[number]).ns);
  }
  if (next < kNever) failures_.push({next, component, number});
}

std::int64_t Campaign::next_failure() const {
  return failures_.empty() ? kNever : failures_.top().at;
}

std::int64_t Campaign::length_of(std::uint64_t step) const {
  const auto& lengths = plan_.step_lengths;
  if (alike_) return lengths.front().ns;
  const PhiloxBlock bits = draw({.seed = plan_.seed,
                                 .purpose = Purpose::StepLength,
                                 .entity = step >> 32,
                                 .microbatch = static_cast<std::uint32_t>(step),
                                 .number = 0});
  const double u = uniform01(bits[0], bits[1]) * static_cast<double>(lengths.size());
  return lengths[static_cast<std::size_t>(u)].ns;
}

bool Campaign::checkpoint_due() const {
  if (plan_.failure.recovery != Recovery::Checkpoint || made_ == 0) return false;
  if (interval_ > 0 && now_ - saved_at_ >= interval_) return true;
  const std::int64_t every = plan_.failure.checkpoint.every_steps;
  return every > 0 && made_ >= static_cast<std::uint64_t>(every);
}

bool Campaign::step(std::uint64_t units) {
  for (std::uint64_t i = 0; i < units && !over_; ++i) {
    if (next_failure() <= now_) {
      fail();
    } else {
      work();
    }
  }
  return over_;
}

// Up to the next failure: steps, or the rest of what was held up, or a checkpoint.
void Campaign::work() {
  const std::int64_t until = std::min(next_failure(), end_);
  if (begun_at_ < 0) {
    const bool last = plan_.steps > 0 && saved_steps_ + made_ >= plan_.steps;
    if (last) return end_at(now_);
    saves_ = checkpoint_due();
    if (!saves_ && alike_) {
      make_steps(until);
      if (checkpoint_due() || (plan_.steps > 0 && saved_steps_ + made_ >= plan_.steps)) return;
    }
    begun_at_ = now_;
    left_ = saves_ ? cost_ : length_of(saved_steps_ + made_);
  }
  // What ends in the instant of a failure does not count.
  if (now_ + left_ >= until) {
    left_ -= until - now_;
    now_ = until;
    if (until == end_) end_at(end_);
    return;
  }
  now_ += left_;
  begun_at_ = -1;
  if (!saves_) {
    ++made_;
    if (plan_.failure.recovery != Recovery::Checkpoint) stalled_here_ = 0;
    return;
  }
  ++result_.checkpoints;
  result_.saving.ns += cost_;
  saved_steps_ += made_;
  made_ = 0;
  saved_at_ = now_;
  stalled_here_ = 0;
}

// As many whole steps as end before `until` and before the next checkpoint is due.
void Campaign::make_steps(std::int64_t until) {
  const std::int64_t length = plan_.step_lengths.front().ns;
  std::int64_t count = (until - now_ - 1) / length;
  if (plan_.steps > 0)
    count = std::min(count, static_cast<std::int64_t>(plan_.steps - saved_steps_ - made_));
  if (plan_.failure.recovery == Recovery::Checkpoint) {
    const std::int64_t every = plan_.failure.checkpoint.every_steps;
    if (interval_ > 0)
      count = std::min(count, (saved_at_ + interval_ - now_ + length - 1) / length);
    if (every > 0) count = std::min(count, every - static_cast<std::int64_t>(made_));
  }
  count = std::max<std::int64_t>(count, 0);
  now_ += count * length;
  made_ += static_cast<std::uint64_t>(count);
}

std::int64_t Campaign::repaired_at(const FailureComponent& component, std::uint32_t working) {
  const std::int64_t repaired = now_ + component.repair_ps / 1000;
  if (plan_.failure.recovery == Recovery::Operation || working == 0) return repaired;
  for (; !spares_back_.empty() && spares_back_.top() <= now_; spares_back_.pop()) ++spares_;
  if (spares_ < working) return repaired;
  spares_ -= working;
  for (std::uint32_t i = 0; i < working; ++i) spares_back_.push(repaired);
  return now_;
}

// A failure now: work stops until it is repaired, and with it everything that fails meanwhile.
void Campaign::fail() {
  const std::int64_t since = now_;
  std::int64_t on_at = now_;
  bool back = false;
  while (next_failure() <= on_at) {
    const Next next = failures_.top();
    failures_.pop();
    now_ = std::max(since, next.at);
    if (now_ >= end_) break;
    const FailureComponent& c = plan_.components[next.component];
    const std::uint32_t working = plan_.working[next.component];
    const std::int64_t repaired = repaired_at(c, working);
    ++result_.failures;
    await_next(next.component, next.number + 1, repaired);
    const bool rolls = working > 0 && plan_.failure.recovery != Recovery::Operation;
    if (rolls) {
      ++result_.rollbacks;
      if (!back) go_back(since);
      back = true;
    }
    on_at = std::max(on_at, repaired + (rolls ? restart_ : 0));
  }
  now_ = std::min(on_at, end_);
  (back ? result_.recovering : result_.stalled).ns += now_ - since;
  if (back) {
    saved_at_ = now_;
  } else {
    stalled_here_ += now_ - since;
  }
  if (now_ >= end_) end_at(end_);
}

void Campaign::go_back(std::int64_t since) {
  if (plan_.failure.recovery == Recovery::Checkpoint) {
    // Work since the checkpoint and the step, or checkpoint, under way.
    result_.lost.ns += since - saved_at_ - stalled_here_;
    made_ = 0;
  } else if (begun_at_ >= 0) {
    result_.lost.ns += since - begun_at_ - stalled_here_;
  }
  stalled_here_ = 0;
  begun_at_ = -1;
}

void Campaign::end_at(std::int64_t time) {
  over_ = true;
  result_.time.ns = time;
  result_.steps = saved_steps_ + made_;
}

std::uint64_t Campaign::done() const {
  if (over_) return total();
  const double by_time = static_cast<double>(now_) / static_cast<double>(end_);
  const double by_steps =
      plan_.steps > 0 ? static_cast<double>(saved_steps_ + made_) / static_cast<double>(plan_.steps)
                      : 0;
  return static_cast<std::uint64_t>(std::max(by_time, by_steps) * static_cast<double>(total()));
}

double young_interval(double cost_s, double mtbf_s) {
  return std::sqrt(2 * cost_s * mtbf_s);
}

double daly_interval(double cost_s, double mtbf_s) {
  if (cost_s >= 2 * mtbf_s) return mtbf_s;
  const double half = cost_s / (2 * mtbf_s);
  return young_interval(cost_s, mtbf_s) * (1 + std::sqrt(half) / 3 + half / 9) - cost_s;
}

}  // namespace sluice

#include "metrics/ready_work.hpp"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::size_t kNoClass = 3;
constexpr std::size_t kNowhere = SIZE_MAX;

std::size_t class_of(OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
      return 0;
    case OpKind::Backward:
    case OpKind::InputGrad:
      return 1;
    case OpKind::WeightGrad:
      return 2;
    default:
      return kNoClass;
  }
}

}  // namespace

ReadyWork::ReadyWork(const Program& program, const Trace& trace, const Plays& plays,
                     const Inputs& inputs)
    : program_(program),
      trace_(trace),
      plays_(plays),
      inputs_(inputs),
      begun_(program.device_of_rank.size(), 0),
      released_(begun_),
      peak_(begun_),
      taken_(kClasses * trace.devices, 0) {
  for (std::uint32_t row = 0; row < trace.rows(); ++row) {
    if (trace.per_microbatch(row) && trace.done_at(row) && trace.resource[row] < trace.devices)
      count(row);
  }
  begun_.assign(begun_.size(), 0);
  released_.assign(released_.size(), 0);
  number_forwards();
}

void ReadyWork::count(std::uint32_t row) {
  const std::size_t r = rank(row);
  switch (trace_.kind_at(row)) {
    case OpKind::Forward:
    case OpKind::Overlapped:
      ++begun_[r];
      break;
    case OpKind::Backward:
    case OpKind::WeightGrad:
      ++released_[r];
      break;
    default:
      break;
  }
  if (begun_[r] > released_[r]) peak_[r] = std::max(peak_[r], begun_[r] - released_[r]);
}

void ReadyWork::number_forwards() {
  std::vector<std::uint32_t> of_rank(begun_.size(), 0);
  forwards_.reserve(plays_.lanes().size());
  for (const std::uint32_t row : plays_.lanes()) {
    std::uint32_t& n = of_rank[rank(row)];
    if (goes_forward(trace_.kind_at(row)) && trace_.done_at(row)) ++n;
    forwards_.push_back(n);
  }
}

void ReadyWork::ran(std::size_t at) {
  const std::uint32_t row = plays_.lanes()[at];
  if (!trace_.per_microbatch(row) || !trace_.done_at(row)) return;
  count(row);
  if (trace_.kind_at(row) == OpKind::Overlapped) count(row + 1);
}

// The first row of the class after `next` that has not been counted; kNowhere when there is none.
std::size_t ReadyWork::candidate(std::size_t of_class, std::size_t next) {
  const auto& lanes = plays_.lanes();
  const std::uint32_t waiting = lanes[next];
  const std::uint32_t device = trace_.resource[waiting];
  const std::size_t end = plays_.lane_begin(device + 1);
  std::uint32_t& at = taken_[kClasses * device + of_class];
  at = std::max(at, static_cast<std::uint32_t>(next + 1));
  while (at < end &&
         (class_of(trace_.kind_at(lanes[at])) != of_class || !trace_.done_at(lanes[at])))
    ++at;
  if (at == end || plays_.play_of(lanes[at]) != plays_.play_of(waiting)) return kNowhere;
  // Slices of a microbatch follow one another.
  const bool follows = trace_.slices > 1 && trace_.per_microbatch(waiting) &&
                       trace_.unit_at(lanes[at]) == trace_.unit_at(waiting);
  return follows ? kNowhere : at;
}

std::int64_t ReadyWork::ready_at(std::uint32_t row) const {
  std::int64_t ready = 0;
  for (const std::uint32_t needed : {inputs_.from_elsewhere(row), inputs_.own(row)}) {
    if (needed != kNoRow) ready = std::max(ready, trace_.end[needed]);
  }
  return ready;
}

void ReadyWork::fill(std::size_t next, std::int64_t from, std::int64_t to,
                     std::vector<WaitStep>& steps) {
  const auto& lanes = plays_.lanes();
  while (from < to) {
    std::size_t best = kNowhere;
    std::size_t best_class = kNoClass;
    std::int64_t begins = 0;
    for (std::size_t c = 0; c < kClasses; ++c) {
      const std::size_t at = candidate(c, next);
      if (at == kNowhere) continue;
      const std::uint32_t row = lanes[at];
      const std::int64_t begin = std::max(from, ready_at(row));
      if (begin + trace_.end[row] - trace_.start[row] > to) continue;
      if (best != kNowhere && begin >= begins) continue;
      best = at;
      best_class = c;
      begins = begin;
    }
    if (best == kNowhere) return;
    const std::uint32_t row = lanes[best];
    ++taken_[kClasses * trace_.resource[row] + best_class];
    const bool beyond =
        best_class == 0 && forwards_[best] > released_[rank(row)] + peak_[rank(row)];
    from = begins + trace_.end[row] - trace_.start[row];
    if (begins < from)
      steps.push_back({begins, from, beyond ? IdleCause::Memory : IdleCause::Order, row, false});
  }
}

}  // namespace sluice

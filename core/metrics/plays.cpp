#include "metrics/plays.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/draws.hpp"

namespace sluice {
namespace {

// Whether a row is a device's time of its own.
bool computes(const Trace& t, std::size_t row) {
  return t.resource[row] < t.devices && t.kind_at(row) != OpKind::Failure && !t.second_half(row);
}

}  // namespace

Plays::Plays(const Program& program, const Trace& trace)
    : trace_(trace), barrier_(program.simulation.step_barrier && !program.own_updates) {
  const Plan& plan = program.plan;
  const int microbatches = plan.order ? plan.order->microbatches : plan.microbatches;
  per_play_ = static_cast<std::uint32_t>(microbatches * plan.slices());
  plays_.resize(barrier_ ? program.plays : 1);
  lay_out_lanes();
  find_ends();
  plays_.front().begin = from_;
  for (std::size_t k = 1; k < plays_.size(); ++k) {
    const auto pause = drawn_pause(program, static_cast<std::uint32_t>(k));
    plays_[k].begin = plays_[k - 1].ended + pause.value_or(Duration{}).ps;
  }
  // What was thrown away lies before the begin that counts.
  for (PlayTimes& play : plays_) {
    for (const Discarded& d : trace.discarded) {
      if (d.to <= play.worked) play.begin = std::max(play.begin, d.to);
    }
  }
}

std::uint32_t Plays::play_of(std::size_t row) const {
  if (plays_.size() == 1) return 0;
  return trace_.per_microbatch(row) ? trace_.index[row] / per_play_ : trace_.index[row];
}

// Rows are appended as they start, so each device's are in order already.
void Plays::lay_out_lanes() {
  first_.assign(std::size_t{trace_.devices} + 1, 0);
  for (std::size_t row = 0; row < trace_.rows(); ++row) {
    if (computes(trace_, row)) ++first_[trace_.resource[row] + 1];
  }
  for (std::size_t d = 0; d < trace_.devices; ++d) first_[d + 1] += first_[d];
  rows_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t row = 0; row < trace_.rows(); ++row) {
    if (computes(trace_, row))
      rows_[next[trace_.resource[row]]++] = static_cast<std::uint32_t>(row);
  }
}

void Plays::find_ends() {
  bool any = false;
  for (std::uint32_t row = 0; row < trace_.rows(); ++row) {
    if (!computes(trace_, row)) continue;
    PlayTimes& play = plays_[play_of(row)];
    const std::int64_t end = trace_.end[row];
    from_ = any ? std::min(from_, trace_.start[row]) : trace_.start[row];
    until_ = any ? std::max(until_, end) : end;
    any = true;
    if (!trace_.done_at(row)) continue;
    std::uint32_t& last = in_phase(row) ? play.last_update : play.last_row;
    if (last == kNoRow || end > trace_.end[last]) last = row;
  }
  for (PlayTimes& play : plays_) {
    if (play.last_row != kNoRow) play.worked = trace_.end[play.last_row];
    play.ended = play.last_update == kNoRow ? play.worked : trace_.end[play.last_update];
  }
}

std::uint32_t Plays::ended_at(std::uint32_t device, std::int64_t time) const {
  const auto rows = lane(device);
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), time,
                       [&](std::int64_t at, std::uint32_t row) { return at < trace_.end[row]; });
  if (after == rows.begin() || trace_.end[*(after - 1)] != time) return kNoRow;
  return *(after - 1);
}

}  // namespace sluice

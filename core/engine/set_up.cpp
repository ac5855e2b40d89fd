// What an engine lays out before its first event.
#include <algorithm>
#include <utility>

#include "engine/hot_path.hpp"

namespace sluice {

Engine::Engine(const Program& program, Trace recycled)
    : program_(program), trace_(std::move(recycled)) {
  const Plan& plan = program_.plan;
  microbatches_ =
      static_cast<std::uint32_t>(plan.order ? plan.order->microbatches : plan.microbatches);
  slices_ = static_cast<std::uint32_t>(plan.slices());
  plays_ = program_.plays;
  track_outcome_ = program_.failure.enabled;
  trace_.events = 0;
  trace_.devices = static_cast<std::uint32_t>(program_.machine.devices.size());
  trace_.microbatches = static_cast<std::uint32_t>(plan.microbatches);
  trace_.slices = slices_;
  trace_.stages = static_cast<std::uint32_t>(plan.placement.stages());
  trace_.outcome.set_size(0);
  trace_.discarded.clear();
  plain_links_ = program_.simulation.transfers != Transfers::Shared && !program_.failure.enabled;
  lay_out_stages();
  if (plan.order) operations_ = plan.order->operations.data();
  ranks_.resize(static_cast<std::size_t>(plan.ranks()));
  devices_.resize(program_.machine.devices.size());
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices_[d].first_rank = program_.first_rank[d];
    devices_[d].end_rank = program_.first_rank[d + 1];
  }
  links_.resize(program_.machine.links.size());
  touched_.reserve(devices_.size());
  if (program_.simulation.communication != Communication::Async) {
    streams_.resize(ranks_.size());
    // An operation sends two things at most, and the next one receives two.
    constexpr std::size_t kFew = 8;
    for (Stream& s : streams_) s.waiting.reserve(kFew);
  }
  queue_.reserve(2 * devices_.size() + 2 * links_.size() + 64);
  if (plan.policy) policy_.emplace(*plan.policy, plan.ranks(), plan.microbatches, program_.means);

  const std::uint64_t rows = program_.rows_per_batch * plays_;
  capacity_ = static_cast<std::size_t>(
                  std::min<std::uint64_t>(rows, 2 * static_cast<std::uint64_t>(kMaxOperations))) +
              16;
  // Outages may repeat work, but a run that needs several times its rows does not get anywhere.
  constexpr std::size_t kRetries = 4;
  constexpr std::size_t kFewRows = std::size_t{1} << 21;
  most_rows_ = std::max(kRetries * capacity_, kFewRows);
  grow_rows();
  ranks_left_ = static_cast<std::uint32_t>(plan.ranks());
  if (!program_.sums.empty()) {
    sums_of_rank_.resize(ranks_.size());
    for (std::uint32_t i = 0; i < program_.sums.size(); ++i) {
      for (const std::uint32_t rank : program_.sums[i].ranks) sums_of_rank_[rank].push_back(i);
    }
  }
  if (program_.failure.enabled) marks_.resize(plays_);
  begin_batch();
  if (!program_.failure.enabled) return;
  spares_ = static_cast<std::uint32_t>(program_.failure.spares);
  const auto interval = time_from_ms(program_.failure.check_interval_ms);
  if (interval && interval->ps > 0) queue_.push(interval->ps, EventKind::FailureCheck, 0, 0, 0);
  for (std::uint32_t c = 0; c < program_.components.size(); ++c) await_next_outage(c, 0, 0);
}

std::uint64_t Engine::expected_segments() const {
  return program_.rows_per_batch * plays_;
}

void Engine::lay_out_hop(StageSide& side, const Hop& hop, std::uint32_t to_stage) const {
  side.wire_ps = hop.wire_ps;
  side.latency_ps = hop.latency_ps;
  side.link = hop.link;
  side.to_device = hop.to_device;
  side.to_rank = program_.plan.placement.rank_of_stage[to_stage];
  side.varied = hop.noisy || hop.varies;
}

// Tables of the stages, and a slot for whatever each microbatch has to wait for at each.
void Engine::lay_out_stages() {
  const Plan& plan = program_.plan;
  const auto stages = static_cast<std::uint32_t>(plan.stages());
  spots_of_line_ = stages * kSlotsOfLine;
  const std::uint32_t lines = (microbatches_ * slices_ + kSlotsOfLine - 1) / kSlotsOfLine;
  const std::uint32_t gradients = lines * spots_of_line_;
  slots_.assign(2 * static_cast<std::size_t>(gradients), kNoRow);
  sides_.resize(2 * static_cast<std::size_t>(stages));
  for (std::uint32_t s = 0; s < stages; ++s) {
    const auto duration = [&](OpKind kind) {
      const OpTime& t =
          program_.times[std::size_t{s} * kTimedKinds + static_cast<std::size_t>(kind)];
      if (t.sum) return kSum;
      return t.noisy ? kNoisy : t.fixed_ps;
    };
    if (!plan.placement.has(s)) continue;
    const bool first = plan.placement.opens(s);
    const bool last = plan.placement.closes(s);
    StageSide& forward = sides_[std::size_t{2} * s];
    forward.duration[0] = duration(OpKind::Forward);
    forward.duration[1] = duration(OpKind::Overlapped);
    if (!last) lay_out_hop(forward, program_.forward_hop[s], s + 1);
    forward.own = s * kSlotsOfLine;
    // The last stage's own forward stands for the gradient that it begins with.
    forward.to = last ? gradients + s * kSlotsOfLine : (s + 1) * kSlotsOfLine;
    forward.waits = !first;
    forward.sends = !last;
    StageSide& backward = sides_[std::size_t{2} * s + 1];
    backward.duration[0] = duration(OpKind::Backward);
    backward.duration[1] = duration(OpKind::InputGrad);
    backward.duration[2] = duration(OpKind::WeightGrad);
    if (!first) lay_out_hop(backward, program_.backward_hop[s], s - 1);
    backward.own = gradients + s * kSlotsOfLine;
    backward.to = first ? backward.own : gradients + (s - 1) * kSlotsOfLine;
    backward.waits = true;
    backward.sends = !first;
  }
}

}  // namespace sluice

// Updates of schedules that never drain: each rank changes its own weights between two of its
// operations, once the gradients are summed over the copies of its stages where there are some.
// Nothing else waits for them.
#include <algorithm>

#include "engine/draws.hpp"
#include "engine/hot_path.hpp"

namespace sluice {

void Engine::begin_updates_anew() {
  const Order& order = *program_.plan.order;
  rank_updates_.assign(ranks_.size(), {});
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    rank_updates_[r].next = order.first_update[r];
    rank_updates_[r].end = order.first_update[r + 1];
  }
  gradients_made_.assign(static_cast<std::size_t>(program_.plan.stages()), 0);
}

// Whether the rank's next operation has to wait for an update, which is begun when it can be.
bool Engine::update_comes_first(std::uint32_t device, std::uint32_t rank, bool& started) {
  RankUpdates& own = rank_updates_[rank];
  if (own.next == own.end) return false;
  const OrderUpdate& update = program_.plan.order->updates[own.next];
  if (update.before != ranks_[rank].next) return false;
  if (!summed(rank, update)) return true;
  const auto duration = update_time(device, update);
  if (!duration || duration->ps >= kMaxRunTime.ps - now_) {
    stop_at_time_limit();
    return true;
  }
  DeviceState& d = devices_[device];
  const std::uint32_t stage = update.stage == kAllStages
                                  ? program_.first_stage[program_.update_slot[device]]
                                  : update.stage;
  const bool sum_later =
      own.sum_row != kNoRow && (d.last_row == kNoRow || trace_.end.raw()[own.sum_row] >= d.free_at);
  d.update_row =
      add_row(now_ + duration->ps, OpKind::Update, device, static_cast<std::uint16_t>(stage),
              update.number, sum_later ? own.sum_row : d.last_row);
  d.running = kUpdating;
  queue_.push(now_ + duration->ps, EventKind::UpdateEnd, device, d.update_row, rank);
  ++live_events_;
  started = true;
  return true;
}

// Whether all sums that the update takes are made.
bool Engine::summed(std::uint32_t rank, const OrderUpdate& update) const {
  if (program_.sums.empty()) return true;
  const RankUpdates& own = rank_updates_[rank];
  if (own.number != update.number) return own.number > update.number;
  if (update.stage == kAllStages) return false;
  const std::vector<std::uint32_t>& sums = sums_of_rank_[rank];
  const auto of_stage = std::find_if(sums.begin(), sums.end(), [&](std::uint32_t sum) {
    const std::vector<std::uint16_t>& stages = program_.sums[sum].stages;
    return std::find(stages.begin(), stages.end(), update.stage) != stages.end();
  });
  return of_stage - sums.begin() < static_cast<std::ptrdiff_t>(own.sum);
}

std::optional<Duration> Engine::update_time(std::uint32_t device, const OrderUpdate& update) {
  const double share = update.stage == kAllStages ? 1 : program_.update_share;
  return drawn_update(program_, device, update.number, update.stage, share);
}

void Engine::own_update_end(const Event& e) {
  const std::uint32_t device = e.index();
  DeviceState& d = devices_[device];
  if (d.update_row != e.row) return;  // interrupted
  d.running = kIdle;
  d.update_row = kNoRow;
  d.last_row = e.row;
  d.free_at = now_;
  ++rank_updates_[e.extra].next;
  touch(device);
  operations_done(1);
}

void Engine::gradient_made(std::uint32_t rank, std::uint32_t stage) {
  ++gradients_made_[stage];
  if (!program_.sums.empty()) join_own_sum(rank);
}

// A rank takes part in its sums one after the other, in the one order that all have.
void Engine::join_own_sum(std::uint32_t rank) {
  RankUpdates& own = rank_updates_[rank];
  if (own.joined || sums_of_rank_[rank].empty()) return;
  const std::uint32_t sum = sums_of_rank_[rank][own.sum];
  const Program::Sum& s = program_.sums[sum];
  const auto place = std::find(s.ranks.begin(), s.ranks.end(), rank) - s.ranks.begin();
  const std::uint32_t made = gradients_made_[s.stages[static_cast<std::size_t>(place)]];
  if (made < (own.number + 1) * program_.gradients_per_update) return;
  own.joined = true;
  if (++sum_arrived_[sum] == s.ranks.size()) begin_sum(sum, rank);
}

void Engine::own_sum_end(std::uint32_t sum, std::uint32_t row) {
  sum_arrived_[sum] = 0;
  for (const std::uint32_t rank : program_.sums[sum].ranks) {
    RankUpdates& own = rank_updates_[rank];
    own.joined = false;
    own.sum_row = row;
    if (++own.sum == sums_of_rank_[rank].size()) {
      own.sum = 0;
      ++own.number;
    }
    touch(program_.device_of_rank[rank]);
  }
  for (const std::uint32_t rank : program_.sums[sum].ranks) join_own_sum(rank);
}

}  // namespace sluice

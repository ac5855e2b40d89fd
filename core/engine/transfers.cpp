// Transfers on links. Fair sharing is by virtual time: a link with n transfers serves each at 1/n
// of its bandwidth, so none is lost or gained. A transfer that is alone, the common case, costs one
// event.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/draws.hpp"
#include "engine/hot_path.hpp"

namespace sluice {

// The receiver learns of a transfer when it is sent: a busy one will look when it is free, an idle
// one that waits for just this is woken when it arrives.
void Engine::announce(std::uint32_t rank, std::uint32_t device, std::uint32_t slot,
                      std::uint32_t row) {
  const DeviceState& d = devices_[device];
  if (d.running != kIdle) return;
  if (!policy_) {
    const Rank& r = ranks_[rank];
    if (r.next == r.end) return;
    const Operation& next = operations_[r.next];
    const bool two = next.kind == OpKind::Overlapped || pair_begins(r);
    const bool wanted = awaited(next) == &slots_[slot] ||
                        (two && awaited(operations_[r.next + 1]) == &slots_[slot]);
    if (!wanted) return;
  }
  wake_for(device, row);
}

// Returns the transfer's row; kNoRow when there is none, because the receiver is the same device.
std::uint32_t Engine::send(const StageSide& from, const Operation& op, std::uint32_t batch,
                           std::uint32_t from_row) {
  const std::uint32_t slot = from.to + spot(unit(op));
  if (from.link == kNoLink) {
    slots_[slot] = from_row;
    touch(from.to_device);
    return kNoRow;
  }
  const bool forward = op.kind == OpKind::Forward || op.kind == OpKind::Overlapped;
  const OpKind kind = forward ? OpKind::Activation : OpKind::Gradient;
  const std::uint32_t index = batch * microbatches_ * slices_ + unit(op);
  std::int64_t latency = from.latency_ps;
  std::int64_t wire = from.wire_ps;
  if (from.varied && !vary(hop_of(op.kind, op.stage), kind, op.stage, index, wire, latency))
    return kNoRow;
  const std::uint32_t resource = trace_.devices + from.link;
  if (plain_links_) {
    const std::uint32_t row =
        add_row(now_ + wire + latency, kind, resource, op.stage, index, from_row);
    slots_[slot] = row;
    announce(from.to_rank, from.to_device, slot, row);
    return row;
  }
  Flow flow;
  flow.wire_ps = wire;
  flow.latency_ps = latency;
  flow.row = add_row(kUnknown, kind, resource, op.stage, index, from_row);
  flow.slot = slot;
  flow.to_stage = static_cast<std::uint16_t>(forward ? op.stage + 1 : op.stage - 1);
  slots_[slot] = flow.row;
  transfer(from.link, flow);
  return flow.row;
}

// What this transfer takes longer than others of its hop; false when it passes the time limit.
bool Engine::vary(const Hop& hop, OpKind kind, std::uint16_t stage, std::uint32_t index,
                  std::int64_t& wire, std::int64_t& latency) {
  if (hop.noisy) {
    const auto jitter =
        drawn_jitter(program_, program_.machine.links[hop.link], kind, stage, index);
    if (!jitter || jitter->ps >= kMaxRunTime.ps - now_) {
      stop_at_time_limit();
      return false;
    }
    latency += jitter->ps;
  }
  if (!hop.varies) return true;
  wire = drawn_wire(program_, hop, kind, stage, index, now_);
  if (wire < kMaxRunTime.ps - now_) return true;
  stop_at_time_limit();
  return false;
}

void Engine::transfer(std::uint32_t link, const Flow& flow) {
  LinkState& state = links_[link];
  if (state.down_until > now_) {
    // Begun by the link's recovery, in the order it was asked for.
    state.waiting.push_back(flow);
    return;
  }
  begin_on_link(link, flow);
}

void Engine::begin_on_link(std::uint32_t link, const Flow& flow) {
  LinkState& state = links_[link];
  const std::int64_t wire_ps = flow.wire_ps;
  if (program_.simulation.transfers != Transfers::Shared) {
    finish_flow(flow, now_ + wire_ps);
    return;
  }
  switch (program_.simulation.options.link_share) {
    case LinkShare::Fair:
      share_link(state, link, flow);
      return;
    case LinkShare::Fifo: {
      const std::int64_t begin = std::max(now_, state.solo_until);
      trace_.start.raw()[flow.row] = begin;
      state.solo_until = begin + wire_ps;
      finish_flow(flow, begin + wire_ps);
      if (track_outcome_) {
        // An outage has to know what is on the link and behind it.
        std::erase_if(state.flows, [&](const Flow& f) { return through(f) <= now_; });
        state.flows.push_back(flow);
      }
      return;
    }
    case LinkShare::PerPairAtStart: {
      std::erase_if(state.ends, [&](std::int64_t end) { return end <= now_; });
      const std::int64_t through =
          now_ + wire_ps * static_cast<std::int64_t>(state.ends.size() + 1);
      state.ends.push_back(through + flow.latency_ps);
      finish_flow(flow, through);
      return;
    }
  }
}

// The bytes are through at `wire_end`; the message arrives a latency later.
void Engine::finish_flow(const Flow& flow, std::int64_t wire_end) {
  const std::int64_t end = wire_end + flow.latency_ps;
  trace_.end.raw()[flow.row] = end;
  if (flow.to_stage == kNoStage) {
    queue_.push(end, EventKind::CollectiveEnd, 0, flow.row, 0);
    ++live_events_;
    return;
  }
  const auto& ranks = program_.plan.placement.rank_of_stage;
  const std::uint16_t rank = ranks[flow.to_stage];
  announce(rank, program_.device_of_rank[rank], flow.slot, flow.row);
  // A call knows its own end; the other streams go on when their transfer has ended.
  if (!streams_.empty() && program_.simulation.communication != Communication::Calls && end > now_)
    stream_wakes(ranks[trace_.stage.raw()[flow.row]], end);
}

void Engine::share_link(LinkState& link, std::uint32_t index, const Flow& flow) {
  if (link.flows.empty()) {
    if (link.solo_until <= now_) {
      link.solo = flow;
      link.solo_until = now_ + flow.wire_ps;
      finish_flow(flow, link.solo_until);
      return;
    }
    // The one that was alone now shares: its end moves, and a wake at the old one finds nothing.
    Flow first = link.solo;
    first.tag = static_cast<double>(link.solo_until - now_);
    trace_.end.raw()[first.row] = kUnknown;
    link.solo_until = now_;
    link.virtual_now = 0;
    link.updated_at = now_;
    link.flows.push_back(first);
  }
  const double elapsed = static_cast<double>(now_ - link.updated_at);
  link.virtual_now += elapsed / static_cast<double>(link.flows.size());
  link.updated_at = now_;
  Flow joined = flow;
  joined.tag = link.virtual_now + static_cast<double>(flow.wire_ps);
  // Equal tags keep the order they were sent in.
  const auto place = std::upper_bound(link.flows.begin(), link.flows.end(), joined.tag,
                                      [](double tag, const Flow& f) { return tag < f.tag; });
  link.flows.insert(place, joined);
  schedule_head(link, index);
}

void Engine::schedule_head(LinkState& link, std::uint32_t index) {
  const double left = std::max(0.0, link.flows.front().tag - link.virtual_now);
  const double wait = std::ceil(left * static_cast<double>(link.flows.size()));
  queue_.push(now_ + static_cast<std::int64_t>(wait), EventKind::LinkHead, index, 0,
              ++link.generation);
  ++live_events_;
}

void Engine::link_head(const Event& e) {
  LinkState& link = links_[e.index()];
  if (link.generation != e.extra || link.flows.empty()) return;
  const Flow head = link.flows.front();
  link.virtual_now = head.tag;
  link.updated_at = now_;
  link.flows.erase(link.flows.begin());
  finish_flow(head, now_);
  if (!link.flows.empty()) schedule_head(link, e.index());
}

}  // namespace sluice

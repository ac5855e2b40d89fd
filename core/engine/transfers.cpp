// Transfers on links. Fair sharing is by virtual time: a link with n transfers serves each at 1/n of its bandwidth, so
// none is lost or gained. A transfer that is alone, the common case, costs one event.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/hot_path.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kUnknown = -1;

std::uint32_t pack(EventKind kind, std::uint32_t index) { return (index << 4) | static_cast<std::uint32_t>(kind); }

}  // namespace

void Engine::send(const Hop& hop, OpKind kind, std::uint16_t stage, std::uint16_t to_stage, std::uint32_t microbatch,
                  std::uint32_t batch, std::uint32_t from_row) {
  if (hop.link == kNoLink) {
    deliver(to_stage, kind == OpKind::Activation, microbatch, from_row);
    return;
  }
  const std::uint32_t index = batch * microbatches_ + microbatch;
  std::int64_t latency = hop.latency_ps;
  if (hop.noisy) {
    const Link& link = program_.machine.links[hop.link];
    const DrawKey key{.seed = program_.simulation.seed,
                      .purpose = Purpose::Transfer,
                      .entity = link.key,
                      .microbatch = index,
                      .number = static_cast<std::uint32_t>(kind) | (static_cast<std::uint32_t>(stage) << 4)};
    const auto jitter = time_from_ms(link.jitter_scale * sample(link.jitter, key));
    if (!jitter || jitter->ps >= kMaxRunTime.ps - now_) return stop_at_time_limit();
    latency += jitter->ps;
  }
  const std::uint32_t row = add_row(kUnknown, kind, trace_.devices + hop.link, stage, index, from_row);
  transfer(hop.link, row, hop.wire_ps, latency, EventKind::Arrival, to_stage, microbatch);
}

void Engine::transfer(std::uint32_t link, std::uint32_t row, std::int64_t wire_ps, std::int64_t latency_ps,
                      EventKind then, std::uint32_t index, std::uint32_t extra) {
  Flow flow;
  flow.wire_ps = wire_ps;
  flow.latency_ps = latency_ps;
  flow.row = row;
  flow.what = pack(then, index);
  flow.extra = extra;
  LinkState& state = links_[link];
  if (state.down_until > now_) {
    // Waits for the link: begun by its recovery, in the order it was asked for.
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
      return;
    }
    case LinkShare::PerPairAtStart:
      ++state.active;
      finish_flow(flow, now_ + wire_ps * static_cast<std::int64_t>(state.active));
      return;
  }
}

// The bytes are through at `wire_end`; the message arrives a latency later.
void Engine::finish_flow(const Flow& flow, std::int64_t wire_end) {
  const std::int64_t end = wire_end + flow.latency_ps;
  trace_.end.raw()[flow.row] = end;
  queue_.push(end, static_cast<EventKind>(flow.what & 15U), flow.what >> 4, flow.row, flow.extra);
  ++live_events_;
}

void Engine::share_link(LinkState& link, std::uint32_t index, const Flow& flow) {
  if (link.flows.empty()) {
    if (link.solo_until <= now_) {
      link.solo = flow;
      link.solo_until = now_ + flow.wire_ps;
      finish_flow(flow, link.solo_until);
      return;
    }
    // The one that was alone now shares: its event becomes stale, since its end moves.
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
  queue_.push(now_ + static_cast<std::int64_t>(wait), EventKind::LinkHead, index, 0, ++link.generation);
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

void Engine::arrival(const Event& e) {
  // A transfer that came to share its link, or was lost, has another end than this event says.
  if (trace_.end.raw()[e.row] != now_) return;
  if (program_.simulation.options.link_share == LinkShare::PerPairAtStart) {
    --links_[trace_.resource.raw()[e.row] - trace_.devices].active;
  }
  const bool forward = trace_.kind.raw()[e.row] == static_cast<std::uint8_t>(OpKind::Activation);
  deliver(e.index(), forward, e.extra, e.row);
}

}  // namespace sluice

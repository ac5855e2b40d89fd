// Communication that is not free to overlap: a stream of sends and receives in the order of the
// rank's operations, sends that hold the rank, and sends that also wait for their receiver.
#include <algorithm>

#include "engine/hot_path.hpp"

namespace sluice {

// The output of a finished operation joins the rank's stream.
void Engine::post_send(std::uint32_t rank, const Operation& op, std::uint32_t batch,
                       std::uint32_t from_row) {
  const std::uint32_t slot = side(op.kind, op.stage).to + spot(unit(op));
  streams_[rank].waiting.push_back({op, batch, from_row, slot, false});
  // Calls are made when all that the operation sends is known.
  if (program_.simulation.communication != Communication::Calls) advance(rank);
}

// The inputs that the rank's next operation needs from other devices join its stream, once.
void Engine::post_receives(std::uint32_t rank) {
  Stream& s = streams_[rank];
  const Rank& r = ranks_[rank];
  if (s.posted_batch == r.batch && s.posted_next == r.next) return;
  s.posted_batch = r.batch;
  s.posted_next = r.next;
  const auto post = [&](const Operation& op) {
    const std::uint32_t* slot = awaited(op);
    if (slot == nullptr || !comes_over_a_link(op)) return;
    s.waiting.push_back(
        {op, r.batch, kNoRow, static_cast<std::uint32_t>(slot - slots_.data()), true});
  };
  post(operations_[r.next]);
  if (operations_[r.next].kind == OpKind::Overlapped || pair_begins(r)) {
    post(operations_[r.next + 1]);
  }
}

// Where a rank holds several stages, frameworks make one call for a forward and the backward after
// it: both receive before the forward and send after the backward. Source: Megatron-LM,
// forward_backward_pipelining_with_interleaving.
bool Engine::pair_begins(const Rank& r) const {
  return pairs_calls() && r.next + 1 < r.end && operations_[r.next].kind == OpKind::Forward &&
         operations_[r.next + 1].kind == OpKind::Backward;
}

bool Engine::inside_pair(std::uint32_t rank) const {
  const Rank& r = ranks_[rank];
  return pairs_calls() && r.next < r.end && r.next > program_.plan.order->begin[rank] &&
         operations_[r.next - 1].kind == OpKind::Forward &&
         operations_[r.next].kind == OpKind::Backward;
}

bool Engine::pairs_calls() const {
  return program_.simulation.communication == Communication::Calls &&
         program_.plan.placement.lengths.empty() && program_.plan.stages() > program_.plan.ranks();
}

// Stage whose output an operation waits for; its own where there is none.
std::uint32_t Engine::source_stage(const Operation& op) const {
  const bool forward = op.kind == OpKind::Forward || op.kind == OpKind::Overlapped;
  if (!side(op.kind, op.stage).waits) return op.stage;
  if (forward) return op.stage - 1U;
  // The last stage's backward begins with its own forward.
  return side(OpKind::Forward, op.stage).sends ? op.stage + 1U : op.stage;
}

bool Engine::comes_over_a_link(const Operation& op) const {
  const auto& ranks = program_.plan.placement.rank_of_stage;
  return program_.device_of_rank[ranks[source_stage(op)]] !=
         program_.device_of_rank[ranks[op.stage]];
}

// Goes on with a rank's stream as far as it can now. Called when something joins it, when its
// transfer has ended, and when what it waits for may be there.
void Engine::advance(std::uint32_t rank) {
  Stream& s = streams_[rank];
  while (s.sending == kNoRow || arrived(s.sending)) {
    if (s.sending != kNoRow && holds_rank()) {
      DeviceState& d = devices_[program_.device_of_rank[rank]];
      d.last_row = s.sending;
      d.free_at = now_;
    }
    s.sending = kNoRow;
    if (s.waiting.empty()) return;
    const Pending front = s.waiting.front();
    if (front.receive && !arrived(slots_[front.slot])) {
      const std::uint32_t row = slots_[front.slot];
      if (row != kNoRow && trace_.end[row] != kUnknown) stream_wakes(rank, trace_.end[row]);
      return;
    }
    const bool meets = program_.simulation.communication == Communication::Rendezvous;
    if (!front.receive && meets && !receiver_waits(front)) return;
    s.waiting.erase(s.waiting.begin());
    if (front.receive) continue;
    s.sending = send(side(front.op.kind, front.op.stage), front.op, front.batch, front.from_row);
    const std::int64_t end = s.sending == kNoRow ? now_ : trace_.end[s.sending];
    if (end != kUnknown && end > now_) stream_wakes(rank, end);
  }
}

void Engine::stream_wakes(std::uint32_t rank, std::int64_t time) {
  if (streams_[rank].wake_at == time) return;
  streams_[rank].wake_at = time;
  queue_.push(time, EventKind::StreamHead, rank, 0, 0);
  ++live_events_;
}

void Engine::stream_head(const Event& e) {
  if (program_.simulation.communication == Communication::Calls) {
    advance_calls(e.index());
  } else {
    advance(e.index());
  }
  touch(program_.device_of_rank[e.index()]);
}

// Whether the rank that is to receive has nothing else to do than that.
bool Engine::receiver_waits(const Pending& pending) const {
  const bool forward = pending.op.kind == OpKind::Forward || pending.op.kind == OpKind::Overlapped;
  const std::uint32_t stage = forward ? pending.op.stage + 1U : pending.op.stage - 1U;
  const std::uint32_t rank = program_.plan.placement.rank_of_stage[stage];
  const Rank& r = ranks_[rank];
  const Stream& s = streams_[rank];
  if (devices_[program_.device_of_rank[rank]].running != kIdle || r.next == r.end) return false;
  if (s.sending != kNoRow || !s.waiting.empty()) return false;
  const std::uint32_t* slot = &slots_[pending.slot];
  return awaited(operations_[r.next]) == slot || (operations_[r.next].kind == OpKind::Overlapped &&
                                                  awaited(operations_[r.next + 1]) == slot);
}

// Whether the rank's communication lets its next operation start now.
bool Engine::stream_allows(std::uint32_t rank) {
  Stream& s = streams_[rank];
  if (program_.simulation.communication == Communication::Calls) {
    const Rank& r = ranks_[rank];
    const bool posted = s.posted_batch == r.batch && s.posted_next == r.next;
    if (!posted && s.state == CallState::Idle) make_calls(rank);
    advance_calls(rank);
    return s.state == CallState::Idle;
  }
  if (program_.simulation.communication == Communication::InOrder) {
    post_receives(rank);
    advance(rank);
    return std::none_of(s.waiting.begin(), s.waiting.end(),
                        [](const Pending& p) { return p.receive; });
  }
  if (s.sending != kNoRow || !s.waiting.empty()) return false;
  if (program_.simulation.communication == Communication::Rendezvous) {
    // Now it receives: whoever has waited to send may go on.
    const Rank& r = ranks_[rank];
    const int parts = operations_[r.next].kind == OpKind::Overlapped ? 2 : 1;
    for (int i = 0; i < parts; ++i) {
      const Operation& op = operations_[r.next + static_cast<std::uint32_t>(i)];
      const std::uint32_t* slot = awaited(op);
      if (slot != nullptr && *slot == kNoRow && comes_over_a_link(op))
        advance(program_.plan.placement.rank_of_stage[source_stage(op)]);
    }
  }
  return true;
}

// The rank that a send goes to, or that a receive comes from.
std::uint32_t Engine::peer_of(const Pending& pending) const {
  const auto& ranks = program_.plan.placement.rank_of_stage;
  if (pending.receive) return ranks[source_stage(pending.op)];
  const bool forward = pending.op.kind == OpKind::Forward || pending.op.kind == OpKind::Overlapped;
  return ranks[forward ? pending.op.stage + 1U : pending.op.stage - 1U];
}

// After an operation: what it sends and what the next one needs, in one call when both go to and
// from one rank or the rank holds several stages, else in a call each.
void Engine::make_calls(std::uint32_t rank) {
  Stream& s = streams_[rank];
  const Rank& r = ranks_[rank];
  if (inside_pair(rank)) {
    s.posted_batch = r.batch;
    s.posted_next = r.next;
    s.state = CallState::After;
    s.until = now_ + program_.calls.none.ps;
    return advance_calls(rank);
  }
  std::vector<Pending> sends;
  sends.swap(s.waiting);
  const bool after_operation = devices_[program_.device_of_rank[rank]].last_row != kNoRow;
  if (r.next != r.end) post_receives(rank);
  std::vector<Pending> receives;
  receives.swap(s.waiting);
  bool together = !sends.empty() && !receives.empty();
  for (const auto* list : {&sends, &receives}) {
    for (const Pending& p : *list) together = together && peer_of(p) == peer_of(sends.front());
  }
  together = together || pairs_calls();
  Call paired;
  for (const Pending& p : sends) {
    if (together) {
      paired.sends.push_back(p);
    } else {
      s.calls.push_back({{p}, {}});
    }
  }
  for (const Pending& p : receives) {
    if (together) {
      paired.slots.push_back(p.slot);
    } else {
      s.calls.push_back({{}, {p.slot}});
    }
  }
  if (!paired.sends.empty() || !paired.slots.empty()) s.calls.push_back(std::move(paired));
  const CallCosts& costs = program_.calls;
  if (!s.calls.empty()) {
    s.state = CallState::Before;
    s.until = now_ + costs.before.ps;
  } else if (after_operation && r.next != r.end) {
    s.state = CallState::After;
    s.until = now_ + costs.none.ps;
  }
  advance_calls(rank);
}

void Engine::advance_calls(std::uint32_t rank) {
  Stream& s = streams_[rank];
  while (s.state != CallState::Idle) {
    if (now_ < s.until) return stream_wakes(rank, s.until);
    if (!call_goes_on(rank, s)) return;
  }
}

// The next step of the first call; false when it waits for a message.
bool Engine::call_goes_on(std::uint32_t rank, Stream& s) {
  const CallCosts& costs = program_.calls;
  if (s.state == CallState::Before) {
    std::int64_t held = 0;
    for (const Pending& p : s.calls.front().sends) {
      const StageSide& from = side(p.op.kind, p.op.stage);
      send(from, p.op, p.batch, p.from_row);
      held = std::max(held, hop_of(p.op.kind, p.op.stage).held_ps);
    }
    s.state = CallState::Waiting;
    s.until = now_ + held;
    return true;
  }
  if (s.state == CallState::Waiting) {
    for (const std::uint32_t slot : s.calls.front().slots) {
      if (arrived(slots_[slot])) continue;
      const std::uint32_t row = slots_[slot];
      if (row != kNoRow && trace_.end[row] != kUnknown) stream_wakes(rank, trace_.end[row]);
      return false;
    }
    s.state = CallState::After;
    s.until = now_ + costs.after.ps;
    return true;
  }
  if (!s.calls.empty()) s.calls.erase(s.calls.begin());
  s.state = s.calls.empty() ? CallState::Idle : CallState::Before;
  s.until = now_ + (s.calls.empty() ? 0 : costs.before.ps);
  return true;
}

}  // namespace sluice

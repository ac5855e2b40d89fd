// Outages of devices and links, and what they do to work that runs.
#include <algorithm>

#include "engine/hot_path.hpp"

namespace sluice {

void Engine::failure_check(const Event& e) {
  const FailureSection& f = program_.failure;
  const std::uint32_t number = e.extra;
  const auto hits = [&](std::uint64_t key, double probability) {
    const PhiloxBlock bits = draw({.seed = program_.simulation.seed,
                                   .purpose = Purpose::Failure,
                                   .entity = key,
                                   .microbatch = number,
                                   .number = 0});
    return uniform01(bits[0], bits[1]) < probability;
  };
  const std::int64_t length = time_from_ms(f.recovery_time_ms).value_or(kMaxRunTime).ps;
  std::uint32_t down = kNoRow;
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    if (devices_[d].down_until > now_) continue;
    if (!hits(program_.machine.devices[d].key, f.device_failure_probability)) continue;
    fail_device(d, length);
    if (computes(d)) down = devices_[d].down_row;
  }
  const bool all_links = program_.simulation.options.failure_effect == FailureEffect::Interrupt;
  for (std::uint32_t l = 0; l < links_.size(); ++l) {
    if (links_[l].down_until > now_) continue;
    if (!all_links && !program_.machine.links[l].explicit_pair) continue;
    if (hits(program_.machine.links[l].key, f.link_failure_probability)) fail_link(l, length);
  }
  if (down != kNoRow && rolls_back()) roll_back(now_ + length, down);
  const std::int64_t interval = time_from_ms(f.check_interval_ms)->ps;
  if (now_ < kMaxRunTime.ps - interval)
    queue_.push(now_ + interval, EventKind::FailureCheck, 0, 0, number + 1);
}

// A component fails: all it consists of at once.
void Engine::outage(const Event& e) {
  const FailureComponent& c = program_.components[e.index()];
  const std::int64_t repair = std::min(c.repair_ps, kMaxRunTime.ps - now_);
  std::uint32_t working = 0;
  for (const std::uint32_t d : c.devices) working += computes(d) ? 1U : 0U;
  const std::int64_t repaired =
      rolls_back() && working > 0 ? take_spares(working, repair) : now_ + repair;
  for (const std::uint32_t d : c.devices) fail_device(d, repaired - now_);
  for (const std::uint32_t l : c.links) fail_link(l, repaired - now_);
  await_next_outage(e.index(), e.extra + 1, repaired);
  if (!rolls_back() || working == 0) return;
  const auto works = [&](std::uint32_t d) { return computes(d); };
  const std::uint32_t first = *std::find_if(c.devices.begin(), c.devices.end(), works);
  roll_back(repaired, devices_[first].down_row);
}

void Engine::await_next_outage(std::uint32_t component, std::uint32_t number,
                               std::int64_t repaired) {
  const FailureComponent& c = program_.components[component];
  std::int64_t next = kMaxRunTime.ps;
  if (c.scale_ms > 0) {
    const auto life = time_from_ms(life_ms(c, program_.simulation.seed, number));
    if (life && life->ps < kMaxRunTime.ps - repaired) next = repaired + life->ps;
  } else if (number < c.at_ps.size()) {
    next = std::max(now_, c.at_ps[number]);
  }
  // Beyond any run.
  if (next >= kMaxRunTime.ps) return;
  queue_.push(next, EventKind::Outage, component, 0, number);
}

// The outage as a row of its resource; the end of `live_events_` must wait for the recovery. One
// that meets another goes on until both are over.
void Engine::begin_outage(std::uint32_t resource, EventKind recovery, std::uint32_t index,
                          std::int64_t length, std::int64_t& down_until, std::uint32_t& down_row) {
  const std::int64_t until = std::min(now_ + length, kMaxRunTime.ps);
  ++failures_.count;
  if (down_until > now_) {
    if (until <= down_until) return;
    failures_.downtime += Time{until - down_until};
    trace_.end.raw()[down_row] = until;
  } else {
    down_row = rows_;
    add_row(until, OpKind::Failure, resource, kNoStage, batch_, kNoRow);
    failures_.downtime += Time{until - now_};
  }
  down_until = until;
  queue_.push(until, recovery, index, 0, 0);
  ++live_events_;
}

void Engine::lose_row(std::uint32_t row, bool counts) {
  if (counts) failures_.lost_work += Time{now_ - trace_.start.raw()[row]};
  trace_.end.raw()[row] = now_;
  trace_.outcome.raw()[row] = static_cast<std::uint8_t>(Outcome::Lost);
}

void Engine::fail_device(std::uint32_t device, std::int64_t length) {
  DeviceState& d = devices_[device];
  begin_outage(device, EventKind::DeviceRecovery, device, length, d.down_until, d.down_row);
  if (program_.simulation.options.failure_effect == FailureEffect::DelayStarts) return;
  // What all have to do again is not lost here.
  if (rolls_back()) return;
  if (d.running == kUpdating) {
    lose_row(d.update_row);
    d.update_row = kNoRow;
    d.running = kIdle;
    // A rank that updates by itself finds its update still to do.
    d.update_waits = !program_.own_updates;
  } else if (d.running != kIdle) {
    Rank& r = ranks_[static_cast<std::size_t>(d.running)];
    lose_row(r.row);
    // Of an overlapped cell the time is lost once, both halves are done again.
    if (r.current.kind == OpKind::Overlapped) lose_row(r.row + 1, false);
    d.last_row = r.row;
    d.free_at = now_;
    r.row = kNoRow;
    d.interrupted = d.running;
    d.running = kIdle;
  }
}

void Engine::device_recovery(const Event& e) {
  DeviceState& d = devices_[e.index()];
  if (d.down_until > now_) return;
  if (d.update_waits) {
    begin_update(program_.update_slot[e.index()]);
  } else if (d.interrupted != kIdle) {
    // The interrupted operation begins anew; its inputs are still there.
    const auto rank = static_cast<std::uint32_t>(d.interrupted);
    d.interrupted = kIdle;
    const Operation op = ranks_[rank].current;
    const Operation other = ranks_[rank].other;
    start(e.index(), rank, op, other, kNoRow);
  }
  touch(e.index());
}

void Engine::fail_link(std::uint32_t index, std::int64_t length) {
  LinkState& link = links_[index];
  begin_outage(trace_.devices + index, EventKind::LinkRecovery, index, length, link.down_until,
               link.down_row);
  if (program_.simulation.options.failure_effect == FailureEffect::DelayStarts) return;
  // What is on the wire is lost and sent again; what has left it and is only travelling arrives.
  const auto lose = [&](const Flow& flow) {
    lose_row(flow.row);
    Flow again = flow;
    again.restart = true;
    if (flow.to_stage != kNoStage) slots_[flow.slot] = kNoRow;
    link.waiting.push_back(again);
  };
  if (program_.simulation.options.link_share == LinkShare::Fifo) {
    for (const Flow& flow : link.flows) {
      if (through(flow) <= now_) continue;
      if (trace_.start[flow.row] < now_) {
        lose(flow);
        continue;
      }
      // Nothing of it is lost: it goes on waiting, with the same row.
      trace_.end.raw()[flow.row] = kUnknown;
      link.waiting.push_back(flow);
    }
    link.flows.clear();
  } else if (link.flows.empty()) {
    if (link.solo_until > now_ && trace_.end.raw()[link.solo.row] > now_) lose(link.solo);
  } else {
    for (const Flow& flow : link.flows) lose(flow);
    link.flows.clear();
    ++link.generation;
  }
  link.solo_until = now_;
}

void Engine::link_recovery(const Event& e) {
  LinkState& link = links_[e.index()];
  if (link.down_until > now_) return;
  std::vector<Flow> waiting;
  waiting.swap(link.waiting);
  for (Flow& flow : waiting) {
    if (flow.restart) {
      const std::uint32_t lost = flow.row;
      flow.row = add_row(kUnknown, trace_.kind_at(lost), trace_.resource.raw()[lost],
                         trace_.stage.raw()[lost], trace_.index.raw()[lost], lost);
      flow.restart = false;
      if (flow.to_stage != kNoStage) slots_[flow.slot] = flow.row;
    } else {
      trace_.start.raw()[flow.row] = now_;
    }
    begin_on_link(e.index(), flow);
  }
}

}  // namespace sluice

// Random outages of devices and links, and what they do to work that runs.
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
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    if (devices_[d].down_until > now_) continue;
    if (hits(program_.machine.devices[d].key, f.device_failure_probability)) fail_device(d);
  }
  const bool all_links = program_.simulation.options.failure_effect == FailureEffect::Interrupt;
  for (std::uint32_t l = 0; l < links_.size(); ++l) {
    if (links_[l].down_until > now_) continue;
    if (!all_links && !program_.machine.links[l].explicit_pair) continue;
    if (hits(program_.machine.links[l].key, f.link_failure_probability)) fail_link(l);
  }
  const std::int64_t interval = time_from_ms(f.check_interval_ms)->ps;
  if (now_ < kMaxRunTime.ps - interval)
    queue_.push(now_ + interval, EventKind::FailureCheck, 0, 0, number + 1);
}

// The outage as a row of its resource; the end of `live_events_` must wait for the recovery.
std::int64_t Engine::begin_outage(std::uint32_t resource, EventKind recovery, std::uint32_t index) {
  const std::int64_t length =
      time_from_ms(program_.failure.recovery_time_ms).value_or(kMaxRunTime).ps;
  const std::int64_t until = std::min(now_ + length, kMaxRunTime.ps);
  add_row(until, OpKind::Failure, resource, kNoStage, batch_, kNoRow);
  ++failures_.count;
  failures_.downtime += Time{until - now_};
  queue_.push(until, recovery, index, 0, 0);
  ++live_events_;
  return until;
}

void Engine::lose_row(std::uint32_t row) {
  failures_.lost_work += Time{now_ - trace_.start.raw()[row]};
  trace_.end.raw()[row] = now_;
  trace_.outcome.raw()[row] = static_cast<std::uint8_t>(Outcome::Lost);
}

void Engine::fail_device(std::uint32_t device) {
  DeviceState& d = devices_[device];
  d.down_until = begin_outage(device, EventKind::DeviceRecovery, device);
  if (program_.simulation.options.failure_effect == FailureEffect::DelayStarts) return;
  if (d.running == kUpdating) {
    lose_row(d.update_row);
    d.update_row = kNoRow;
    d.running = kIdle;
    d.update_waits = true;
  } else if (d.running != kIdle) {
    Rank& r = ranks_[static_cast<std::size_t>(d.running)];
    lose_row(r.row);
    d.last_row = r.row;
    d.free_at = now_;
    r.row = kNoRow;
    d.interrupted = d.running;
    d.running = kIdle;
  }
}

void Engine::device_recovery(const Event& e) {
  DeviceState& d = devices_[e.index()];
  if (d.update_waits) {
    const auto slot =
        std::find(program_.stage_devices.begin(), program_.stage_devices.end(), e.index());
    begin_update(static_cast<std::uint32_t>(slot - program_.stage_devices.begin()));
  } else if (d.interrupted != kIdle) {
    // The interrupted operation begins anew; its inputs are still there.
    const auto rank = static_cast<std::uint32_t>(d.interrupted);
    d.interrupted = kIdle;
    const Operation op = ranks_[rank].current;
    start(e.index(), rank, op, kNoRow);
  }
  touch(e.index());
}

std::uint32_t& Engine::slot_of(const Flow& flow) {
  const bool forward = trace_.kind_at(flow.row) == OpKind::Activation;
  return forward ? input(flow.to_stage, flow.microbatch) : gradient(flow.to_stage, flow.microbatch);
}

void Engine::fail_link(std::uint32_t index) {
  LinkState& link = links_[index];
  link.down_until = begin_outage(trace_.devices + index, EventKind::LinkRecovery, index);
  if (program_.simulation.options.failure_effect == FailureEffect::DelayStarts) return;
  // What is on the wire is lost and sent again; what has left it and is only travelling arrives.
  const auto lose = [&](const Flow& flow) {
    lose_row(flow.row);
    Flow again = flow;
    again.restart = true;
    if (flow.to_stage != kNoStage) slot_of(flow) = kNoRow;
    link.waiting.push_back(again);
  };
  if (link.flows.empty()) {
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
  std::vector<Flow> waiting;
  waiting.swap(link.waiting);
  for (Flow& flow : waiting) {
    if (flow.restart) {
      const std::uint32_t lost = flow.row;
      flow.row = add_row(kUnknown, trace_.kind_at(lost), trace_.resource.raw()[lost],
                         trace_.stage.raw()[lost], trace_.index.raw()[lost], lost);
      flow.restart = false;
      if (flow.to_stage != kNoStage) slot_of(flow) = flow.row;
    } else {
      trace_.start.raw()[flow.row] = now_;
    }
    begin_on_link(e.index(), flow);
  }
}

}  // namespace sluice

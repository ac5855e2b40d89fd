#include "engine/draws.hpp"

#include <algorithm>
#include <cstddef>

#include "base/rng.hpp"

namespace sluice {
namespace {

std::uint32_t number_of(OpKind kind, std::uint32_t stage) {
  return static_cast<std::uint32_t>(kind) | (stage << 4);
}

std::optional<Duration> drawn(const DurationModel& model, const DrawKey& key) {
  return time_from_ms(std::max(0.0, model.offset_ms + model.scale * sample(model.noise, key)));
}

}  // namespace

std::optional<Duration> drawn_time(const Program& program, OpKind kind, std::uint32_t stage,
                                   std::uint32_t index, std::int64_t start_ps) {
  const OpTime& time =
      program.times[std::size_t{stage} * kTimedKinds + static_cast<std::size_t>(kind)];
  DrawKey key{.seed = program.simulation.seed,
              .purpose = Purpose::Compute,
              .entity = time.key,
              .microbatch = index,
              .number = number_of(kind, stage)};
  const auto length = drawn(time.model, key);
  if (!length || program.paces.devices.empty()) return length;
  const Pace& pace =
      program.paces.devices[program.device_of_rank[program.plan.placement.rank_of_stage[stage]]];
  if (!pace.varies()) return length;
  key.purpose = Purpose::Pace;
  return Duration{paced(pace, start_ps, length->ps, key)};
}

std::int64_t drawn_wire(const Program& program, const Hop& hop, OpKind kind, std::uint32_t stage,
                        std::uint32_t index, std::int64_t start_ps) {
  return paced(program.paces.links[hop.link], start_ps, hop.wire_ps,
               {.seed = program.simulation.seed,
                .purpose = Purpose::Pace,
                .entity = program.machine.links[hop.link].key,
                .microbatch = index,
                .number = number_of(kind, stage)});
}

std::optional<Duration> drawn_jitter(const Program& program, const Link& link, OpKind kind,
                                     std::uint32_t stage, std::uint32_t index) {
  const DrawKey key{.seed = program.simulation.seed,
                    .purpose = Purpose::Transfer,
                    .entity = link.key,
                    .microbatch = index,
                    .number = number_of(kind, stage)};
  return time_from_ms(link.jitter_scale * sample(link.jitter, key));
}

std::optional<Duration> drawn_update(const Program& program, std::uint32_t device,
                                     std::uint32_t number, std::uint32_t part, double share) {
  DurationModel model = program.update[program.update_slot[device]];
  model.offset_ms *= share;
  model.scale *= share;
  return drawn(model, {.seed = program.simulation.seed,
                       .purpose = Purpose::Update,
                       .entity = program.machine.devices[device].key,
                       .microbatch = number,
                       .number = part});
}

std::optional<Duration> drawn_pause(const Program& program, std::uint32_t batch) {
  if (!program.barrier) return Duration{};
  return drawn(*program.barrier, {.seed = program.simulation.seed,
                                  .purpose = Purpose::Barrier,
                                  .entity = 0,
                                  .microbatch = batch,
                                  .number = 0});
}

}  // namespace sluice

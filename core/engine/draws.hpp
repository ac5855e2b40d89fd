// The random durations of a run: each a pure function of the program and of what it is for, so that
// whoever looks at a trace later can ask how long something was drawn to take.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.hpp"
#include "engine/program.hpp"
#include "schedule/operation.hpp"

namespace sluice {

/// Time that an operation of a stage takes which starts at `start_ps` (that matters where its
/// device has a pace that changes); `index` as in the trace. Without what is paid once a step or on
/// turning to a stage. Nothing when it passes kMaxRunTime.
std::optional<Duration> drawn_time(const Program& program, OpKind kind, std::uint32_t stage,
                                   std::uint32_t index, std::int64_t start_ps);

/// Time that a message takes on the wire of a link whose pace changes, from `start_ps`.
std::int64_t drawn_wire(const Program& program, const Hop& hop, OpKind kind, std::uint32_t stage,
                        std::uint32_t index, std::int64_t start_ps);

/// What a transfer's latency is longer than its link's; `kind`, `stage` (that sends) and `index` as
/// in the trace. Nothing when it passes kMaxRunTime.
std::optional<Duration> drawn_jitter(const Program& program, const Link& link, OpKind kind,
                                     std::uint32_t stage, std::uint32_t index);

/// Time of a device's update; `number` says which, `part` tells those of one number apart, `share`
/// is how much of the device's weights it changes. Nothing when it passes kMaxRunTime.
std::optional<Duration> drawn_update(const Program& program, std::uint32_t device,
                                     std::uint32_t number, std::uint32_t part, double share);

/// The pause before a batch that is not the first; 0 without `iteration_barrier`. Nothing when it
/// passes kMaxRunTime.
std::optional<Duration> drawn_pause(const Program& program, std::uint32_t batch);

}  // namespace sluice

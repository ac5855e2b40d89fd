// Why a device is idle: the causes that every idle picosecond has exactly one of, and time by
// cause.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// Definitions: the page "Physics" of the documentation, section on idle time.
enum class IdleCause : std::uint8_t {
  /// Others compute what the device's first operation of a step needs.
  WarmUp,
  /// Others compute after the device's last operation of a step.
  Drain,
  /// Others compute what its next operation needs.
  Dependency,
  /// Bytes of that are on a link, or wait for others on it.
  LinkBusy,
  /// They have left the link and travel; with calls, also the host's time for them.
  LinkLatency,
  /// A forward could have run, but for the most that the rank holds in flight.
  Memory,
  /// An operation could have run, but for the order, the policy or the order of messages.
  Order,
  /// What a random duration was longer than its expected one.
  Straggler,
  /// A device or link was down, or did work that an outage made void.
  Failure,
  /// The optimizer phase between two steps: reductions and others' updates.
  Optimizer,
  /// The pause before a step.
  Barrier,
};
inline constexpr std::size_t kIdleCauses = 11;

/// "warm_up", "drain", ...: the keys of `idle_ms`.
std::string_view cause_text(IdleCause cause);

/// Time by cause.
struct IdleCauses {
  std::array<Duration, kIdleCauses> of{};

  bool operator==(const IdleCauses&) const = default;
  [[nodiscard]] Duration operator[](IdleCause cause) const {
    return of[static_cast<std::size_t>(cause)];
  }
  void add(IdleCause cause, std::int64_t ps) { of[static_cast<std::size_t>(cause)].ps += ps; }
  [[nodiscard]] Duration total() const {
    Duration sum;
    for (const Duration d : of) sum += d;
    return sum;
  }
};

/// One stretch of a chain of waits, [from, to) in picoseconds.
struct WaitStep {
  std::int64_t from = 0;
  std::int64_t to = 0;
  IdleCause cause = IdleCause::Dependency;
  /// What ran, travelled or waited then; kNoRow in a pause.
  std::uint32_t row = kNoRow;
  /// Whether the row ran or travelled; else it waited to start.
  bool under_way = false;

  bool operator==(const WaitStep&) const = default;
};

}  // namespace sluice

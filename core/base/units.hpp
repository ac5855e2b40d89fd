// Quantities as types: integer picoseconds, integer bytes, rates in SI. Only meaningful operators
// exist. Text with units ("450 GB/s", `_ms` keys) is read and written in io/, nowhere else.
#pragma once

#include <cstdint>
#include <optional>

namespace sluice {

/// A point in time or a duration, in integer picoseconds; additions are exact and ties are real
/// ties. Range: +-106 days. Sums are checked when a run's durations are made (kMaxRunTime), not in
/// the loop.
struct Time {
  std::int64_t ps = 0;

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Time other) {
    ps += other.ps;
    return *this;
  }
  constexpr Time& operator-=(Time other) {
    ps -= other.ps;
    return *this;
  }
};
using Duration = Time;

constexpr Time operator+(Time a, Time b) {
  return {a.ps + b.ps};
}
constexpr Time operator-(Time a, Time b) {
  return {a.ps - b.ps};
}
constexpr Time operator*(Time a, std::int64_t n) {
  return {a.ps * n};
}
constexpr Time max(Time a, Time b) {
  return a < b ? b : a;
}
constexpr Time min(Time a, Time b) {
  return b < a ? b : a;
}

inline constexpr std::int64_t kPsPerNs = 1'000;
inline constexpr std::int64_t kPsPerUs = 1'000'000;
inline constexpr std::int64_t kPsPerMs = 1'000'000'000;
inline constexpr std::int64_t kPsPerSecond = 1'000'000'000'000;

/// Longest run that is accepted: 100 days, so that sums of checked durations stay inside int64.
inline constexpr Time kMaxRunTime{100LL * 24 * 3600 * kPsPerSecond};

/// Milliseconds and seconds for display and for formulas; exact to 53 bits.
constexpr double to_ms(Time t) {
  return static_cast<double>(t.ps) / static_cast<double>(kPsPerMs);
}
constexpr double to_seconds(Time t) {
  return static_cast<double>(t.ps) / static_cast<double>(kPsPerSecond);
}

/// Rounds `ms` to the nearest picosecond, half up. Empty when not finite or beyond +-kMaxRunTime.
std::optional<Time> time_from_ms(double ms);

/// An amount of memory or payload.
struct Bytes {
  std::int64_t value = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    value += other.value;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    value -= other.value;
    return *this;
  }
};
constexpr Bytes operator+(Bytes a, Bytes b) {
  return {a.value + b.value};
}
constexpr Bytes operator-(Bytes a, Bytes b) {
  return {a.value - b.value};
}
constexpr Bytes operator*(Bytes a, std::int64_t n) {
  return {a.value * n};
}

inline constexpr double kKiB = 1024.0;
inline constexpr double kMiB = 1024.0 * kKiB;
inline constexpr double kGiB = 1024.0 * kMiB;

/// Nearest whole number of bytes; `bytes` is checked to lie in [0, 2^62] by the reader.
Bytes bytes_from(double bytes);

struct BytesPerSecond {
  double value = 0;
  constexpr bool operator==(const BytesPerSecond&) const = default;
};
struct FlopsPerSecond {
  double value = 0;
  constexpr bool operator==(const FlopsPerSecond&) const = default;
};

namespace literals {
constexpr Time operator""_ps(unsigned long long n) {
  return {static_cast<std::int64_t>(n)};
}
constexpr Time operator""_us(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * kPsPerUs};
}
constexpr Time operator""_ms(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * kPsPerMs};
}
constexpr Time operator""_s(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * kPsPerSecond};
}
}  // namespace literals

}  // namespace sluice

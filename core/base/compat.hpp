// The only place for compiler extensions: what C++20 names but one of our compilers lacks.
// Leaves everything that can be written portably to the code that needs it.
#pragma once

namespace sluice {

/// Reinterprets the bits of `from` as a `To` of the same size (std::bit_cast, which libc++ 13
/// lacks).
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace sluice

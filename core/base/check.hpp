// Broken invariants: a bug in Sluice, never something a user wrote (that is a Diagnostic).
#pragma once

namespace sluice {

/// Throws std::logic_error naming the condition and its place; the borders (cli, wasm) turn it into
/// "internal error".
[[noreturn]] void fail_check(const char* condition, const char* file, int line);

}  // namespace sluice

/// Stays on in release builds; not for the event loop.
#define SLUICE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::sluice::fail_check(#condition, __FILE__, __LINE__))

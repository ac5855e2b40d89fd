// What suites share: where the sources and the reference folders are, and how long a run may take.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace sluice_test {

/// Value of an environment variable, or nothing when it is unset or empty. Under node, SLUICE_*
/// variables alone exist.
inline std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

/// True under `./dev test full`: properties run as long as the issues state them.
inline bool full_run() {
  return environment("SLUICE_FULL").has_value();
}

/// Path of a file of the source tree, e.g. `source_path("examples/first.yaml")`.
inline std::string source_path(const std::string& below) {
  return std::string(SLUICE_SOURCE_DIR "/") + below;
}

/// The folder that `variable` (SLUICE_GOLDEN or SLUICE_FIXTURES) names. When it is unset, says so
/// in the form that
/// `./dev test` counts, and returns nothing: the case should then return.
inline std::optional<std::string> reference_folder(const char* variable) {
  auto folder = environment(variable);
  if (!folder) {
    std::printf("SKIPPED (%s unset): %s\n", variable,
                doctest::getContextOptions()->currentTest->m_name);
    std::fflush(stdout);
  }
  return folder;
}

/// Builds in which the longest computations take many times as long; what they show natively they
/// would only show again.
#if defined(__EMSCRIPTEN__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSlowBuild = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSlowBuild = true;
#else
inline constexpr bool kSlowBuild = false;
#endif
#else
inline constexpr bool kSlowBuild = false;
#endif

}  // namespace sluice_test

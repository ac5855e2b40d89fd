// Scenario texts for the suites of io and api: a small good one, ways to change it, and the place a
// mark stands at.
#pragma once

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.hpp"
#include "files.hpp"
#include "support.hpp"

namespace sluice_test {

/// Two stages of 10 ms on one node.
inline constexpr std::string_view kGood = R"(simulation:
  microbatches: 4
  seed: 1
pipeline:
  schedule: 1f1b
  activation_mb: 8
  stages:
    - device: a
      weights_mb: 100
      compute: {mode: explicit, distribution: 10}
    - device: b
      weights_mb: 100
      compute: {mode: explicit, distribution: 10}
hardware:
  devices:
    - {id: a, gpu: a100, node: n0, socket: 0}
    - {id: b, gpu: a100, node: n0, socket: 0}
  interconnect: {same_node: nvlink3}
)";

using Changes = std::vector<std::pair<std::string, std::string>>;

/// The text with the first occurrence of each `first` replaced by its `second`; an empty `first`
/// appends.
inline std::string changed(std::string_view text, const Changes& changes) {
  std::string out(text);
  for (const auto& change : changes) {
    const std::string& from = change.first;
    const std::string& to = change.second;
    if (from.empty()) {
      out += to;
      continue;
    }
    const std::size_t at = out.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, "nothing to replace: " << from);
    out.replace(at, from.size(), to);
  }
  return out;
}

struct Spot {
  int line = 0;
  int column = 0;
};

/// Takes the mark `@` out of the text and says where it stood, in characters; 0:0 without one.
inline Spot take_mark(std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return {};
  text.erase(at, 1);
  Spot spot{1, 1};
  for (std::size_t i = 0; i < at; ++i) {
    if (text[i] == '\n') {
      ++spot.line;
      spot.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++spot.column;
    }
  }
  return spot;
}

inline std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

/// Seconds of this process's own work, so that a busy machine fails no test.
inline double seconds_now() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

/// Longest that anything wrong may take to be refused: a second, and more where every access is
/// checked or the target is slow.
inline double patience_seconds() {
#if defined(__EMSCRIPTEN__) || defined(__SANITIZE_ADDRESS__)
  return 20;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return 20;
#else
  return 1;
#endif
#else
  return 1;
#endif
}

/// One line a diagnostic, for messages of failed checks.
inline std::string listing(const sluice::Diagnostics& diagnostics) {
  std::string out;
  for (const sluice::Diagnostic& d : diagnostics) {
    out += std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.path + " [" +
           std::string(sluice::code_text(d.code)) + "] " + d.message +
           (d.hint.empty() ? "" : " | " + d.hint) + (d.fix.empty() ? "" : " | fix " + d.fix) + "\n";
  }
  return out;
}

/// Every example scenario, as paths below the root, in order.
inline std::vector<std::string> example_files() {
  std::vector<std::string> files;
  for (const std::string folder : {"examples", "examples/hops"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder))) {
      if (entry.path().extension() == ".yaml") {
        files.push_back(folder + "/" + entry.path().filename().string());
      }
    }
  }
  std::stable_sort(files.begin(), files.end());
  return files;
}

}  // namespace sluice_test

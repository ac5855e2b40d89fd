// Command line -> options, with one way of saying what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/overlay.hpp"

namespace sluice::cli {

enum Exit : int { kDone = 0, kWrongScenario = 1, kUsage = 2, kInfeasible = 3, kInternal = 4 };

/// A flag a command takes; `value` flags are followed by a value (or `=value`).
struct Flag {
  std::string name;
  bool value = false;
};

struct Arguments {
  std::vector<std::string> files;
  std::vector<Setting> settings;
  /// Flags in the order given; value "" for flags without one.
  std::vector<std::pair<std::string, std::string>> flags;
  /// What is wrong, or "".
  std::string problem;

  [[nodiscard]] bool has(const std::string& flag) const;
  [[nodiscard]] std::optional<std::string> value(const std::string& flag) const;
  [[nodiscard]] std::vector<std::string> values(const std::string& flag) const;
  /// A whole number from `low` to `high`; sets `problem` when the text is not one.
  std::optional<std::int64_t> whole(const std::string& flag, std::int64_t low, std::int64_t high);
};

/// Splits arguments into files, flags and `--set path=value` settings.
Arguments parse(const std::vector<std::string>& words, const std::vector<Flag>& known);

}  // namespace sluice::cli

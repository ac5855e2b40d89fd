// Files, streams and the terminal: what the core may not touch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostics.hpp"

namespace sluice::cli {

/// The bytes of a file ("-": standard input), or nothing with a message on stderr.
std::optional<std::string> read_file(const std::string& path);

/// The same for recorded runs, which may be far longer than a scenario.
std::optional<std::string> read_large_file(const std::string& path);

/// Writes a file; false with a message on stderr when it cannot. Missing folders are made.
bool write_file(const std::string& path, const std::string& text);

/// file:line:column: severity: message [code], and the hint below it; without a place, file:
/// severity: ...
void print_diagnostics(const std::string& file, const Diagnostics& diagnostics);

/// A labelled line of a report on standard output.
void print_line(const std::string& label, const std::string& text);

/// A progress bar on stderr, only when that is a terminal and the work takes longer than a second.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::uint64_t done, std::uint64_t total);

 private:
  std::string what_;
  double began_ = 0;
  double shown_ = 0;
  bool terminal_ = false;
  bool drawn_ = false;
};

}  // namespace sluice::cli

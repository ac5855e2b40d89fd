#include "cli/console.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <system_error>
#include <utility>

#include "io/yaml_document.hpp"

namespace sluice::cli {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of a recorded run: parsing takes about as much memory again.
constexpr std::size_t kMaxTraceBytes = std::size_t{2} << 30U;

// The whole stream, or so much of it that its length can be refused: a device has no end.
std::optional<std::string> up_to_limit(std::istream& in, const std::string& name,
                                       std::size_t limit) {
  constexpr std::size_t kPiece = std::size_t{4} << 20U;
  std::string text;
  while (in && text.size() <= limit) {
    const std::size_t before = text.size();
    text.resize(before + std::min(kPiece, limit - before + 1));
    in.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) {
    std::cerr << "sluice: cannot read " << name << "\n";
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> read_up_to(const std::string& path, std::size_t limit) {
  if (path == "-") return up_to_limit(std::cin, "standard input", limit);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    std::cerr << "sluice: " << path << " is a directory\n";
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::cerr << "sluice: cannot read " << path << "\n";
    return std::nullopt;
  }
  return up_to_limit(in, path, limit);
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  return read_up_to(path, kMaxTextBytes);
}

std::optional<std::string> read_large_file(const std::string& path) {
  auto text = read_up_to(path, kMaxTraceBytes);
  if (!text || text->size() <= kMaxTraceBytes) return text;
  std::cerr << "sluice: " << path << " has more than 2 GiB\n";
  return std::nullopt;
}

bool write_file(const std::string& path, const std::string& text) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (out) return true;
  std::cerr << "sluice: cannot write " << path << "\n";
  return false;
}

void print_diagnostics(const std::string& file, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    std::cerr << file;
    // What `--set` brought in has no place in the file.
    if (d.line > 0) std::cerr << ":" << d.line << ":" << d.column;
    std::cerr << ": " << severity_text(d.severity) << ": " << d.message << " [" << code_text(d.code)
              << "]\n";
    if (!d.hint.empty()) std::cerr << "    " << d.hint << "\n";
  }
}

void print_line(const std::string& label, const std::string& text) {
  std::printf("  %-12s %s\n", label.c_str(), text.c_str());
}

Progress::Progress(std::string what)
    : what_(std::move(what)), began_(seconds_now()), terminal_(isatty(2) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fprintf(stderr, "\r\033[K");
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  if (!terminal_ || total == 0) return;
  constexpr double kQuiet = 1.0;
  constexpr double kBetween = 0.1;
  const double now = seconds_now();
  if (now - began_ < kQuiet || now - shown_ < kBetween) return;
  shown_ = now;
  drawn_ = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(share * kWidth);
  const double left = share > 0 ? (now - began_) * (1 - share) / share : 0;
  std::fprintf(stderr, "\r%s [%s%s] %3.0f %%  %.0f s left ", what_.c_str(),
               std::string(static_cast<std::size_t>(filled), '#').c_str(),
               std::string(static_cast<std::size_t>(kWidth - filled), ' ').c_str(), share * 100,
               left);
  std::fflush(stderr);
}

}  // namespace sluice::cli

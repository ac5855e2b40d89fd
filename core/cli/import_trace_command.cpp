// sluice import of traces: figures, a scenario that plays the run again, and the two side by side.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "api/import_trace.hpp"
#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/import_trace_command.hpp"
#include "io/presets.hpp"
#include "io/report_json.hpp"

namespace sluice::cli {
namespace {

/// The `.jsonl` and `.json` files of a folder by name, or the path itself.
std::vector<std::string> files_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {path};
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".jsonl" || extension == ".json") out.push_back(entry.path().string());
  }
  std::stable_sort(out.begin(), out.end());
  return out;
}

bool read_all(const std::vector<std::string>& paths, std::vector<NamedText>& out) {
  for (const std::string& path : paths) {
    const std::vector<std::string> files = files_of(path);
    if (files.empty()) {
      std::cerr << "sluice: no .jsonl or .json file in " << path << "\n";
      return false;
    }
    for (const std::string& file : files) {
      auto text = read_large_file(file);
      if (!text) return false;
      out.push_back({file, std::move(*text)});
    }
  }
  return true;
}

}  // namespace

bool names_trace(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  // Standard input can be read but once.
  if (path == "-") return std::cin.peek() == '{' || std::cin.peek() == '[';
  std::ifstream in(path, std::ios::binary);
  char first = 0;
  return in >> first && (first == '{' || first == '[');
}

int import_trace_command(const Arguments& args, std::optional<double> message_MiB) {
  ImportRequest request;
  request.message_MiB = message_MiB;
  if (!read_all(args.files, request.traces) || !read_all(args.values("--links"), request.links))
    return kUsage;
  const Result<ImportedTrace> imported = import_trace(request, load_presets());
  if (!imported) {
    for (const Diagnostic& d : imported.diagnostics()) print_diagnostics(d.path, {d});
    if (args.has("--json")) std::cout << refusal_json(imported.diagnostics()) << "\n";
    return kWrongScenario;
  }
  const auto scenario_file = args.value("--scenario");
  const bool to_output = !scenario_file || *scenario_file == "-";
  if (!to_output && !write_file(*scenario_file, imported.value().scenario)) return kUsage;
  if (args.has("--json")) {
    std::cout << import_json(imported.value()) << "\n";
  } else if (to_output) {
    // The scenario can be piped into a file or `sluice run -`; the report goes beside it.
    std::cout << imported.value().scenario;
    std::cerr << import_text(imported.value());
  } else {
    std::cout << import_text(imported.value());
  }
  return kDone;
}

}  // namespace sluice::cli

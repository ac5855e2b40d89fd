// The half of `sluice import` that reads recorded runs.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.hpp"

namespace sluice::cli {

/// Whether the path ("-": standard input) is a folder, or a file that begins as JSON does: with an
/// object or a list. No order begins so.
bool names_trace(const std::string& path);

/// `args.files`: a folder of rank files, or the files; `--links`, `--scenario` and `--json` as the
/// command's usage says. Returns the exit code.
int import_trace_command(const Arguments& args, std::optional<double> message_MiB);

}  // namespace sluice::cli

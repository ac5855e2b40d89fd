// The trace in Chrome's JSON format, with flow arrows along the dependencies; opens in Perfetto.
#pragma once

#include <string>

#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// One "X" slice a row, one process for devices and one for links, "s"/"f" flow pairs from a
/// segment to the one it decided on another resource. Times in microseconds.
std::string chrome_trace(const Program& program, const Trace& trace, const std::string& title);

}  // namespace sluice

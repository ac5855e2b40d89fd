// The timeline and the dashboard as SVG: the same writer for the command, the `output:` paths and
// the page's export.
#pragma once

#include <string>

#include "engine/program.hpp"
#include "metrics/summary.hpp"
#include "trace/trace.hpp"

namespace sluice {

struct SvgView {
  std::string title;
  /// Visible range in ms; the whole run when `to_ms` is 0.
  double from_ms = 0;
  double to_ms = 0;
  int width = 1200;
  /// In the colours of the papers: numbers without letters, white borders.
  bool paper = false;
  /// The axis counts forwards of a microbatch on one rank, as the papers do.
  bool units = false;
};

/// Lanes of devices and busy links with time axis, letters where they fit, idle time hatched. Later
/// stages of a rank are lighter; a strip marks what runs up the ranks.
/// Slices narrower than a quarter of a pixel are merged, so the size is bounded by pixels, not by
/// rows. Colours adapt to a dark background.
std::string timeline_svg(const Program& program, const Summary& summary, const Trace& trace,
                         const SvgView& view);

/// Utilisation of stages and links, memory against capacity, latency distribution, and the main
/// numbers, on one sheet.
std::string dashboard_svg(const Program& program, const Summary& summary, const Trace& trace,
                          const std::string& title);

}  // namespace sluice

// The few shapes an SVG sheet of ours is made of, with the page's colours for light and dark.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

class SvgCanvas {
 public:
  /// `look` is "" or "paper".
  SvgCanvas(double width, double height, std::string_view look = "");

  /// `style` is a list of class names defined in svg_canvas.cpp; a colour in `fill` comes before
  /// theirs.
  void rect(double x, double y, double width, double height, std::string_view style,
            std::string_view fill = "");
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  /// Baseline at (x, y). The text is escaped.
  void text(double x, double y, std::string_view text, std::string_view style,
            std::string_view fill = "");
  std::string finish() { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};

/// 1, 2 or 5 times a power of ten, so that ticks are at least `pixels` apart.
double tick_step(double span, double width, double pixels);

/// "12.5 ms" or "2.76 s".
std::string time_text(double ms);

}  // namespace sluice

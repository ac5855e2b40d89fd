#include "io/svg_canvas.hpp"

#include <cmath>
#include <cstdio>

#include "io/number.hpp"

namespace sluice {
namespace {

// Colours of the page's tokens; a viewer with a dark theme gets the dark ones.
constexpr std::string_view kStyle = R"svg(<style>
svg{--bg:#ffffff;--lane:#f1f4f4;--hatch:#d3dadc;--grid:#e3e7e8;--ink:#171d1f;--muted:#4a555a;--line:#c3cbcd;--bar:#3d98a1;--cap:#b3240a}
@media(prefers-color-scheme:dark){svg{--bg:#161b1d;--lane:#121718;--hatch:#2e383b;--grid:#283033;--ink:#e7ecec;--muted:#b0babd;--line:#3a4549;--bar:#3a9aa1;--cap:#ff9580}}
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-size:11px;fill:var(--ink);font-variant-numeric:tabular-nums}
.end{text-anchor:end}.title{font-size:16px;font-weight:600}.facts,.small{fill:var(--muted)}.small{font-size:10px}.name{font-size:12px}.head{font-size:12px;font-weight:600}
.bg{fill:var(--bg)}.lane{fill:var(--lane)}.idle{fill:url(#hatch)}.grid{stroke:var(--grid)}.rule{stroke:var(--line)}.cap{stroke:var(--cap);stroke-dasharray:4 3}.bar{fill:var(--bar)}
.f{fill:#4477aa;stroke:#2f5a87}.b{fill:#ccbb44;stroke:#82761a}.i{fill:#ee9d6c;stroke:#a85a28}.w{fill:#228833;stroke:#166024}.a{fill:#66ccee;stroke:#257f9c}.g{fill:#aa3377;stroke:#7c2056}.u{fill:#6c777b;stroke:#4d575a}.x{fill:#cc3311;stroke:#8f210a}
rect{stroke-width:.6}.lost{opacity:.45;stroke-dasharray:3 2}
.up{fill:var(--ink);stroke:none}
.paper .f{fill:#3569b0}.paper .b{fill:#5da653}.paper .i{fill:#4fbdb5}.paper .w{fill:#eab54a}.paper .a{fill:#b9c3c7}.paper .g{fill:#8d989d}.paper .u{fill:#5b6467}
.paper rect:not(.bg,.lane,.idle){stroke:#ffffff;stroke-width:1}.paper .idle{fill:var(--hatch)}
.ft,.wt,.ut{fill:#ffffff}.bt{fill:#231f00}.it{fill:#2b1200}.paper .bt,.paper .it,.paper .wt{fill:#000000}.ft,.bt,.it,.wt,.ut{text-anchor:middle}
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="lane" width="6" height="6" stroke="none"/><path d="M-1 1l2-2M0 6l6-6M5 7l2-2" stroke="var(--hatch)" stroke-width="1"/></pattern></defs>
)svg";

std::string coordinate(double v) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2f", v);
  return buffer;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Control characters and U+FFFE, U+FFFF have no place in XML, not even escaped.
    const bool control = static_cast<unsigned char>(c) < 0x20;
    const bool no_character =
        text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF";
    if (control || no_character) {
      out += control ? " " : "\xEF\xBF\xBD";
      i += control ? 0 : 2;
      continue;
    }
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A style of the element itself, since rules of a sheet come before an attribute.
std::string filled(std::string_view colour) {
  return colour.empty() ? "" : " style=\"fill:" + std::string(colour) + "\"";
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view look) {
  const std::string size = coordinate(width) + " " + coordinate(height);
  const std::string root = look.empty() ? "" : " class=\"" + std::string(look) + "\"";
  out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + root + " viewBox=\"0 0 " + size +
         "\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) + "\">\n" +
         std::string(kStyle);
  rect(0, 0, width, height, "bg");
}

void SvgCanvas::rect(double x, double y, double width, double height, std::string_view style,
                     std::string_view fill) {
  out_ += "<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" +
          coordinate(std::fmax(0, width)) + "\" height=\"" + coordinate(height) + "\" class=\"" +
          std::string(style) + "\"" + filled(fill) + "/>\n";
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, std::string_view style) {
  out_ += "<path d=\"M" + coordinate(x1) + " " + coordinate(y1) + "L" + coordinate(x2) + " " +
          coordinate(y2) + "\" class=\"" + std::string(style) + "\"/>\n";
}

void SvgCanvas::text(double x, double y, std::string_view text, std::string_view style,
                     std::string_view fill) {
  out_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" class=\"" +
          std::string(style) + "\"" + filled(fill) + ">" + escaped(text) + "</text>\n";
}

double tick_step(double span, double width, double pixels) {
  const double rough = span * pixels / width;
  double power = 1;
  while (power > rough) power /= 10;
  while (power * 10 <= rough) power *= 10;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

std::string time_text(double ms) {
  if (std::fabs(ms) >= 1000) return short_text(ms / 1000, 4) + " s";
  if (std::fabs(ms) < 1 && ms != 0) return short_text(ms * 1000, 4) + " us";
  return short_text(ms, 4) + " ms";
}

}  // namespace sluice

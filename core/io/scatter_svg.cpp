#include "io/scatter_svg.hpp"

#include <algorithm>
#include <array>

#include "base/det_math.hpp"
#include "io/number.hpp"
#include "io/svg_canvas.hpp"

namespace sluice {
namespace {

constexpr double kSide = 460;
constexpr double kLeft = 64;
constexpr double kTop = 64;
constexpr double kBottom = 44;
constexpr double kPoint = 6;
/// Room at both ends of an axis, as a share of the figures.
constexpr double kRoom = 1.15;
constexpr std::array<const char*, 5> kColours{"#3d98a1", "#c8791d", "#8a63b8", "#b3240a",
                                              "#5c7f3a"};

/// Where a figure lies on either axis, from 0 to 1.
class LogAxis {
 public:
  LogAxis(double least, double most)
      : low_(det::log(least / kRoom)), high_(det::log(most * kRoom)) {}
  [[nodiscard]] double share(double value) const {
    return std::clamp((det::log(value) - low_) / (high_ - low_), 0.0, 1.0);
  }

 private:
  double low_;
  double high_;
};

// 1, 2 and 5 times powers of ten within the figures.
std::vector<double> ticks(double least, double most) {
  std::vector<double> out;
  double power = 1;
  while (power > least) power /= 10;
  while (power * 10 <= least) power *= 10;
  for (; power <= most * kRoom; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = power * factor;
      if (tick >= least / kRoom && tick <= most * kRoom) out.push_back(tick);
    }
  }
  return out;
}

}  // namespace

std::string scatter_svg(const std::string& title, const std::string& axes,
                        const std::vector<std::string>& groups,
                        const std::vector<ScatterPoint>& points, double band) {
  SvgCanvas canvas(kLeft + kSide + 24, kTop + kSide + kBottom);
  canvas.text(24, 28, title, "title");
  double least = points.empty() ? 1 : points.front().measured;
  double most = least;
  for (const ScatterPoint& p : points) {
    least = std::min({least, p.measured, p.predicted});
    most = std::max({most, p.measured, p.predicted});
  }
  const LogAxis axis(least, most);
  const auto x = [&](double value) { return kLeft + kSide * axis.share(value); };
  const auto y = [&](double value) { return kTop + kSide * (1 - axis.share(value)); };
  for (const double tick : ticks(least, most)) {
    canvas.line(x(tick), kTop, x(tick), kTop + kSide, "grid");
    canvas.line(kLeft, y(tick), kLeft + kSide, y(tick), "grid");
    canvas.text(x(tick) - 8, kTop + kSide + 16, short_text(tick, 4), "small");
    canvas.text(kLeft - 8, y(tick) + 4, short_text(tick, 4), "small end");
  }
  const double low = least / kRoom;
  const double high = most * kRoom;
  canvas.line(x(low), y(low), x(high), y(high), "rule");
  canvas.line(x(low), y(low * (1 + band)), x(high / (1 + band)), y(high), "cap");
  canvas.line(x(low * (1 + band)), y(low), x(high), y(high / (1 + band)), "cap");
  for (const ScatterPoint& p : points) {
    canvas.rect(x(p.measured) - kPoint / 2, y(p.predicted) - kPoint / 2, kPoint, kPoint, "",
                kColours.at(std::min(p.group, kColours.size() - 1)));
  }
  double at = 24;
  constexpr double kLetter = 7;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    canvas.rect(at, 42, 10, 10, "", kColours.at(std::min(g, kColours.size() - 1)));
    canvas.text(at + 16, 51, groups[g], "small");
    at += 36 + kLetter * static_cast<double>(groups[g].size());
  }
  constexpr double kPercent = 100;
  canvas.text(kLeft + kSide, 51, "dashed: " + short_text(band * kPercent, 3) + " % off",
              "small end");
  canvas.text(kLeft, kTop + kSide + 36, "across: measured " + axes + "; up: predicted", "small");
  return canvas.finish();
}

}  // namespace sluice

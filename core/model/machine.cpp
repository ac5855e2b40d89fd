#include "model/machine.hpp"

namespace sluice {

Locality locality(const Device& a, const Device& b) {
  if (a.id == b.id) return Locality::SameDevice;
  if (a.node != b.node) return Locality::CrossNode;
  return a.socket == b.socket ? Locality::SameSocket : Locality::SameNode;
}

namespace {

constexpr double kBytesPerMiB = 1048576;
constexpr double kMsPerSecond = 1000;

// Of the last two points: what a large message pays for one MiB more.
double last_slope(const std::vector<LinkPoint>& points) {
  const LinkPoint& b = points.back();
  const LinkPoint a = points.size() > 1 ? points[points.size() - 2] : LinkPoint{};
  return (b.time_ms - a.time_ms) / (b.size_MiB - a.size_MiB);
}

}  // namespace

double Link::wire_ms(double bytes) const {
  if (points.empty()) return bytes / bandwidth.value * kMsPerSecond;
  const double size = bytes / kBytesPerMiB;
  LinkPoint before;
  for (const LinkPoint& p : points) {
    if (size <= p.size_MiB) {
      return before.time_ms + (p.time_ms - before.time_ms) * (size - before.size_MiB) /
                                  (p.size_MiB - before.size_MiB);
    }
    before = p;
  }
  return before.time_ms + last_slope(points) * (size - before.size_MiB);
}

double Link::held_ms(double bytes, double buffer) const {
  if (bytes <= buffer) return 0;
  if (points.empty()) return (bytes - buffer) / bandwidth.value * kMsPerSecond;
  return (bytes - buffer) / kBytesPerMiB * last_slope(points);
}

}  // namespace sluice

#include "io/svg.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/number.hpp"
#include "io/svg_canvas.hpp"

namespace sluice {
namespace {

constexpr double kHeader = 110;
constexpr double kLane = 26;
constexpr double kLinkLane = 17;
constexpr double kAxis = 26;
constexpr double kTitle = 44;
constexpr double kFoot = 34;

std::string_view class_of(OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
      return "f";
    case OpKind::Backward:
      return "b";
    case OpKind::InputGrad:
      return "i";
    case OpKind::WeightGrad:
      return "w";
    case OpKind::Activation:
      return "a";
    case OpKind::Gradient:
      return "g";
    case OpKind::Failure:
      return "x";
    default:
      return "u";
  }
}

std::string_view legend_text(OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
      return "F forward";
    case OpKind::Backward:
      return "B backward";
    case OpKind::InputGrad:
      return "I input gradient";
    case OpKind::WeightGrad:
      return "W weight gradient";
    case OpKind::Activation:
      return "activation";
    case OpKind::Gradient:
      return "gradient";
    case OpKind::Update:
      return "update";
    case OpKind::AllReduce:
      return "all-reduce";
    case OpKind::Failure:
      return "outage";
    default:
      return "";
  }
}

class TimelineWriter {
 public:
  TimelineWriter(const Program& program, const Summary& summary, const Trace& trace,
                 const SvgView& view)
      : p_(program), s_(summary), t_(trace), v_(view) {
    const double end = std::max(to_ms(summary.trace_duration), 1e-9);
    const bool part = view.to_ms > view.from_ms && view.from_ms < end && view.to_ms > 0;
    from_ = part ? std::max(view.from_ms, 0.0) : 0;
    to_ = part ? std::min(view.to_ms, end) : end;
    place_lanes();
  }

  std::string write() {
    SvgCanvas canvas(v_.width, bottom_ + kFoot);
    canvas.text(16, 26, v_.title, "title");
    canvas.text(v_.width - 16.0, 26,
                "step " + time_text(to_ms(s_.makespan)) + " · bubble " +
                    short_text(100 * s_.bubble.idle_over_makespan, 3) + " % · " + p_.plan.resolved,
                "facts end");
    axis(canvas);
    for (const Lane& lane : lanes_) lane_frame(canvas, lane);
    slices(canvas);
    legend(canvas);
    return canvas.finish();
  }

 private:
  struct Lane {
    double y = 0;
    double height = 0;
    std::string name;
    bool link = false;
  };

  void place_lanes() {
    lane_of_.assign(p_.machine.devices.size() + p_.machine.links.size(), -1);
    double y = kTitle + kAxis;
    const auto add = [&](std::size_t resource, const std::string& name, bool link) {
      const double height = link ? kLinkLane : kLane;
      lane_of_[resource] = static_cast<int>(lanes_.size());
      lanes_.push_back({y, height, name, link});
      y += height;
    };
    for (const std::uint32_t d : p_.stage_devices) add(d, p_.machine.devices[d].id, false);
    // Many links would bury the stages; the busiest say what matters.
    constexpr std::size_t kMostLinks = 12;
    std::vector<LinkUse> links = s_.links;
    std::stable_sort(links.begin(), links.end(), [](const LinkUse& a, const LinkUse& b) {
      return a.utilization > b.utilization;
    });
    if (links.size() > kMostLinks) {
      left_out_ = links.size() - kMostLinks;
      links.resize(kMostLinks);
    }
    std::stable_sort(links.begin(), links.end(),
                     [](const LinkUse& a, const LinkUse& b) { return a.link < b.link; });
    if (!links.empty()) y += 6;
    for (const LinkUse& use : links) {
      const Link& l = p_.machine.links[use.link];
      add(p_.machine.devices.size() + use.link,
          p_.machine.device(l.from).id + " → " + p_.machine.device(l.to).id, true);
    }
    bottom_ = y;
  }

  [[nodiscard]] double x(double ms) const {
    return kHeader + (ms - from_) / (to_ - from_) * (v_.width - kHeader - 16);
  }

  void axis(SvgCanvas& canvas) const {
    const double step = tick_step(to_ - from_, v_.width - kHeader, 90);
    const double first = std::ceil(from_ / step) * step;
    // Counted, so that a step too small to change a time cannot go on for ever.
    constexpr int kMostTicks = 100;
    for (int i = 0; i < kMostTicks; ++i) {
      const double tick = first + i * step;
      if (!(tick <= to_ * (1 + 1e-12))) break;
      canvas.line(x(tick), kTitle + kAxis - 5, x(tick), bottom_, "grid");
      if (x(tick) < v_.width - 40.0)
        canvas.text(x(tick) + 3, kTitle + kAxis - 9, time_text(tick), "small");
    }
  }

  void lane_frame(SvgCanvas& canvas, const Lane& lane) const {
    const double pad = lane.link ? 3 : 2;
    canvas.text(kHeader - 8, lane.y + lane.height / 2 + 4, lane.name,
                lane.link ? "small end" : "name end");
    const double right = std::min(x(to_), v_.width - 16.0);
    canvas.rect(kHeader, lane.y + pad, right - kHeader, lane.height - 2 * pad,
                lane.link ? "lane" : "idle");
  }

  void slices(SvgCanvas& canvas) {
    // Per lane: where the last drawn slice ended, to merge what is too narrow to see.
    std::vector<double> drawn(lanes_.size(), -1e9);
    for (std::size_t row = 0; row < t_.rows(); ++row) {
      const int index = lane_of_[t_.resource[row]];
      if (index < 0) continue;
      const double start = to_ms(Time{t_.start[row]});
      const double end = to_ms(Time{t_.end[row]});
      if (end < from_ || start > to_) continue;
      seen_[static_cast<std::size_t>(t_.kind[row])] = true;
      const double left = x(std::max(start, from_));
      const double right = x(std::min(end, to_));
      double& last = drawn[static_cast<std::size_t>(index)];
      if (right - last < 0.25) continue;
      last = right;
      slice(canvas, lanes_[static_cast<std::size_t>(index)], row, left, right);
    }
  }

  void slice(SvgCanvas& canvas, const Lane& lane, std::size_t row, double left,
             double right) const {
    const OpKind kind = t_.kind_at(row);
    const double pad = lane.link ? 3 : 2;
    std::string style(class_of(kind));
    if (!t_.done_at(row)) style += " lost";
    canvas.rect(left, lane.y + pad, std::max(right - left, 0.3), lane.height - 2 * pad, style);
    if (lane.link || !t_.per_microbatch(row)) return;
    const std::string number = std::to_string(t_.microbatch_at(row));
    // The form follows from the widest number of the run, so that slices of one size never mix "B8"
    // and "10".
    constexpr double kGlyph = 6.6;
    const auto fits = [&](std::size_t glyphs) {
      return static_cast<double>(glyphs) * kGlyph + 3 < right - left;
    };
    const std::size_t widest = std::to_string(t_.microbatches - 1).size();
    const std::string label = fits(widest + 1) ? std::string(kind_text(kind)) + number
                              : fits(widest)   ? number
                                               : "";
    if (!label.empty())
      canvas.text((left + right) / 2, lane.y + lane.height / 2 + 4, label, style + "t");
  }

  void legend(SvgCanvas& canvas) const {
    double at = kHeader;
    for (std::size_t k = 0; k < kOpKinds; ++k) {
      const auto kind = static_cast<OpKind>(k);
      const std::string_view text = legend_text(kind);
      if (!seen_[k] || text.empty()) continue;
      canvas.rect(at, bottom_ + 12, 11, 11, class_of(kind));
      canvas.text(at + 16, bottom_ + 22, text, "small");
      at += 30 + 6.2 * static_cast<double>(text.size());
    }
    canvas.rect(at, bottom_ + 12, 11, 11, "idle");
    canvas.text(at + 16, bottom_ + 22, "idle", "small");
    if (left_out_ > 0) {
      canvas.text(v_.width - 16.0, bottom_ + 22,
                  std::to_string(left_out_) +
                      (left_out_ == 1 ? " quieter link" : " quieter links") + " not drawn",
                  "small end");
    }
  }

  const Program& p_;
  const Summary& s_;
  const Trace& t_;
  const SvgView& v_;
  double from_ = 0;
  double to_ = 1;
  double bottom_ = 0;
  std::size_t left_out_ = 0;
  std::vector<Lane> lanes_;
  std::vector<int> lane_of_;
  std::vector<bool> seen_ = std::vector<bool>(kOpKinds, false);
};

}  // namespace

std::string timeline_svg(const Program& program, const Summary& summary, const Trace& trace,
                         const SvgView& view) {
  return TimelineWriter(program, summary, trace, view).write();
}

}  // namespace sluice

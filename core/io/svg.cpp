#include "io/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "base/stable_order.hpp"
#include "io/number.hpp"
#include "io/svg_canvas.hpp"

namespace sluice {
namespace {

constexpr double kHeader = 110;
constexpr double kLane = 26;
constexpr double kSplitLane = 38;  // room for two labels, one above the other
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
    case OpKind::Checkpoint:
      return "checkpoint";
    default:
      return "";
  }
}

using Rgb = std::array<int, 3>;

// Fills of svg_canvas.cpp, for the kinds that have lighter shades.
Rgb fill_of(OpKind kind, bool paper) {
  switch (kind) {
    case OpKind::Backward:
      return paper ? Rgb{0x5d, 0xa6, 0x53} : Rgb{0xcc, 0xbb, 0x44};
    case OpKind::InputGrad:
      return paper ? Rgb{0x4f, 0xbd, 0xb5} : Rgb{0xee, 0x9d, 0x6c};
    case OpKind::WeightGrad:
      return paper ? Rgb{0xea, 0xb5, 0x4a} : Rgb{0x22, 0x88, 0x33};
    default:
      return paper ? Rgb{0x35, 0x69, 0xb0} : Rgb{0x44, 0x77, 0xaa};
  }
}

// The later stages of a rank are mixed with white, the last by kLightest; as on the page.
constexpr double kLightest = 0.56;

Rgb lighter(Rgb colour, int place, int most) {
  const double mix = kLightest * place / std::max(1, most - 1);
  for (int& v : colour) v = static_cast<int>(std::floor(v + (255 - v) * mix + 0.5));
  return colour;
}

std::string hex(const Rgb& colour) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "#";
  for (const int v : colour) {
    out += kDigits[static_cast<std::size_t>(v / 16)];
    out += kDigits[static_cast<std::size_t>(v % 16)];
  }
  return out;
}

// Black or white, whichever stands out more: gamma taken as 2, which decides the same way here.
std::string_view text_on(const Rgb& c) {
  const double light = 0.2126 * c[0] * c[0] + 0.7152 * c[1] * c[1] + 0.0722 * c[2] * c[2];
  return light > 0.19 * 255 * 255 ? "#000000" : "#ffffff";
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
    place_stages();
    place_lanes();
  }

  std::string write() {
    SvgCanvas canvas(v_.width, bottom_ + kFoot, v_.paper ? "paper" : "");
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

  void place_stages() {
    const Placement& placement = p_.plan.placement;
    std::vector<int> held(static_cast<std::size_t>(placement.ranks), 0);
    for (int stage = 0; stage < placement.total_stages(); ++stage) {
      if (!placement.has(static_cast<std::size_t>(stage))) {
        place_of_stage_.push_back(0);
        continue;
      }
      int& n = held[static_cast<std::size_t>(placement.rank_of(stage))];
      place_of_stage_.push_back(n++);
      most_stages_ = std::max(most_stages_, n);
    }
    for (std::size_t row = 0; row < t_.rows() && !halves_; ++row) halves_ = t_.second_half(row);
    unit_ms_ = v_.units ? forward_ms() : 0;
  }

  // Of a microbatch through all that a rank holds of the model: the median over the devices. An
  // overlapped cell counts as one more forward, since it has no forward time of its own.
  [[nodiscard]] double forward_ms() const {
    const std::size_t devices = p_.machine.devices.size();
    std::vector<double> sum(devices, 0);
    std::vector<double> plain(devices, 0);
    std::vector<double> all(devices, 0);
    std::uint32_t batches = 1;
    for (std::size_t row = 0; row < t_.rows(); ++row) {
      const OpKind kind = t_.kind_at(row);
      if (kind != OpKind::Forward && kind != OpKind::Overlapped) continue;
      const std::uint32_t device = t_.resource[row];
      batches = std::max(batches, t_.batch_at(row) + 1);
      all[device] += 1;
      if (kind == OpKind::Overlapped) continue;
      plain[device] += 1;
      sum[device] += to_ms(Time{t_.end[row]}) - to_ms(Time{t_.start[row]});
    }
    std::vector<double> each;
    const double microbatches = static_cast<double>(batches) * t_.microbatches;
    for (std::size_t d = 0; d < devices; ++d) {
      if (plain[d] > 0) each.push_back(sum[d] / plain[d] * all[d] / microbatches);
    }
    sort_stably(each, std::less<>());
    return each.empty() ? 0 : each[each.size() / 2];
  }

  void place_lanes() {
    lane_of_.assign(p_.machine.devices.size() + p_.machine.links.size(), -1);
    double y = kTitle + kAxis;
    const auto add = [&](std::size_t resource, const std::string& name, bool link) {
      const double height = link ? kLinkLane : halves_ ? kSplitLane : kLane;
      lane_of_[resource] = static_cast<int>(lanes_.size());
      lanes_.push_back({y, height, name, link});
      y += height;
    };
    for (const std::uint32_t d : p_.stage_devices) add(d, p_.machine.devices[d].id, false);
    // Many links would bury the stages; the busiest say what matters.
    constexpr std::size_t kMostLinks = 12;
    const auto busier = [&](std::uint32_t a, std::uint32_t b) {
      return s_.links[a].utilization > s_.links[b].utilization;
    };
    std::vector<bool> shown(s_.links.size(), false);
    for (const std::uint32_t i : first_in_order(s_.links.size(), kMostLinks, busier))
      shown[i] = true;
    left_out_ = s_.links.size() - std::min(s_.links.size(), kMostLinks);
    if (!s_.links.empty()) y += 6;
    // They come in the order of the machine.
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (!shown[i]) continue;
      const LinkUse& use = s_.links[i];
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
    const double unit = unit_ms_ > 0 ? unit_ms_ : 1;
    const double step = tick_step((to_ - from_) / unit, v_.width - kHeader, 90) * unit;
    const double first = std::ceil(from_ / step) * step;
    // Counted, so that a step too small to change a time cannot go on for ever.
    constexpr int kMostTicks = 100;
    for (int i = 0; i < kMostTicks; ++i) {
      const double tick = first + i * step;
      if (!(tick <= to_ * (1 + 1e-12))) break;
      canvas.line(x(tick), kTitle + kAxis - 5, x(tick), bottom_, "grid");
      if (x(tick) < v_.width - 40.0)
        canvas.text(x(tick) + 3, kTitle + kAxis - 9,
                    unit_ms_ > 0 ? short_text(tick / unit_ms_, 4) : time_text(tick), "small");
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
      if (right - last < 0.25 && !t_.second_half(row)) continue;
      last = right;
      slice(canvas, lanes_[static_cast<std::size_t>(index)], row, left, right);
    }
  }

  void slice(SvgCanvas& canvas, const Lane& lane, std::size_t row, double left,
             double right) const {
    const OpKind kind = t_.kind_at(row);
    const double pad = lane.link ? 3 : 2;
    // The halves of an overlapped cell share its height.
    const bool upper = kind == OpKind::Overlapped;
    const bool lower = t_.second_half(row);
    double top = lane.y + pad;
    double height = lane.height - 2 * pad;
    if (upper || lower) height /= 2;
    if (lower) top += height;
    const OpKind shown = upper ? OpKind::Forward : kind;
    std::string style(class_of(shown));
    if (!t_.done_at(row)) style += " lost";
    const int place = lane.link || t_.stage[row] == kNoStage || !t_.per_microbatch(row)
                          ? 0
                          : place_of_stage_[t_.stage[row]];
    const Rgb light = lighter(fill_of(shown, v_.paper), place, most_stages_);
    const std::string fill = place > 0 ? hex(light) : "";
    canvas.rect(left, top, std::max(right - left, 0.3), height, style, fill);
    if (lane.link || !t_.per_microbatch(row)) return;
    if (p_.plan.pipelines.empty() && t_.pipe_at(row) % 2 == 1 && !v_.paper)
      canvas.rect(left, top, right - left, 2, "up");
    const std::string slice =
        t_.slices > 1 ? "." + std::to_string(t_.slice_at(row)) : std::string();
    const std::string number = std::to_string(t_.microbatch_at(row)) + slice;
    // The form follows from the widest number of the run, so that slices of one size never mix "B8"
    // and "10".
    constexpr double kGlyph = 6.6;
    const auto fits = [&](std::size_t glyphs) {
      return static_cast<double>(glyphs) * kGlyph + 3 < right - left;
    };
    const std::size_t widest =
        std::to_string(t_.microbatches - 1).size() +
        (t_.slices > 1 ? 1 + std::to_string(t_.slices - 1).size() : std::size_t{0});
    const std::string label = fits(widest + 1) && !v_.paper ? std::string(kind_text(shown)) + number
                              : fits(widest)                ? number
                                                            : "";
    if (label.empty()) return;
    canvas.text((left + right) / 2, top + height / 2 + 4, label, style + "t",
                place > 0 ? text_on(light) : "");
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
    at += 30 + 6.2 * 4;
    if (most_stages_ > 1) {
      canvas.rect(at, bottom_ + 12, 11, 11, "f",
                  hex(lighter(fill_of(OpKind::Forward, v_.paper), most_stages_ - 1, most_stages_)));
      canvas.text(at + 16, bottom_ + 22, "later stage of the rank", "small");
    }
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
  /// By stage over all pipes: its place among those of its rank; and most that a rank holds.
  std::vector<int> place_of_stage_;
  int most_stages_ = 1;
  bool halves_ = false;
  /// Of one forward, where the axis counts those; else 0.
  double unit_ms_ = 0;
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

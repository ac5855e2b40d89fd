// The dashboard sheet: main numbers, bars of utilisation and memory, and the distribution of
// microbatch latencies.
#include <algorithm>
#include <string>
#include <vector>

#include "io/number.hpp"
#include "io/svg.hpp"
#include "io/svg_canvas.hpp"

namespace sluice {
namespace {

constexpr double kWidth = 960;
constexpr double kColumn = 460;
constexpr double kRow = 20;
/// Room for the figure behind a bar.
constexpr double kValue = 108;

struct Bar {
  std::string name;
  double share = 0;
  std::string value;
};

// A titled list of bars, each a share of the whole width; returns the y below it.
double bars(SvgCanvas& canvas, double x, double y, const std::string& title,
            const std::vector<Bar>& list) {
  canvas.text(x, y, title, "head");
  y += 12;
  for (const Bar& bar : list) {
    const double left = x + 120;
    const double width = kColumn - 120 - kValue;
    canvas.text(left - 8, y + 11, bar.name, "small end");
    canvas.rect(left, y + 2, width, 12, "lane");
    canvas.rect(left, y + 2, width * std::min(bar.share, 1.0), 12, bar.share > 1 ? "x" : "bar");
    canvas.text(left + width + 8, y + 12, bar.value, "small");
    y += kRow;
  }
  return y + 18;
}

std::vector<Bar> latency_bars(const Program& program, const Trace& trace) {
  const std::size_t count = static_cast<std::size_t>(program.plan.microbatches) *
                            static_cast<std::size_t>(program.simulation.batches);
  std::vector<std::int64_t> began(count, -1);
  std::vector<std::int64_t> done(count, -1);
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    const OpKind kind = trace.kind_at(row);
    if (trace.kind[row] >= static_cast<std::uint8_t>(OpKind::Activation)) continue;
    std::int64_t& first = began[trace.unit_at(row)];
    if (first < 0) first = trace.start[row];
    const bool backward = kind == OpKind::Backward || kind == OpKind::InputGrad;
    if (trace.model_stage_at(row) == 0 && backward && trace.done_at(row))
      done[trace.unit_at(row)] = trace.end[row];
  }
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, to_ms(Time{done[i] - began[i]}));
  constexpr std::size_t kBins = 8;
  std::vector<std::size_t> bins(kBins, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (done[i] < 0) continue;
    const double share = most > 0 ? to_ms(Time{done[i] - began[i]}) / most : 0;
    ++bins[std::min(kBins - 1, static_cast<std::size_t>(share * kBins))];
  }
  const std::size_t tallest = std::max<std::size_t>(1, *std::max_element(bins.begin(), bins.end()));
  std::vector<Bar> out;
  for (std::size_t b = 0; b < kBins; ++b) {
    out.push_back({"to " + time_text(most * static_cast<double>(b + 1) / kBins),
                   static_cast<double>(bins[b]) / static_cast<double>(tallest),
                   std::to_string(bins[b])});
  }
  return out;
}

}  // namespace

std::string dashboard_svg(const Program& program, const Summary& s, const Trace& trace,
                          const std::string& title) {
  constexpr std::size_t kMost = 32;
  std::vector<Bar> ranks;
  for (std::size_t i = 0; i < std::min(s.rank_utilization.size(), kMost); ++i) {
    ranks.push_back(
        {"rank " + std::to_string(i), s.rank_utilization[i], percent_text(s.rank_utilization[i])});
  }
  std::vector<Bar> links;
  for (std::size_t i = 0; i < std::min(s.links.size(), kMost); ++i) {
    const Link& l = program.machine.links[s.links[i].link];
    links.push_back({program.machine.device(l.from).id + " → " + program.machine.device(l.to).id,
                     s.links[i].utilization,
                     percent_text(s.links[i].utilization) + ", " +
                         std::to_string(s.links[i].peak_concurrency) + " at once"});
  }
  std::vector<Bar> memory;
  for (const std::uint32_t d : program.stage_devices) {
    if (memory.size() == kMost) break;
    const double peak = static_cast<double>(s.peak_memory[d].value);
    memory.push_back({program.machine.devices[d].id,
                      peak / static_cast<double>(s.memory_capacity[d].value),
                      short_text(peak / kGiB, 3) + " GiB"});
  }
  const double rows = static_cast<double>(std::max(ranks.size() + memory.size(), links.size() + 8));
  SvgCanvas canvas(kWidth, 190 + rows * kRow + 60);
  canvas.text(16, 28, title, "title");
  canvas.text(16, 52,
              "step " + time_text(to_ms(s.makespan)) + " · " +
                  short_text(s.throughput_per_ms * 1000) + " microbatches/s · bubble " +
                  percent_text(s.bubble.idle_over_makespan) + " of makespan, " +
                  percent_text(s.bubble.idle_over_work) + " of work, span " +
                  percent_text(s.bubble.span),
              "facts");
  canvas.text(16, 70,
              "communication over compute " +
                  short_text(s.compute.ps > 0 ? to_ms(s.transfer) / to_ms(s.compute) : 0, 3) +
                  " · latency p50 " + time_text(s.latency_p50_ms) + ", p99 " +
                  time_text(s.latency_p99_ms) + " · outages " + std::to_string(s.failures),
              "facts");
  const double below = bars(canvas, 16, 106, "Busy share of the step, by rank", ranks);
  bars(canvas, 16, below, "Peak memory of capacity", memory);
  const double right = bars(canvas, 16 + kColumn + 8, 106, "Busy share of the run, by link", links);
  bars(canvas, 16 + kColumn + 8, right, "Latency of microbatches", latency_bars(program, trace));
  return canvas.finish();
}

}  // namespace sluice

#include "measure/trace_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "measure/messages.hpp"

namespace sluice {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kNsPerSecond = 1e9;

double to_ms(std::int64_t ns) {
  return static_cast<double>(ns) / kNsPerMs;
}

DurationFigures figures(std::vector<double> ms) {
  DurationFigures out;
  out.count = static_cast<std::int64_t>(ms.size());
  if (ms.empty()) return out;
  const auto n = static_cast<double>(ms.size());
  for (const double x : ms) out.mean_ms += x;
  out.mean_ms /= n;
  for (const double x : ms) out.std_ms += (x - out.mean_ms) * (x - out.mean_ms);
  out.std_ms = std::sqrt(out.std_ms / n);
  std::stable_sort(ms.begin(), ms.end());
  const std::size_t half = ms.size() / 2;
  out.median_ms = ms.size() % 2 == 1 ? ms[half] : (ms[half - 1] + ms[half]) / 2;
  return out;
}

/// Length of a union of intervals that come by start.
struct Union {
  std::int64_t length = 0;
  std::int64_t until = std::numeric_limits<std::int64_t>::min();

  void add(std::int64_t start, std::int64_t end) {
    if (end <= until) return;
    length += end - std::max(start, until);
    until = end;
  }
};

class Figures {
 public:
  explicit Figures(const TracedRun& run) : run_(run) {
    for (std::size_t i = 0; i < run.ranks.size(); ++i) place_of_rank_[run.ranks[i].rank] = i;
  }

  TraceFigures read() {
    out_.first_iteration = std::numeric_limits<std::int32_t>::max();
    out_.last_iteration = std::numeric_limits<std::int32_t>::min();
    for (const OpEvent& e : run_.events) {
      out_.first_iteration = std::min(out_.first_iteration, e.iteration);
      out_.last_iteration = std::max(out_.last_iteration, e.iteration);
      if (e.pipelined()) out_.microbatches = std::max(out_.microbatches, e.microbatch + 1);
    }
    out_.iterations = out_.last_iteration - out_.first_iteration + 1;
    read_stages();
    read_updates();
    read_steps();
    read_throughput();
    read_utilization();
    read_hops();
    return std::move(out_);
  }

 private:
  void read_stages() {
    const auto stages = static_cast<std::size_t>(run_.stages);
    std::vector<std::vector<double>> forward(stages);
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::int64_t> backward;
    std::int64_t input = 0;
    std::int64_t split = 0;
    for (const OpEvent& e : run_.events) {
      if (!e.pipelined()) continue;
      if (e.kind == OpKind::Forward) {
        forward[static_cast<std::size_t>(e.stage)].push_back(to_ms(e.length_ns()));
        continue;
      }
      backward[{e.stage, e.iteration, e.microbatch}] += e.length_ns();
      if (e.kind == OpKind::InputGrad) input += e.length_ns();
      if (e.kind != OpKind::Backward) split += e.length_ns();
    }
    std::vector<std::vector<double>> whole(stages);
    for (const auto& [key, ns] : backward)
      whole[static_cast<std::size_t>(std::get<0>(key))].push_back(to_ms(ns));
    for (std::size_t s = 0; s < stages; ++s) {
      out_.forward.push_back(figures(std::move(forward[s])));
      out_.backward.push_back(figures(std::move(whole[s])));
    }
    if (split > 0) out_.input_grad_share = static_cast<double>(input) / static_cast<double>(split);
  }

  void read_updates() {
    std::vector<std::vector<double>> update(run_.ranks.size());
    for (const OpEvent& e : run_.events) {
      if (e.kind == OpKind::Update) update[place_of_rank_[e.rank]].push_back(to_ms(e.length_ns()));
    }
    out_.updates = true;
    for (auto& values : update) {
      out_.update.push_back(figures(std::move(values)));
      out_.updates = out_.updates && out_.update.back().count > 0;
    }
  }

  struct Step {
    std::int64_t start = 0;
    std::int64_t worked_until = std::numeric_limits<std::int64_t>::min();
    std::int64_t first_update = std::numeric_limits<std::int64_t>::max();
    std::int64_t longest_update = 0;
  };

  void read_steps() {
    std::map<std::int32_t, Step> steps;
    for (const OpEvent& e : run_.events) {
      const auto [entry, added] = steps.emplace(e.iteration, Step{});
      Step& s = entry->second;
      if (added) s.start = e.start_ns;
      if (e.pipelined()) s.worked_until = std::max(s.worked_until, e.end_ns);
      if (e.kind != OpKind::Update) continue;
      s.first_update = std::min(s.first_update, e.start_ns);
      s.longest_update = std::max(s.longest_update, e.length_ns());
    }
    std::vector<double> periods;
    std::vector<double> pauses;
    std::vector<double> before_updates;
    const Step* before = nullptr;
    for (const auto& [number, step] : steps) {
      if (step.longest_update > 0)
        before_updates.push_back(to_ms(step.first_update - step.worked_until));
      if (before != nullptr) {
        periods.push_back(to_ms(step.start - before->start));
        pauses.push_back(to_ms(step.start - before->worked_until - before->longest_update));
      }
      before = &step;
    }
    out_.pause = figures(std::move(pauses));
    out_.before_updates = figures(std::move(before_updates));
    if (periods.empty()) return;
    const DurationFigures period = figures(std::move(periods));
    out_.period_mean_ms = period.mean_ms;
    out_.period_median_ms = period.median_ms;
  }

  void read_throughput() {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (const OpEvent& e : run_.events) {
      if (!e.pipelined()) continue;
      if (e.kind == OpKind::Forward) begin = std::min(begin, e.start_ns);
      if (e.kind != OpKind::Forward && e.stage == 0) end = std::max(end, e.end_ns);
    }
    if (end <= begin) return;
    out_.microbatches_per_s = static_cast<double>(out_.backward.front().count) /
                              static_cast<double>(end - begin) * kNsPerSecond;
  }

  void read_utilization() {
    const auto stages = static_cast<std::size_t>(run_.stages);
    std::vector<Union> busy(stages);
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (const OpEvent& e : run_.events) {
      if (!e.computes()) continue;
      begin = std::min(begin, e.start_ns);
      end = std::max(end, e.end_ns);
      for (std::size_t s = 0; s < stages; ++s) {
        const bool own = e.kind == OpKind::Update ? run_.place_of_stage[s] == place_of_rank_[e.rank]
                                                  : s == static_cast<std::size_t>(e.stage);
        if (own) busy[s].add(e.start_ns, e.end_ns);
      }
    }
    const auto makespan = static_cast<double>(end - begin);
    double idle = 0;
    for (const Union& u : busy) {
      out_.utilization.push_back(static_cast<double>(u.length) / makespan);
      idle += 1 - out_.utilization.back();
    }
    out_.bubble = idle / static_cast<double>(stages);
  }

  // Messages that found their receiver busy tell how busy it was, not how long they took.
  void read_hops() {
    struct Gaps {
      std::vector<double> awaited;
      double least = std::numeric_limits<double>::infinity();
    };
    std::map<std::pair<std::int32_t, std::int32_t>, Gaps> gaps;
    for (const Message& m : messages_of(run_)) {
      Gaps& g = gaps[{m.from_stage, m.to_stage}];
      const double gap = std::max(0.0, to_ms(m.received_ns - m.sent_ns));
      g.least = std::min(g.least, gap);
      if (m.awaited) g.awaited.push_back(gap);
    }
    for (auto& [pair, g] : gaps) {
      if (g.awaited.empty()) g.awaited.push_back(g.least);
      out_.hops.push_back({pair.first, pair.second, figures(std::move(g.awaited))});
    }
  }

  const TracedRun& run_;
  std::map<std::int32_t, std::size_t> place_of_rank_;
  TraceFigures out_;
};

}  // namespace

TraceFigures trace_figures(const TracedRun& run) {
  return Figures(run).read();
}

}  // namespace sluice

// Which iterations of a recording count.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "measure/trace_figures.hpp"

namespace sluice {
namespace {

/// Source: specification of HOPS, section 11.
constexpr double kWarmUpFactor = 3.0;

/// Stage, kind, microbatch.
using Part = std::tuple<std::int32_t, OpKind, std::int32_t>;

struct Iteration {
  std::int32_t number = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::set<Part> parts;

  [[nodiscard]] double span() const { return static_cast<double>(end - start); }
};

std::vector<Iteration> iterations_of(const TracedRun& run) {
  std::map<std::int32_t, Iteration> by_number;
  for (const OpEvent& e : run.events) {
    const auto [entry, added] = by_number.emplace(e.iteration, Iteration{});
    Iteration& i = entry->second;
    if (added) i = {e.iteration, e.start_ns, e.end_ns, {}};
    i.end = std::max(i.end, e.end_ns);
    if (e.pipelined()) i.parts.emplace(e.stage, e.kind, e.microbatch);
  }
  std::vector<Iteration> out;
  for (auto& [number, i] : by_number) out.push_back(std::move(i));
  return out;
}

double median_span(const std::vector<Iteration>& all, std::size_t from) {
  std::vector<double> spans;
  for (std::size_t i = from; i < all.size(); ++i) spans.push_back(all[i].span());
  std::stable_sort(spans.begin(), spans.end());
  const std::size_t half = spans.size() / 2;
  return spans.size() % 2 == 1 ? spans[half] : (spans[half - 1] + spans[half]) / 2;
}

std::string part_text(const Part& part) {
  const auto [stage, kind, microbatch] = part;
  return std::string(kind_text(kind)) + std::to_string(microbatch) + " of stage " +
         std::to_string(stage);
}

Diagnostic of_stage(const TracedRun& run, std::int32_t stage, std::string message) {
  const std::size_t place = run.place_of_stage[static_cast<std::size_t>(stage)];
  Diagnostic d = error(Code::TraceField, run.ranks[place].source, std::move(message));
  d.line = d.column = 1;
  return d;
}

// Every stage must have the same microbatches, from 0 on without a hole.
Diagnostics check_numbers(const TracedRun& run, const std::set<Part>& whole) {
  Diagnostics problems;
  std::vector<std::set<std::int32_t>> forward(static_cast<std::size_t>(run.stages));
  std::vector<std::set<std::int32_t>> backward = forward;
  for (const auto& [stage, kind, microbatch] : whole) {
    if (kind == OpKind::WeightGrad) continue;
    auto& own = kind == OpKind::Forward ? forward : backward;
    own[static_cast<std::size_t>(stage)].insert(microbatch);
  }
  for (std::int32_t s = 0; s < run.stages; ++s) {
    const auto& own = forward[static_cast<std::size_t>(s)];
    const auto& other = backward[static_cast<std::size_t>(s)];
    const std::string name = "stage " + std::to_string(s) + " has " + std::to_string(own.size());
    if (own.empty() || own != other || own.size() != forward.front().size()) {
      problems.push_back(of_stage(run, s,
                                  name + " forwards and " + std::to_string(other.size()) +
                                      " backwards of an iteration, stage 0 has " +
                                      std::to_string(forward.front().size()) + " forwards"));
    } else if (static_cast<std::size_t>(*own.rbegin()) + 1 != own.size()) {
      problems.push_back(of_stage(run, s,
                                  name + " microbatches, but one is number " +
                                      std::to_string(*own.rbegin()) +
                                      "; they count from 0 in each iteration"));
    }
  }
  return problems;
}

}  // namespace

Result<TracedRun> steady_part(const TracedRun& run, std::int32_t& warm_up_dropped,
                              std::int32_t& incomplete_dropped) {
  warm_up_dropped = incomplete_dropped = 0;
  std::vector<Iteration> all = iterations_of(run);
  // What a whole iteration consists of is what any has.
  std::set<Part> whole;
  for (const Iteration& i : all) whole.insert(i.parts.begin(), i.parts.end());
  Diagnostics problems = check_numbers(run, whole);
  if (!problems.empty()) return problems;
  const auto cut = [&](const Iteration& i) { return i.parts.size() < whole.size(); };
  while (!all.empty() && cut(all.back())) {
    all.pop_back();
    ++incomplete_dropped;
  }
  while (!all.empty() && cut(all.front())) {
    all.erase(all.begin());
    ++incomplete_dropped;
  }
  if (all.empty()) {
    Diagnostic d = error(Code::TraceEmpty, run.ranks.front().source,
                         "no iteration is complete in the files of all ranks");
    d.line = d.column = 1;
    return d;
  }
  for (const Iteration& i : all) {
    if (!cut(i)) continue;
    for (const Part& part : whole) {
      if (i.parts.count(part) != 0) continue;
      problems.push_back(
          of_stage(run, std::get<0>(part),
                   "iteration " + std::to_string(i.number) + " has no " + part_text(part)));
      break;
    }
  }
  if (!problems.empty()) return problems;
  std::size_t begin = 0;
  while (begin + 1 < all.size() &&
         all[begin].span() >= kWarmUpFactor * median_span(all, begin + 1)) {
    ++begin;
  }
  warm_up_dropped = static_cast<std::int32_t>(begin);
  TracedRun out = run;
  const std::int32_t low = all[begin].number;
  const std::int32_t high = all.back().number;
  out.events.erase(
      std::remove_if(out.events.begin(), out.events.end(),
                     [&](const OpEvent& e) { return e.iteration < low || e.iteration > high; }),
      out.events.end());
  return out;
}

}  // namespace sluice

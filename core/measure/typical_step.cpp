#include "measure/typical_step.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "base/stable_order.hpp"

namespace sluice {
namespace {

struct Span {
  std::int32_t iteration = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

}  // namespace

std::vector<OpEvent> typical_step(const TracedRun& run) {
  std::map<std::int32_t, Span> by_iteration;
  for (const OpEvent& e : run.events) {
    if (!e.computes()) continue;
    const auto [it, fresh] =
        by_iteration.insert({e.iteration, {e.iteration, e.start_ns, e.end_ns}});
    if (fresh) continue;
    it->second.from = std::min(it->second.from, e.start_ns);
    it->second.to = std::max(it->second.to, e.end_ns);
  }
  std::vector<Span> spans;
  for (const auto& [iteration, span] : by_iteration) spans.push_back(span);
  if (spans.empty()) return {};
  const auto length = [](const Span& span) { return span.to - span.from; };
  sort_stably(spans, [&](const Span& a, const Span& b) { return length(a) < length(b); });
  const std::size_t middle = (spans.size() - 1) / 2;
  std::size_t chosen = middle;
  while (chosen > 0 && length(spans[chosen - 1]) == length(spans[middle])) --chosen;
  std::vector<OpEvent> out;
  for (OpEvent e : run.events) {
    if (!e.computes() || e.iteration != spans[chosen].iteration) continue;
    e.start_ns -= spans[chosen].from;
    e.end_ns -= spans[chosen].from;
    out.push_back(e);
  }
  return out;
}

}  // namespace sluice

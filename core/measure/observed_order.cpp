#include "measure/observed_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sluice {
namespace {

std::string text_of(OpKind kind, std::int32_t microbatch, std::int32_t stage) {
  return std::string(kind_text(kind)) + std::to_string(microbatch) + "@" + std::to_string(stage);
}

/// Forwards before the first backward, then one of each in turn, then the backwards that are left.
std::string alternating(std::int32_t stage, std::int32_t warm_up, std::int32_t microbatches) {
  std::string out;
  const auto add = [&](OpKind kind, std::int32_t k) {
    if (!out.empty()) out += ' ';
    out += text_of(kind, k, stage);
  };
  std::int32_t backwards = 0;
  for (std::int32_t f = 0; f < microbatches; ++f) {
    add(OpKind::Forward, f);
    if (f >= warm_up) add(OpKind::Backward, backwards++);
  }
  while (backwards < microbatches) add(OpKind::Backward, backwards++);
  return out;
}

}  // namespace

ObservedOrder observed_order(const TracedRun& run) {
  std::map<std::int32_t, std::size_t> place_of_rank;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) place_of_rank[run.ranks[i].rank] = i;
  // By rank and iteration.
  std::vector<std::map<std::int32_t, std::string>> orders(run.ranks.size());
  std::int32_t microbatches = 0;
  for (const OpEvent& e : run.events) {
    if (!e.pipelined()) continue;
    microbatches = std::max(microbatches, e.microbatch + 1);
    std::string& order = orders[place_of_rank[e.rank]][e.iteration];
    if (!order.empty()) order += ' ';
    order += text_of(e.kind, e.microbatch, e.stage);
  }
  ObservedOrder out;
  std::set<std::int32_t> deviating;
  for (const auto& by_iteration : orders) {
    std::map<std::string, std::int32_t> counts;
    for (const auto& [iteration, order] : by_iteration) ++counts[order];
    // Ties go to the text that is first, so that the answer does not depend on anything else.
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    out.ranks.push_back(most->first);
    for (const auto& [iteration, order] : by_iteration) {
      if (order != most->first) deviating.insert(iteration);
    }
  }
  out.deviations = static_cast<std::int32_t>(deviating.size());
  const bool one_stage_a_rank = static_cast<std::size_t>(run.stages) == run.ranks.size();
  const auto keeps_to = [&](auto warm_up) {
    for (std::int32_t s = 0; one_stage_a_rank && s < run.stages; ++s) {
      const std::string& order = out.ranks[run.place_of_stage[static_cast<std::size_t>(s)]];
      if (order != alternating(s, warm_up(s), microbatches)) return false;
    }
    return one_stage_a_rank;
  };
  if (keeps_to([&](std::int32_t s) { return std::min(run.stages - 1 - s, microbatches); })) {
    out.name = "1f1b";
  } else if (keeps_to([&](std::int32_t) { return microbatches; })) {
    out.name = "gpipe";
  } else {
    out.name = "none";
  }
  return out;
}

}  // namespace sluice

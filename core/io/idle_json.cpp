#include "io/idle_json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "io/resource_text.hpp"

namespace sluice {
namespace {

constexpr std::size_t kTopShares = 10;
constexpr std::size_t kTopGaps = 20;
/// The newest steps of a chain, which is all of it in most gaps.
constexpr std::size_t kTopSteps = 8;

// The first of them, where several ranks share a device.
std::uint32_t rank_of(const Program& program, std::uint32_t device) {
  return program.ranks_of_device[program.first_rank[device]];
}

Json causes_json(const IdleCauses& causes, bool all) {
  Json j = Json::object();
  for (std::size_t c = 0; c < kIdleCauses; ++c) {
    if (all || causes.of[c].ps > 0)
      j[std::string(cause_text(static_cast<IdleCause>(c)))] = to_ms(causes.of[c]);
  }
  return j;
}

Json step_json(const Program& program, const Trace& trace, const WaitStep& step) {
  Json row(nullptr);
  Json what(nullptr);
  Json where(nullptr);
  if (step.row != kNoRow) {
    row = step.row;
    what = row_text(trace, step.row);
    where = resource_text(program.machine, trace.devices, trace.resource[step.row]);
  }
  return json_object({{"cause", cause_text(step.cause)},
                      {"start_ms", to_ms(Time{step.from})},
                      {"end_ms", to_ms(Time{step.to})},
                      {"row", row},
                      {"what", what},
                      {"where", where},
                      {"waits", !step.under_way}});
}

}  // namespace

Json idle_ms_json(const IdleReport& report) {
  Json ranks = Json::array();
  for (const std::uint32_t device : report.program.device_of_rank)
    ranks.push_back(causes_json(report.idle.by_device()[device], true));
  return json_object({{"per_rank", ranks}});
}

Json busy_ms_json(const IdleReport& report) {
  const Trace& t = report.trace;
  Json ranks = Json::array();
  for (const std::uint32_t device : report.program.device_of_rank) {
    std::array<Duration, kOpKinds> of{};
    for (const std::uint32_t row : report.idle.plays().lane(device))
      of[t.kind[row]].ps += t.end[row] - t.start[row];
    Json j = Json::object();
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (of[k].ps > 0) j[std::string(kind_text(static_cast<OpKind>(k)))] = to_ms(of[k]);
    }
    ranks.push_back(j);
  }
  return json_object({{"per_rank", ranks}});
}

Json critical_path_json(const IdleReport& report) {
  const Program& p = report.program;
  const Trace& t = report.trace;
  const double whole = to_ms(report.path.compute + report.path.communication + report.path.wait);
  Json top = Json::array();
  for (const PathShare& share : report.path.shares) {
    if (top.size() == kTopShares) break;
    const double ms = to_ms(share.time);
    Json rank(nullptr);
    Json where(nullptr);
    if (share.resource < t.devices) rank = rank_of(p, share.resource);
    if (share.resource != kNoResource) where = resource_text(p.machine, t.devices, share.resource);
    top.push_back(
        json_object({{"kind", share.waits ? cause_text(share.cause) : kind_text(share.kind)},
                     {"rank", rank},
                     {"where", where},
                     {"waits", share.waits},
                     {"ms", ms},
                     {"share", whole > 0 ? ms / whole : 0.0}}));
  }
  Json slack = Json::array();
  if (!report.slack.empty()) {
    for (const std::uint32_t device : p.device_of_rank) {
      std::int64_t least = INT64_MAX;
      for (const std::uint32_t row : report.idle.plays().lane(device))
        least = std::min(least, report.slack[row]);
      slack.push_back(to_ms(Time{least}));
    }
  }
  return json_object({{"compute_ms", to_ms(report.path.compute)},
                      {"communication_ms", to_ms(report.path.communication)},
                      {"wait_ms", to_ms(report.path.wait)},
                      {"top", top},
                      {"least_slack_ms", slack}});
}

Json gap_json(const Program& program, const Trace& trace, const IdleTime& idle, const Gap& gap,
              std::size_t steps) {
  const GapReasons reasons = idle.reasons(gap);
  Json chain = Json::array();
  for (const WaitStep& step : reasons.chain) {
    if (chain.size() == steps) break;
    chain.push_back(step_json(program, trace, step));
  }
  Json ready = Json::array();
  for (std::uint32_t i = gap.first_ready; i < gap.end_ready && ready.size() < steps; ++i)
    ready.push_back(step_json(program, trace, idle.could_run()[i]));
  return json_object(
      {{"rank", rank_of(program, gap.device)},
       {"device", program.machine.devices[gap.device].id},
       {"start_ms", to_ms(Time{gap.from})},
       {"end_ms", to_ms(Time{gap.to})},
       {"idle_ms", to_ms(Time{gap.to - gap.from})},
       {"next", gap.next == kNoRow ? Json(nullptr) : Json(row_text(trace, gap.next))},
       {"causes_ms", causes_json(reasons.causes, false)},
       {"chain", chain},
       {"chain_steps", reasons.chain.size()},
       {"could_run", ready}});
}

Json top_gaps_json(const IdleReport& report) {
  Json j = Json::array();
  for (const std::uint32_t i : report.idle.longest(kTopGaps))
    j.push_back(
        gap_json(report.program, report.trace, report.idle, report.idle.gaps()[i], kTopSteps));
  return j;
}

std::string gaps_json(const Program& program, const Trace& trace, const IdleTime& idle,
                      std::uint32_t device, std::int64_t from, std::int64_t to) {
  constexpr std::size_t kMostGaps = 100;
  constexpr std::size_t kMostSteps = 500;
  Json j = Json::array();
  for (const Gap& gap : idle.gaps()) {
    if (gap.device != device || gap.to <= from || gap.from > to || j.size() == kMostGaps) continue;
    j.push_back(gap_json(program, trace, idle, gap, kMostSteps));
  }
  return json_text(j);
}

}  // namespace sluice

#include "schedule/registry.hpp"

#include <algorithm>
#include <cctype>

namespace sluice {
namespace {

constexpr std::string_view kHopsSource =
    "HOPS, commit b4f8ea97, src/hops/core/{scheduler,hetero_schedulers}.py";
constexpr std::string_view kHopsFamily = "hops policies";

// All policies of HOPS but gpipe begin a stage's backward once it has done enough forwards, and
// never wait while something is ready. Here `forwards`, `backwards` are completed counts.
ScheduleInfo hops_policy(std::string_view name, std::string_view doc, bool split,
                         std::vector<std::string_view> rules) {
  return ScheduleInfo{.name = name,
                      .aliases = {},
                      .family = kHopsFamily,
                      .doc = doc,
                      .constraints = {},
                      .split_backward = split,
                      .source = kHopsSource,
                      .rules = std::move(rules)};
}

std::string_view choose_static(const ScheduleRequest& request) {
  return prefers_fused_backward(request) ? "1f1b" : "zb_h1";
}
std::string_view choose_hops(const ScheduleRequest& request) {
  return prefers_fused_backward(request) ? "hops/1f1b" : "hops/zero_bubble";
}

constexpr std::string_view kGate =
    "forwards >= max(1, round((ranks - rank) * max_forward_ms / forward_ms)): I";

std::vector<ScheduleInfo> hops_policies() {
  std::vector<ScheduleInfo> t;
  t.push_back(hops_policy("hops/gpipe", "Forwards while any stage has one left, then backwards",
                          false, {"forwards_left > 0: F", "forwards_left == 0: B"}));
  t.push_back(hops_policy("hops/1f1b",
                          "Work-conserving 1F1B: another forward whenever no backward is ready",
                          false, {"forwards >= ranks - rank: B", "F", "B"}));
  t.push_back(hops_policy("hops/zero_bubble",
                          "Work-conserving, split backward; weight gradients fill gaps", true,
                          {"forwards >= ranks - rank: I", "F", "W", "I"}));
  t.push_back(hops_policy("hops/hetero_adaptive_warmup",
                          "zero_bubble, warm-up scaled by stage speed", true,
                          {kGate, "F", "W", "I"}));
  t.push_back(hops_policy("hops/hetero_eager_w", "The same rules as zero_bubble", true,
                          {"forwards >= ranks - rank: I", "F", "W", "I"}));
  t.push_back(hops_policy("hops/hetero_bottleneck",
                          "The slowest stage and those behind it put backwards first", true,
                          {"rank >= bottleneck: I", "rank >= bottleneck: F",
                           "rank >= bottleneck: W", "F", "forwards >= ranks - rank: I", "W", "I"}));
  t.push_back(hops_policy(
      "hops/hetero_wavefill", "Never more in flight than the scaled warm-up", true,
      {"forwards - backwards >= max(1, round((ranks - rank) * max_forward_ms / forward_ms)): I",
       "forwards - backwards < max(1, round((ranks - rank) * max_forward_ms / forward_ms)): F", "I",
       "W"}));
  t.push_back(hops_policy("hops/hetero_critical_path", "zero_bubble without a late backward", true,
                          {"forwards >= ranks - rank: I", "F", "W"}));
  t.push_back(hops_policy("hops/hetero_hybrid",
                          "Scaled warm-up; fast stages do weight gradients early", true,
                          {kGate, "F", "forward_ms < 0.85 * max_forward_ms: W", "I", "W"}));
  t.push_back(hops_policy("hops/hetero_fused_bw", "Saturated stages do weight gradients at once",
                          true,
                          {"forward_ms + input_grad_ms >= 0.9 * max_forward_input_ms: W",
                           "forwards >= ranks - rank: I", "F", "W", "I"}));
  t.push_back(hops_policy("hops/hetero_eager_last_w",
                          "The last stage does weight gradients at once", true,
                          {"rank == ranks - 1: W", "forwards >= ranks - rank: I", "F", "W", "I"}));
  t.push_back(hops_policy("hops/hetero_bottleneck_eager_w",
                          "Stages without room for a weight gradient do it at once", true,
                          {"max_total_ms - total_ms < weight_grad_ms: W",
                           "forwards >= ranks - rank: I", "F", "W", "I"}));
  for (const std::string_view name : {"hops/hetero_adaptive_w_split", "hops/hops_hetero"}) {
    t.push_back(ScheduleInfo{
        .name = name,
        .aliases = {},
        .family = kHopsFamily,
        .doc = "hops/1f1b where the last stage is the bottleneck, else hops/zero_bubble",
        .constraints = {},
        .source = kHopsSource,
        .rules = {},
        .choose = choose_hops});
  }
  return t;
}

// Lower case letters and digits only: "ZB-H1", "zb_h1" and "zbh1" are one name.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) out += static_cast<char>(std::tolower(u));
    if (c == '/') out += c;
  }
  return out;
}

}  // namespace

std::vector<ScheduleInfo> all_schedules() {
  std::vector<ScheduleInfo> table;
  table.push_back(
      ScheduleInfo{.name = "gpipe",
                   .aliases = {},
                   .family = "synchronous",
                   .doc = "All forwards, then all backwards; every microbatch is in flight at once",
                   .constraints = {},
                   .source = "Huang et al. 2019, arXiv 1811.06965",
                   .order = gpipe,
                   .rules = {}});
  table.push_back(
      ScheduleInfo{.name = "1f1b",
                   .aliases = {"pipedream_flush", "dapple"},
                   .family = "synchronous",
                   .doc = "One forward, one backward after a warm-up; p - r microbatches in flight",
                   .constraints = {},
                   .source = "Narayanan et al. 2021, arXiv 2006.09503",
                   .order = one_f_one_b,
                   .rules = {}});
  table.push_back(
      ScheduleInfo{.name = "zb_h1",
                   .aliases = {"zero_bubble", "zb1p"},
                   .family = "synchronous",
                   .doc = "1F1B with a split backward: weight gradients fill part of the bubble",
                   .constraints = {},
                   .split_backward = true,
                   .source = "Qi et al. 2024, arXiv 2401.10241",
                   .order = zb_h1,
                   .rules = {}});
  table.push_back(ScheduleInfo{.name = "hops_hetero",
                               .aliases = {"hetero_adaptive_w_split"},
                               .family = "adaptive",
                               .doc = "1f1b where the last stage is the bottleneck, else zb_h1",
                               .constraints = {},
                               .source = kHopsSource,
                               .rules = {},
                               .choose = choose_static});
  for (ScheduleInfo& info : hops_policies()) table.push_back(std::move(info));
  return table;
}

const ScheduleInfo* find_schedule(std::span<const ScheduleInfo> table, std::string_view name) {
  const std::string wanted = plain(name);
  for (const ScheduleInfo& info : table) {
    if (plain(info.name) == wanted) return &info;
    for (const std::string_view alias : info.aliases) {
      if (plain(alias) == wanted) return &info;
    }
  }
  return nullptr;
}

std::string_view hops_meaning(std::string_view name, std::span<const ScheduleInfo> table) {
  const std::string wanted = "hops/" + plain(name);
  for (const ScheduleInfo& info : table) {
    if (plain(info.name) == wanted) return info.name;
  }
  return name;
}

bool prefers_fused_backward(const ScheduleRequest& request) {
  if (request.costs.empty()) return false;
  const auto total = [](const StageMeans& s) {
    return s.forward_ms + s.input_grad_ms + s.weight_grad_ms;
  };
  double largest = 0;
  for (const StageMeans& s : request.costs) largest = std::max(largest, total(s));
  const StageMeans& last = request.costs.back();
  return largest - total(last) < last.weight_grad_ms;
}

}  // namespace sluice

// The policies of HOPS as rules: none of them waits while something is ready.
#include "schedule/registry.hpp"

namespace sluice {
namespace {

constexpr std::string_view kHopsSource =
    "HOPS, commit b4f8ea97, src/hops/core/{scheduler,hetero_schedulers}.py";
constexpr std::string_view kHopsFamily = "hops policies";

// All policies of HOPS but gpipe begin a stage's backward once it has done enough forwards, and
// never wait while something is ready. Here `forwards`, `backwards` are completed counts.
ScheduleInfo hops_policy(std::string_view name, std::string_view doc, bool split,
                         std::vector<std::string_view> rules) {
  ScheduleInfo info;
  info.name = name;
  info.family = kHopsFamily;
  info.doc = doc;
  info.split_backward = split;
  info.source = kHopsSource;
  info.rules = std::move(rules);
  return info;
}

std::string_view choose_hops(const ScheduleRequest& request) {
  return prefers_fused_backward(request) ? "hops/1f1b" : "hops/zero_bubble";
}

constexpr std::string_view kGate =
    "forwards >= max(1, round((ranks - rank) * max_forward_ms / forward_ms)): I";

}  // namespace

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
    ScheduleInfo info = hops_policy(
        name, "hops/1f1b where the last stage is the bottleneck, else hops/zero_bubble", false, {});
    info.choose = choose_hops;
    t.push_back(std::move(info));
  }
  return t;
}

}  // namespace sluice

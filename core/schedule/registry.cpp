#include "schedule/registry.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "schedule/families/families.hpp"

namespace sluice {
namespace {

std::string_view choose_static(const ScheduleRequest& request) {
  return prefers_fused_backward(request) ? "1f1b" : "zb_h1";
}
ScheduleInfo hops_hetero() {
  ScheduleInfo info;
  info.name = "hops_hetero";
  info.aliases = {"hetero_adaptive_w_split"};
  info.family = "adaptive";
  info.doc = "1f1b where the last stage is the bottleneck, else zb_h1";
  info.source = "HOPS, commit b4f8ea97, src/hops/core/hetero_schedulers.py";
  info.choose = choose_static;
  return info;
}

// Resolved by a search before a plan is made, and by nothing else.
ScheduleInfo adaptive() {
  ScheduleInfo info;
  info.name = kAdaptive;
  info.family = "adaptive";
  info.doc = "the fastest that fits, of every known schedule and of orders that a search finds";
  info.source = "this project";
  return info;
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
  std::vector<ScheduleInfo> table{gpipe(),
                                  one_f_one_b(),
                                  eager_1f1b(),
                                  seq_1f1b(),
                                  interleaved_1f1b(),
                                  interleaved_1f1b_flex(),
                                  interleaved_zb1p(),
                                  looped_bfs(),
                                  group_interleaved(),
                                  zb_h1(),
                                  zb_h2(),
                                  zb_auto(),
                                  zb_2p(),
                                  zb_v(),
                                  zb_v_auto(),
                                  v_zb(),
                                  v_half(),
                                  v_min(),
                                  dualpipe_v(),
                                  one_f_one_b_v(),
                                  dualpipe(),
                                  chimera(),
                                  gems(),
                                  bitpipe(),
                                  hanayo(),
                                  pipedream(),
                                  pipedream_2bw(),
                                  paci(),
                                  amdp(),
                                  hops_hetero(),
                                  adaptive()};
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

const ParameterInfo* find_parameter(std::span<const ScheduleInfo> table, std::string_view name) {
  for (const ScheduleInfo& info : table) {
    for (const ParameterInfo& p : info.parameters) {
      if (p.name == name) return &p;
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

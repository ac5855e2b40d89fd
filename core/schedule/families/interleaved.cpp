// Interleaved 1F1B: several chunks a rank, visited in groups of microbatches. Megatron's rule with
// its group size, PyTorch's flexible rounds, PyTorch's zero-bubble form of it, and breadth-first.
#include <algorithm>

#include "schedule/families/families.hpp"

namespace sluice {
namespace {

constexpr std::string_view kFamily = "interleaved";

int chunks_of(const ScheduleRequest& request) {
  return request.chunks > 0 ? request.chunks : 2;
}

Placement loop(const ScheduleRequest& request) {
  return loop_placement(request.ranks, chunks_of(request));
}

struct Cell {
  int chunk;
  int microbatch;
};

// The order in which a rank meets (chunk, microbatch): group by group, chunk by chunk.
std::vector<Cell> forward_table(int microbatches, int chunks, int group) {
  std::vector<Cell> table;
  for (int first = 0; first < microbatches; first += group) {
    const int end = std::min(first + group, microbatches);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      for (int j = first; j < end; ++j) table.push_back({chunk, j});
    }
  }
  return table;
}

Order fused(const ScheduleRequest& request, const Placement& placement, int group, int factor,
            int extra) {
  const int p = request.ranks;
  const int v = chunks_of(request);
  const std::vector<Cell> table = forward_table(request.microbatches, v, group);
  const int all = static_cast<int>(table.size());
  OrderBuilder order(placement, request.microbatches, 2 * table.size());
  for (int r = 0; r < p; ++r) {
    const auto forward = [&](int i) {
      const Cell& c = table[static_cast<std::size_t>(i)];
      order.add(OpKind::Forward, c.chunk * p + r, c.microbatch);
    };
    const auto backward = [&](int i) {
      const Cell& c = table[static_cast<std::size_t>(i)];
      order.add(OpKind::Backward, (v - 1 - c.chunk) * p + r, c.microbatch);
    };
    const int warm_up = std::min(factor * (p - 1 - r) + (v - 1) * group + extra, all);
    for (int i = 0; i < warm_up; ++i) forward(i);
    for (int i = warm_up; i < all; ++i) {
      forward(i);
      backward(i - warm_up);
    }
    for (int i = all - warm_up; i < all; ++i) backward(i);
    order.end_rank();
  }
  return order.take();
}

Result<Order> megatron_order(const ScheduleRequest& request, const Placement& placement) {
  const int group = request.number("group", request.ranks);
  return fused(request, placement, group, request.number("warm_up", 2),
               request.number("overlap_moe", 0));
}

int group_of_rounds(const ScheduleRequest& request) {
  const int rounds = std::max(1, request.microbatches / request.ranks);
  return request.microbatches / rounds;
}

Result<Order> flex_order(const ScheduleRequest& request, const Placement& placement) {
  return fused(request, placement, group_of_rounds(request), 2, 0);
}

Result<Order> zb1p_order(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int v = chunks_of(request);
  const int group = group_of_rounds(request);
  const std::vector<Cell> table = forward_table(request.microbatches, v, group);
  const int all = static_cast<int>(table.size());
  OrderBuilder order(placement, request.microbatches, 3 * table.size());
  for (int r = 0; r < p; ++r) {
    const auto backward = [&](OpKind kind, int i) {
      const Cell& c = table[static_cast<std::size_t>(i)];
      order.add(kind, (v - 1 - c.chunk) * p + r, c.microbatch);
    };
    int forwards = 0;
    int weights = 0;
    const auto forward = [&] {
      const Cell& c = table[static_cast<std::size_t>(forwards++)];
      order.add(OpKind::Forward, c.chunk * p + r, c.microbatch);
    };
    const int warm_up = std::min(p - 1 - r + (v - 1) * group, all);
    while (forwards < warm_up) forward();
    for (int b = 0; b < all; ++b) {
      if (forwards < all) forward();
      backward(OpKind::InputGrad, b);
      if (b >= r) backward(OpKind::WeightGrad, weights++);
    }
    while (weights < all) backward(OpKind::WeightGrad, weights++);
    order.end_rank();
  }
  return order.take();
}

Result<Order> breadth_first_order(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int v = chunks_of(request);
  const int m = request.microbatches;
  OrderBuilder order(placement, m, 2 * static_cast<std::size_t>(m) * static_cast<std::size_t>(v));
  for (int r = 0; r < p; ++r) {
    for (int chunk = 0; chunk < v; ++chunk) {
      for (int j = 0; j < m; ++j) order.add(OpKind::Forward, chunk * p + r, j);
    }
    for (int chunk = v - 1; chunk >= 0; --chunk) {
      for (int j = m - 1; j >= 0; --j) order.add(OpKind::Backward, chunk * p + r, j);
    }
    order.end_rank();
  }
  return order.take();
}

bool group_in_range(const ScheduleRequest& request) {
  const int group = request.number("group", request.ranks);
  return request.number("strict", 1) == 0 ||
         (group >= request.ranks && group <= std::max(request.microbatches, request.ranks));
}

bool no_short_last_group(const ScheduleRequest& request) {
  const int left = request.microbatches % request.number("group", request.ranks);
  return request.number("strict", 1) == 0 || left == 0 || left >= request.ranks ||
         request.microbatches < request.ranks;
}

bool rounds_divide(const ScheduleRequest& request) {
  return request.microbatches % std::max(1, request.microbatches / request.ranks) == 0;
}

constexpr ParameterInfo kChunks{
    .name = "chunks", .otherwise = "2", .most = kMaxStages, .doc = "Stages that a rank holds"};
constexpr Constraint kRounds{
    "rounds", "microbatches must be a multiple of the rounds, max(1, microbatches div ranks)",
    rounds_divide};

}  // namespace

ScheduleInfo interleaved_1f1b() {
  ScheduleInfo info;
  info.name = "interleaved_1f1b";
  info.aliases = {"interleaved"};
  info.family = kFamily;
  info.doc = "1F1B over several chunks a rank: a v-th of the bubble for v times the traffic";
  info.parameters = {
      kChunks,
      {.name = "group", .otherwise = "ranks", .doc = "Microbatches that go to a chunk in a row"},
      {.name = "warm_up",
       .otherwise = "2",
       .most = 2,
       .doc = "Forwards of warm-up for each rank behind: 2 hides transfers, 1 saves memory"},
      {.name = "overlap_moe",
       .type = ParameterType::Boolean,
       .otherwise = "false",
       .least = 0,
       .most = 1,
       .doc = "One more warm-up forward, so that all-to-all overlaps compute"},
      {.name = "strict",
       .type = ParameterType::Boolean,
       .otherwise = "true",
       .least = 0,
       .most = 1,
       .doc = "Refuse, as Megatron does, groups that wait for each other"}};
  info.constraints = {
      {"group", "group must be from ranks to microbatches (strict: false tries it)",
       group_in_range},
      {"last_group",
       "the last group, microbatches mod group, must be empty or at least ranks long (strict: "
       "false runs it)",
       no_short_last_group}};
  info.source = "Narayanan et al. 2021, arXiv 2104.04473; Megatron-LM";
  info.placement = loop;
  info.order = megatron_order;
  return info;
}

ScheduleInfo interleaved_1f1b_flex() {
  ScheduleInfo info;
  info.name = "interleaved_1f1b_flex";
  info.family = kFamily;
  info.doc = "Interleaved 1F1B for microbatches that ranks do not divide: longer rounds";
  info.parameters = {kChunks};
  info.constraints = {kRounds};
  info.source = "PyTorch, torch.distributed.pipelining, ScheduleInterleaved1F1B";
  info.placement = loop;
  info.order = flex_order;
  return info;
}

ScheduleInfo interleaved_zb1p() {
  ScheduleInfo info;
  info.name = "interleaved_zb1p";
  info.family = kFamily;
  info.doc = "Interleaved 1F1B with a split backward: ZB-H1 over several chunks";
  info.parameters = {kChunks};
  info.constraints = {kRounds};
  info.split_backward = true;
  info.source = "PyTorch, torch.distributed.pipelining, ScheduleInterleavedZeroBubble";
  info.placement = loop;
  info.order = zb1p_order;
  return info;
}

ScheduleInfo looped_bfs() {
  ScheduleInfo info;
  info.name = "looped_bfs";
  info.family = kFamily;
  info.doc =
      "All microbatches through one chunk, then the next: each sharded weight is gathered once";
  info.parameters = {kChunks};
  info.source = "Lamy-Poirier 2023, arXiv 2211.05953";
  info.placement = loop;
  info.order = breadth_first_order;
  return info;
}

}  // namespace sluice

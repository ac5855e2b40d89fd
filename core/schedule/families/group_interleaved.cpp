// Group-interleaved 1F1B: several chunks a rank on a loop, the backward split, microbatches in
// groups. A building block with three slots for each microbatch and chunk (forward, input gradient,
// weight gradient) repeats without gaps; small groups need less memory, large ones less waiting.
#include <algorithm>
#include <numeric>
#include <vector>

#include "schedule/families/families.hpp"

namespace sluice {
namespace {

/// Slots of one microbatch on one chunk: F, I and W.
constexpr int kSlots = 3;

int chunks_of(const ScheduleRequest& request) {
  return request.chunks > 0 ? request.chunks : 2;
}

int group_of(const ScheduleRequest& request) {
  return request.number("group", request.ranks);
}

Placement loop(const ScheduleRequest& request) {
  return loop_placement(request.ranks, chunks_of(request));
}

/// Fewest microbatches that keep a rank busy while one of them passes all ranks: half the ranks,
/// more where the slowest rank is not slow enough to hide all forwards or all input gradients.
int least_in_turn(const ScheduleRequest& request) {
  double forwards = 0;
  double inputs = 0;
  double slowest = 0;
  for (int r = 0; r < request.ranks; ++r) {
    double forward = 0;
    double input = 0;
    double weight = 0;
    for (int chunk = 0; chunk < chunks_of(request); ++chunk) {
      const StageMeans cost = request.cost_of(chunk * request.ranks + r);
      forward += cost.forward_ms;
      input += cost.input_grad_ms;
      weight += cost.weight_grad_ms;
    }
    forwards += forward;
    inputs += input;
    slowest = std::max(slowest, forward + input + weight);
  }
  int least = (request.ranks + 1) / 2;
  while (least < request.ranks && slowest * least < std::max(forwards, inputs)) ++least;
  return least;
}

/// The building block: when a group starts on a chunk, in slots.
struct Block {
  int ranks;
  int chunks;
  int group;
  /// Groups between the starts of two chunks.
  int stride;

  [[nodiscard]] int length() const { return kSlots * group * chunks; }

  /// Start of the k-th chunk that a group meets, forward or backward. A stride with a common
  /// divisor with the chunks would come back to a slot too early: then it moves on by a group.
  [[nodiscard]] int start(int k) const {
    const int round = chunks / std::gcd(chunks, stride);
    return kSlots * group * (stride * k + k / round);
  }
  /// A forward moves one rank in one slot; a gradient takes two, since W follows each I.
  [[nodiscard]] int forward(int rank, int k) const { return start(k) + rank; }
  [[nodiscard]] int input(int rank, int k) const {
    return forward(rank, chunks - 1) + 1 + kSlots * (ranks - 1 - rank) + start(k);
  }
};

struct Cell {
  OpKind kind = OpKind::Forward;
  int stage = 0;
  int microbatch = -1;
};

/// What rank r does in each slot; the slots themselves only give the order.
std::vector<Cell> slots_of(const Block& block, int rank, int microbatches) {
  const int groups = (microbatches + block.group - 1) / block.group;
  const int last =
      block.input(rank, block.chunks - 1) + kSlots * block.group + block.length() * (groups - 1);
  std::vector<Cell> slots(static_cast<std::size_t>(last));
  const auto at = [&](int i) -> Cell& { return slots[static_cast<std::size_t>(i)]; };
  for (int j = 0; j < microbatches; ++j) {
    const int shift = block.length() * (j / block.group) + kSlots * (j % block.group);
    for (int k = 0; k < block.chunks; ++k) {
      const int forward = shift + block.forward(rank, k);
      const int input = shift + block.input(rank, k);
      const int up = k * block.ranks + rank;
      const int down = (block.chunks - 1 - k) * block.ranks + rank;
      at(forward) = {OpKind::Forward, up, j};
      at(input) = {OpKind::InputGrad, down, j};
      at(input + 1) = {OpKind::WeightGrad, down, j};
    }
  }
  return slots;
}

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const int group = group_of(request);
  const Block block{.ranks = request.ranks,
                    .chunks = chunks_of(request),
                    .group = group,
                    .stride = (least_in_turn(request) + group - 1) / group};
  OrderBuilder order(placement, request.microbatches,
                     static_cast<std::size_t>(kSlots) *
                         static_cast<std::size_t>(request.microbatches) *
                         static_cast<std::size_t>(block.chunks));
  for (int r = 0; r < request.ranks; ++r) {
    for (const Cell& cell : slots_of(block, r, request.microbatches)) {
      if (cell.microbatch >= 0) order.add(cell.kind, cell.stage, cell.microbatch);
    }
    order.end_rank();
  }
  return order.take();
}

bool group_in_range(const ScheduleRequest& request) {
  return group_of(request) >= 1 && group_of(request) <= request.ranks;
}

}  // namespace

ScheduleInfo group_interleaved() {
  ScheduleInfo info;
  info.name = "group_interleaved_1f1b";
  info.aliases = {"group_interleaved"};
  info.family = "interleaved";
  info.doc =
      "Interleaved with a split backward, in groups of any size up to ranks: small ones save "
      "memory";
  info.parameters = {
      {.name = "chunks", .otherwise = "2", .most = kMaxStages, .doc = "Stages that a rank holds"},
      {.name = "group", .otherwise = "ranks", .doc = "Microbatches that go to a chunk in a row"}};
  info.constraints = {{"group", "group must be from 1 to ranks", group_in_range}};
  info.split_backward = true;
  info.source = "sail-sg/zero-bubble-pipeline-parallelism, group_interleaved_1f1b.py (rule)";
  info.placement = loop;
  info.order = order_of;
  return info;
}

}  // namespace sluice

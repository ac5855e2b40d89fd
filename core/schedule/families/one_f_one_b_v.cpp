// 1F1B-V: two chunks a rank on a V with the backward in one piece. A building block of six slots
// (a forward is one, a backward two) repeats for each microbatch; then everything moves to earlier
// free slots as far as its inputs and the steady memory allow.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

/// Passes of a microbatch over a rank, in order: forward on the first leg and on the second,
/// backward on the second and on the first; then the second slot of each backward.
enum Pass : int { kForward0, kForward1, kBackward1, kBackward0, kTail1, kTail0 };
constexpr int kPasses = 6;
constexpr int kPeriod = 6;

bool is_forward(int pass) {
  return pass <= kForward1;
}
bool is_tail(int pass) {
  return pass >= kTail1;
}
/// Whether the pass comes from the rank above (and turns round at the last rank or at rank 0).
bool downwards(int pass) {
  return pass == kForward0 || pass == kBackward1;
}

using Starts = std::vector<std::array<int, kPasses>>;

/// First slot of each pass on each rank. Backwards pause for three slots after every three ranks,
/// so that they never meet the forwards of the other microbatches.
Starts building_block(int ranks) {
  // One period in front, into which warm-up forwards can move.
  int slot = kPeriod;
  Starts starts(static_cast<std::size_t>(ranks));
  for (auto& rank : starts) rank[kForward0] = ++slot;
  for (auto rank = starts.rbegin(); rank != starts.rend(); ++rank) (*rank)[kForward1] = ++slot;
  ++slot;
  if (ranks % 3 == 0) slot += 3;
  int since_pause = (3 - (ranks + 2) % 3) % 3;
  const auto backward = [&](std::array<int, kPasses>& rank, Pass head, Pass tail) {
    rank[static_cast<std::size_t>(head)] = slot;
    rank[static_cast<std::size_t>(tail)] = slot + 1;
    slot += 2;
    if (++since_pause < 3) return;
    since_pause = 0;
    slot += 3;
  };
  for (auto& rank : starts) backward(rank, kBackward1, kTail1);
  for (auto rank = starts.rbegin(); rank != starts.rend(); ++rank) {
    backward(*rank, kBackward0, kTail0);
  }
  return starts;
}

struct Cell {
  std::int8_t pass = -1;
  int microbatch = 0;

  [[nodiscard]] bool free() const { return pass < 0; }
};

/// What a rank does in each slot, and how many forwards it holds after it.
struct Row {
  std::vector<Cell> cells;
  std::vector<int> held;
  /// Slot of each operation that has its final place.
  std::array<std::vector<int>, kPasses> slot;
};

class Squeeze {
 public:
  Squeeze(int ranks, int microbatches) : p_(ranks), m_(microbatches) {
    const Starts starts = building_block(ranks);
    int last = 0;
    for (const auto& rank : starts) last = std::max(last, rank[kTail0]);
    // One more, since a backward looks at two slots.
    length_ = last + kPeriod * (m_ - 1) + 2;
    for (const auto& rank : starts) rows_.push_back(repeated(rank));
  }

  void run() {
    for (int i = 0; i < length_; ++i) {
      for (int r = 0; r < p_; ++r) {
        if (!row(r).cells[index(i)].free()) settle(r, i);
      }
    }
  }

  [[nodiscard]] Order order(const Placement& placement) const {
    OrderBuilder out(placement, m_, 4 * static_cast<std::size_t>(m_));
    for (int r = 0; r < p_; ++r) {
      for (const Cell& cell : rows_[index(r)].cells) {
        if (cell.free() || is_tail(cell.pass)) continue;
        const bool first_leg = cell.pass == kForward0 || cell.pass == kBackward0;
        out.add(is_forward(cell.pass) ? OpKind::Forward : OpKind::Backward,
                first_leg ? r : 2 * p_ - 1 - r, cell.microbatch);
      }
      out.end_rank();
    }
    return out.take();
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  Row& row(int r) { return rows_[index(r)]; }

  Row repeated(const std::array<int, kPasses>& start) {
    Row out;
    out.cells.resize(index(length_));
    out.held.resize(index(length_));
    for (int pass = 0; pass < kPasses; ++pass) {
      out.slot[index(pass)].reserve(index(m_));
      for (int j = 0; j < m_; ++j) {
        out.cells[index(start[index(pass)] + kPeriod * j)] = {static_cast<std::int8_t>(pass), j};
      }
    }
    int held = 0;
    for (int i = 0; i < length_; ++i) {
      const Cell& cell = out.cells[index(i)];
      if (!cell.free() && is_forward(cell.pass)) ++held;
      if (!cell.free() && is_tail(cell.pass)) --held;
      out.held[index(i)] = held;
      peak_ = std::max(peak_, held);
    }
    return out;
  }

  /// Slot behind everything that the operation waits for.
  int earliest(int r, const Cell& cell) {
    const auto settled = [&](int rank, int pass, int microbatch) {
      return row(rank).slot[index(pass)][index(microbatch)];
    };
    const int j = cell.microbatch;
    int after = j > 0 ? settled(r, cell.pass, j - 1) : -1;
    if (is_tail(cell.pass)) return std::max(after, settled(r, cell.pass - 2, j)) + 1;
    // Where a pass ends: a backward's result comes out of its second slot.
    const auto end = [](int pass) { return is_forward(pass) ? pass : pass + 2; };
    const int from = downwards(cell.pass) ? r - 1 : r + 1;
    if (from >= 0 && from < p_) {
      after = std::max(after, settled(from, end(cell.pass), j));
    } else if (cell.pass > 0) {
      after = std::max(after, settled(r, end(cell.pass - 1), j));
    }
    return after + 1;
  }

  void settle(int r, int i) {
    Row& here = row(r);
    const Cell cell = here.cells[index(i)];
    const int to = is_forward(cell.pass) ? forward_slot(here, i, earliest(r, cell))
                                         : backward_slot(here, i, earliest(r, cell), cell.pass);
    here.slot[index(cell.pass)].push_back(to);
    if (to == i) return;
    here.cells[index(i)] = {};
    here.cells[index(to)] = cell;
    const int change = is_forward(cell.pass) ? 1 : is_tail(cell.pass) ? -1 : 0;
    for (int x = to; x < i; ++x) here.held[index(x)] += change;
  }

  static int backward_slot(const Row& here, int i, int slot, int pass) {
    const auto taken = [&](int x) {
      return !here.cells[index(x)].free() || (!is_tail(pass) && !here.cells[index(x + 1)].free());
    };
    while (slot < i && taken(slot)) ++slot;
    return slot;
  }

  /// Also not so early that a rank would hold more than the repeated block does.
  [[nodiscard]] int forward_slot(const Row& here, int i, int least) const {
    while (least < i && !here.cells[index(least)].free()) ++least;
    int slot = i;
    while (slot > least && here.held[index(slot) - 1] < peak_) --slot;
    while (slot < i && !here.cells[index(slot)].free()) ++slot;
    return slot;
  }

  int p_;
  int m_;
  int length_ = 0;
  /// Most forwards in flight on any rank before anything moved.
  int peak_ = 0;
  std::vector<Row> rows_;
};

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  Squeeze squeeze(request.ranks, request.microbatches);
  squeeze.run();
  return squeeze.order(placement);
}

}  // namespace

ScheduleInfo one_f_one_b_v() {
  ScheduleInfo info;
  info.name = "1f1b_v";
  info.aliases = {"v_1f1b", "one_f_one_b_v"};
  info.family = "V";
  info.doc =
      "1F1B on a V with the backward in one piece: two thirds of 1F1B's memory for many ranks";
  info.constraints = {kTwoChunks};
  info.source =
      "Qi et al. 2024, arXiv 2405.15362; sail-sg/zero-bubble-pipeline-parallelism, v1f1b.py (rule)";
  info.placement = v_shape;
  info.order = order_of;
  return info;
}

}  // namespace sluice

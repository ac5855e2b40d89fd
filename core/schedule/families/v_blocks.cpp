// V-Min, V-Half and V-ZB: two chunks a rank on a V, the backward split, memory of about a third, a
// half and all of 1F1B. One microbatch is a building block whose tightness sets the memory; it
// repeats every six slots, and warm-up and cool-down are then pulled together within that memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

/// Passes of a microbatch over a rank, in order: forward on the first leg and on the second, input
/// gradient on the second and on the first. Weight gradients follow whenever a slot is free.
enum Pass : int { kForward0, kForward1, kInput1, kInput0, kWeight };
constexpr int kPasses = 4;
/// Slots of a microbatch on a rank: two chunks with F, I and W.
constexpr int kPeriod = 6;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

using Starts = std::array<int, kPasses>;
/// First slot of each pass on a rank. No two are equal modulo the period.
using Block = Starts (*)(int ranks, int rank);

Starts v_min_block(int p, int r) {
  const int apart = p % 3 == 0 ? 2 : 0;
  return {r, 2 * p - 1 - r, 2 * p + apart + r, 4 * p + apart - 1 - r};
}
Starts v_half_block(int p, int r) {
  const int apart = p % 2 == 0 ? 3 : 0;
  return {2 * r, 3 * p - 2 - r, 3 * p + apart - 1 + 2 * r, 6 * p + apart - 2 - r};
}
/// First-leg passes take four slots from rank to rank, second-leg ones two: a microbatch lives
/// 12p slots on the two chunks together, hence 2p chunks in flight.
Starts v_zb_block(int p, int r) {
  return {4 * r, 6 * p - 5 - 2 * r, 6 * p - 4 + 4 * r, 12 * p - 9 - 2 * r};
}

struct Cell {
  std::int8_t pass = -1;
  /// Microbatch; for a weight gradient, how many came before it on its rank.
  int number = 0;

  [[nodiscard]] bool free() const { return pass < 0; }
  [[nodiscard]] bool is_input() const { return pass == kInput1 || pass == kInput0; }
};

/// Forwards that a rank holds after a slot, and input gradients whose weight gradient has no slot
/// of its own: it takes the next free one.
struct Load {
  int held = 0;
  int waiting = 0;

  bool operator==(const Load&) const = default;
};

struct Row {
  std::vector<Cell> cells;
  /// Slot of each operation by pass and number.
  std::array<std::vector<int>, kPasses + 1> slot;

  void put(int at, Cell cell) {
    if (index(at) >= cells.size()) cells.resize(index(at) + 1);
    cells[index(at)] = cell;
    std::vector<int>& slots = slot[index(cell.pass)];
    if (index(cell.number) >= slots.size()) slots.resize(index(cell.number) + 1);
    slots[index(cell.number)] = at;
  }
};

using Rows = std::vector<Row>;

Rows repeated(Block block, int ranks, int microbatches) {
  Rows rows(index(ranks));
  for (int r = 0; r < ranks; ++r) {
    const Starts starts = block(ranks, r);
    for (int pass = 0; pass < kPasses; ++pass) {
      for (int j = 0; j < microbatches; ++j) {
        rows[index(r)].put(starts[index(pass)] + kPeriod * j, {static_cast<std::int8_t>(pass), j});
      }
    }
  }
  return rows;
}

/// Each weight gradient into the first slot that is free after its input gradient.
void add_weights(Row& row) {
  int waiting = 0;
  int number = 0;
  const std::size_t length = row.cells.size();
  for (std::size_t i = 0; i < length || waiting > 0; ++i) {
    const bool free = i >= length || row.cells[i].free();
    if (!free && row.cells[i].is_input()) ++waiting;
    if (!free || waiting == 0) continue;
    row.put(static_cast<int>(i), {kWeight, number++});
    --waiting;
  }
}

void drop_weights(Row& row) {
  for (const int i : row.slot[kWeight]) row.cells[index(i)] = {};
  row.slot[kWeight].clear();
  while (!row.cells.empty() && row.cells.back().free()) row.cells.pop_back();
}

/// Latest slot of what the operation waits for, or -1. Which input gradient a weight gradient
/// belongs to is not said here.
int latest_source(const Rows& rows, int r, const Cell& cell) {
  const auto slot = [&](int rank, int pass, int number) {
    return rows[index(rank)].slot[index(pass)][index(number)];
  };
  int latest = cell.number > 0 ? slot(r, cell.pass, cell.number - 1) : -1;
  if (cell.pass == kWeight) return latest;
  const int from = cell.pass == kForward0 || cell.pass == kInput1 ? r - 1 : r + 1;
  if (from >= 0 && from < static_cast<int>(rows.size())) {
    latest = std::max(latest, slot(from, cell.pass, cell.number));
  }
  return cell.pass > 0 ? std::max(latest, slot(r, cell.pass - 1, cell.number)) : latest;
}

std::size_t length_of(const Rows& rows) {
  std::size_t length = 0;
  for (const Row& row : rows) length = std::max(length, row.cells.size());
  return length;
}

/// The same order on each rank without needless gaps.
Rows eager(const Rows& rows) {
  Rows out(rows.size());
  const std::size_t length = length_of(rows);
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (i >= rows[r].cells.size() || rows[r].cells[i].free()) continue;
      const Cell cell = rows[r].cells[i];
      const int source = latest_source(out, static_cast<int>(r), cell);
      out[r].put(std::max(static_cast<int>(out[r].cells.size()), source + 1), cell);
    }
  }
  return out;
}

/// Moves the operations of warm-up and cool-down to earlier free slots, where their inputs and the
/// memory of the steady phase allow. Without weight gradients in the rows, the warm-up stays.
class Reorder {
 public:
  Reorder(Rows& rows, int microbatches, bool with_weights)
      : rows_(rows), last_(microbatches - 1), with_weights_(with_weights) {
    for (const Row& row : rows_) {
      std::vector<Load> loads;
      for (const Cell& cell : row.cells) {
        loads.push_back(after(loads.empty() ? Load{} : loads.back(), cell));
        peak_ = std::max(peak_, loads.back().held);
      }
      loads_.push_back(std::move(loads));
      std::vector<int> inputs(row.slot[kInput1].size() + row.slot[kInput0].size());
      std::merge(row.slot[kInput1].begin(), row.slot[kInput1].end(), row.slot[kInput0].begin(),
                 row.slot[kInput0].end(), inputs.begin());
      inputs_.push_back(std::move(inputs));
    }
  }

  void run() {
    enum class Phase { WarmUp, Steady, CoolDown };
    Phase phase = Phase::WarmUp;
    const std::size_t length = length_of(rows_);
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (i >= rows_[r].cells.size() || rows_[r].cells[i].free()) continue;
        const Cell& cell = rows_[r].cells[i];
        // The first microbatch that is through ends the warm-up, the last that comes in begins the
        // cool-down.
        if (phase == Phase::WarmUp && r == 0 && cell.pass == kInput0) phase = Phase::Steady;
        if (phase == Phase::CoolDown || (phase == Phase::WarmUp && with_weights_)) pull(r, i);
        if (phase == Phase::Steady && cell.pass == kForward0 && cell.number == last_) {
          phase = Phase::CoolDown;
        }
      }
    }
  }

 private:
  [[nodiscard]] Load after(Load load, const Cell& cell) const {
    if (cell.pass == kForward0 || cell.pass == kForward1) ++load.held;
    if (cell.pass == kWeight) --load.held;
    if (cell.is_input() && !with_weights_) ++load.waiting;
    if (cell.free() && load.waiting > 0) {
      --load.waiting;
      --load.held;
    }
    return load;
  }

  void pull(std::size_t r, std::size_t from) {
    const Cell cell = rows_[r].cells[from];
    int source = latest_source(rows_, static_cast<int>(r), cell);
    // The n-th weight gradient of a rank needs n input gradients to be done, whichever they are.
    if (cell.pass == kWeight) source = std::max(source, inputs_[r][index(cell.number)]);
    for (std::size_t to = index(source + 1); to < from; ++to) {
      if (rows_[r].cells[to].free() && move(r, from, to)) return;
    }
  }

  /// False, and nothing done, if the rank would hold too much.
  bool move(std::size_t r, std::size_t from, std::size_t to) {
    Row& row = rows_[r];
    std::vector<Load>& loads = loads_[r];
    const Cell cell = row.cells[from];
    changed_.clear();
    Load load = to > 0 ? loads[to - 1] : Load{};
    for (std::size_t i = to; i < row.cells.size(); ++i) {
      load = after(load, i == to ? cell : i == from ? Cell{} : row.cells[i]);
      if (load.held > peak_) return false;
      if (i >= from && load == loads[i]) break;
      changed_.push_back(load);
    }
    std::copy(changed_.begin(), changed_.end(), loads.begin() + static_cast<std::ptrdiff_t>(to));
    row.cells[from] = {};
    row.put(static_cast<int>(to), cell);
    if (cell.is_input()) {
      std::vector<int>& inputs = inputs_[r];
      const auto old = std::lower_bound(inputs.begin(), inputs.end(), static_cast<int>(from));
      const auto place = std::lower_bound(inputs.begin(), inputs.end(), static_cast<int>(to));
      std::rotate(place, old, old + 1);
      *place = static_cast<int>(to);
    }
    return true;
  }

  Rows& rows_;
  int last_;
  bool with_weights_;
  /// Most that any rank holds before anything moves.
  int peak_ = 0;
  std::vector<std::vector<Load>> loads_;
  /// Slots of the input gradients of a rank, ascending.
  std::vector<std::vector<int>> inputs_;
  std::vector<Load> changed_;
};

/// Two rounds: with weight gradients in place, then once more for the cool-down without them.
Rows pulled_together(Rows rows, int microbatches) {
  for (const bool with_weights : {true, false}) {
    for (Row& row : rows) {
      if (with_weights) add_weights(row);
    }
    Reorder(rows, microbatches, with_weights).run();
    for (Row& row : rows) {
      if (!with_weights) add_weights(row);
    }
    rows = eager(rows);
    for (Row& row : rows) drop_weights(row);
  }
  return rows;
}

/// The row as it stands, with weight gradients in free slots and at the end: those of the second
/// leg first, each leg's in order.
void write(OrderBuilder& order, const Row& row, int first_stage, int second_stage) {
  std::array<int, 2> done = {0, 0};
  std::array<int, 2> ready = {0, 0};
  const std::array<int, 2> stage = {first_stage, second_stage};
  const auto weight = [&] {
    const std::size_t leg = done[1] < ready[1] ? 1 : 0;
    if (done[leg] == ready[leg]) return false;
    order.add(OpKind::WeightGrad, stage[leg], done[leg]++);
    return true;
  };
  for (const Cell& cell : row.cells) {
    if (cell.free()) {
      weight();
      continue;
    }
    const std::size_t leg = cell.pass == kForward1 || cell.pass == kInput1 ? 1 : 0;
    order.add(cell.is_input() ? OpKind::InputGrad : OpKind::Forward, stage[leg], cell.number);
    if (cell.is_input()) ++ready[leg];
  }
  while (weight()) {
  }
}

Order order_of(Block block, const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int m = request.microbatches;
  const Rows rows = pulled_together(repeated(block, p, m), m);
  OrderBuilder order(placement, m, kPeriod * index(m));
  for (int r = 0; r < p; ++r) {
    write(order, rows[index(r)], r, 2 * p - 1 - r);
    order.end_rank();
  }
  return order.take();
}

Result<Order> v_min_order(const ScheduleRequest& request, const Placement& placement) {
  return order_of(v_min_block, request, placement);
}
Result<Order> v_half_order(const ScheduleRequest& request, const Placement& placement) {
  return order_of(v_half_block, request, placement);
}
Result<Order> v_zb_order(const ScheduleRequest& request, const Placement& placement) {
  return order_of(v_zb_block, request, placement);
}

ScheduleInfo on_a_v(std::string_view name, std::string_view doc) {
  ScheduleInfo info;
  info.name = name;
  info.family = "zero bubble, V";
  info.doc = doc;
  info.constraints = {kTwoChunks};
  info.split_backward = true;
  info.source =
      "Qi et al. 2024, arXiv 2405.15362; sail-sg/zero-bubble-pipeline-parallelism, "
      "zbv_greedy.py (rule)";
  info.placement = v_shape;
  return info;
}

}  // namespace

ScheduleInfo v_min() {
  ScheduleInfo info = on_a_v("v_min", "A third of 1F1B's memory, two thirds of its bubble");
  info.order = v_min_order;
  return info;
}

ScheduleInfo v_half() {
  ScheduleInfo info = on_a_v("v_half", "Half of 1F1B's memory, half of its bubble");
  info.order = v_half_order;
  return info;
}

ScheduleInfo v_zb() {
  ScheduleInfo info = on_a_v(
      "v_zb", "1F1B's memory; no bubble in a rank's span for equal F, I, W and m >= 2 x ranks");
  info.source =
      "Qi et al. 2024, arXiv 2405.15362 (building block as remembered, checked by its "
      "memory and span)";
  info.order = v_zb_order;
  return info;
}

}  // namespace sluice

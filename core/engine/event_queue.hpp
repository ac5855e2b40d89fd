// The event queue: events leave by time, and at one time in the order they were pushed, so that
// every platform pops the same sequence. Equal stages end at equal times, so what is pushed for a
// time that was just pushed for joins its list; a 4-ary heap orders the lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice {

enum class EventKind : std::uint8_t {
  ComputeEnd,     // index: rank, row: its segment
  Wake,           // index: device whose next input arrives now
  LinkHead,       // index: link, extra: generation
  StreamHead,     // index: rank whose communication stream may go on
  Nudge,          // nothing happens; the instant gets its second phase
  CollectiveEnd,  // row: the transfer
  UpdateEnd,      // index: device, row: its segment
  BatchStart,
  FailureCheck,
  DeviceRecovery,  // index: device
  LinkRecovery,    // index: link
  Outage,          // index: component, extra: which of its failures
  SpareReady,      // a device that a spare stands in for is repaired
  CheckpointEnd,
  Resume,  // extra: generation
};

struct Event {
  /// Kind in the low 4 bits, index above.
  std::uint32_t what = 0;
  std::uint32_t row = 0;
  std::uint32_t extra = 0;

  [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(what & 15U); }
  [[nodiscard]] std::uint32_t index() const { return what >> 4; }
};

class EventQueue {
 public:
  EventQueue() : heap_(kArity, kNever) {}

  [[nodiscard]] bool empty() const { return lists_ == 0; }
  /// Time of the next event; INT64_MAX when there is none.
  [[nodiscard]] std::int64_t next_time() const { return heap_.front().time; }
  void reserve(std::size_t events) {
    heap_.reserve(events + kArity);
    items_.reserve(events);
  }

  void push(std::int64_t time, EventKind kind, std::uint32_t index, std::uint32_t row,
            std::uint32_t extra) {
    const std::uint32_t item = take_item();
    items_[item] = {{(index << 4) | static_cast<std::uint32_t>(kind), row, extra}, kNone};
    Recent& recent = recent_[slot_of(time)];
    if (recent.time == time) {
      items_[recent.tail].next = item;
      recent.tail = item;
      return;
    }
    // Another list of this time, if there is one, has only earlier events and takes no more.
    recent = {time, item};
    heap_.push_back(kNever);
    rise({time, sequence_++, item}, lists_++);
  }

  /// Drops all but those that `keep` says yes to. Cost: O(events log events).
  template <class Keep>
  void filter(const Keep& keep) {
    std::vector<std::pair<std::int64_t, Event>> kept;
    while (!empty()) {
      const std::int64_t time = next_time();
      const Event e = pop();
      if (keep(e)) kept.emplace_back(time, e);
    }
    for (const auto& [time, e] : kept) push(time, e.kind(), e.index(), e.row, e.extra);
  }

  Event pop() {
    List& list = heap_.front();
    const std::uint32_t item = list.first;
    const Item taken = items_[item];
    items_[item].next = free_;
    free_ = item;
    if (taken.next != kNone) {
      list.first = taken.next;
      return taken.event;
    }
    Recent& recent = recent_[slot_of(list.time)];
    if (recent.tail == item && recent.time == list.time) recent.time = kNoTime;
    const List last = heap_[--lists_];
    heap_.pop_back();
    heap_[lists_] = kNever;
    if (lists_ > 0) refill(last);
    return taken.event;
  }

 private:
  static constexpr std::size_t kArity = 4;
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::int64_t kNoTime = -1;

  struct Item {
    Event event;
    /// The next of its list, or of the free ones.
    std::uint32_t next = kNone;
  };
  /// Events of one time. `sequence` orders lists of equal time.
  struct List {
    std::int64_t time = 0;
    std::uint32_t sequence = 0;
    std::uint32_t first = 0;
  };
  /// Times that were pushed for lately, and the last event of their list.
  struct Recent {
    std::int64_t time = kNoTime;
    std::uint32_t tail = 0;
  };
  static constexpr std::uint32_t kRecent = 16;

  /// Stands behind the last list, so that every parent has four children to compare.
  static constexpr List kNever{INT64_MAX, UINT32_MAX, 0};

  static std::size_t slot_of(std::int64_t time) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
    constexpr int kTopBits = 60;
    static_assert(kRecent == 1U << (64 - kTopBits));
    return static_cast<std::size_t>((static_cast<std::uint64_t>(time) * kGolden) >> kTopBits);
  }

  std::uint32_t take_item() {
    if (free_ == kNone) {
      items_.emplace_back();
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t item = free_;
    free_ = items_[item].next;
    return item;
  }

  /// 1 when a is earlier than b. Which of two lists is earlier is a coin toss, so there must be no
  /// branch on it; times lie in [0, 2^63), so the difference does not overflow.
  static std::size_t before(const List& a, const List& b) {
    const std::int64_t later = a.time - b.time - static_cast<std::int64_t>(a.sequence < b.sequence);
    return static_cast<std::size_t>(static_cast<std::uint64_t>(later) >> 63);
  }

  // Moves the hole at the top down to a leaf, always by the earliest child, and lets `last` rise
  // from there: it nearly always belongs near the leaves, and comparing it at each level would be
  // one more toss.
  void refill(const List& last) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < lists_; child = hole * kArity + 1) {
      const std::size_t a = child + before(heap_[child + 1], heap_[child]);
      const std::size_t b = child + 2 + before(heap_[child + 3], heap_[child + 2]);
      const std::size_t least = a + (b - a) * before(heap_[b], heap_[a]);
      heap_[hole] = heap_[least];
      hole = least;
    }
    rise(last, hole);
  }

  void rise(const List& list, std::size_t hole) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (before(list, heap_[parent]) == 0) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = list;
  }

  /// `lists_` lists, and kArity times kNever behind them.
  std::vector<List> heap_;
  std::size_t lists_ = 0;
  std::vector<Item> items_;
  std::uint32_t free_ = kNone;
  Recent recent_[kRecent];
  /// Of one run: runs are refused long before this could wrap.
  std::uint32_t sequence_ = 0;
};

}  // namespace sluice

// The event queue: events leave by time, and at one time in the order they were pushed, so that
// every platform pops the same sequence. Time only goes on, so events that were pushed equally far
// ahead leave in the order they came: they make a list, and a 4-ary heap orders the lists. Stages
// of equal times need a handful of lists, however many there are.
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

  /// `time` is not before that of the last event that left.
  void push(std::int64_t time, EventKind kind, std::uint32_t index, std::uint32_t row,
            std::uint32_t extra) {
    const std::int64_t ahead = time - now_;
    const std::uint32_t slot = slot_of(ahead);
    const std::uint32_t item = take_item();
    const Event event{(index << 4) | static_cast<std::uint32_t>(kind), row, extra};
    items_[item] = {time, event, sequence_, kNone, slot};
    Recent& recent = recent_[slot];
    if (recent.ahead == ahead && recent.tail != kNone) {
      items_[recent.tail].next = item;
      recent.tail = item;
      ++sequence_;
      return;
    }
    recent = {ahead, item};
    heap_.push_back(kNever);
    rise({time, sequence_++, item}, lists_++);
  }

  /// Drops all but those that `keep` says yes to. Cost: O(events log events).
  template <class Keep>
  void filter(const Keep& keep) {
    const std::int64_t now = now_;
    std::vector<std::pair<std::int64_t, Event>> kept;
    while (!empty()) {
      const std::int64_t time = next_time();
      const Event e = pop();
      if (keep(e)) kept.emplace_back(time, e);
    }
    now_ = now;
    for (const auto& [time, e] : kept) push(time, e.kind(), e.index(), e.row, e.extra);
  }

  Event pop() {
    const std::uint32_t item = heap_.front().item;
    const Item taken = items_[item];
    now_ = taken.time;
    items_[item].next = free_;
    free_ = item;
    if (taken.next != kNone) {
      const Item& next = items_[taken.next];
      sink({next.time, next.sequence, taken.next});
      return taken.event;
    }
    Recent& recent = recent_[taken.slot];
    if (recent.tail == item) recent.tail = kNone;
    const Head last = heap_[--lists_];
    heap_.pop_back();
    heap_[lists_] = kNever;
    if (lists_ > 0) refill(last);
    return taken.event;
  }

 private:
  static constexpr std::size_t kArity = 4;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Item {
    std::int64_t time = 0;
    Event event;
    /// In the order of pushes.
    std::uint32_t sequence = 0;
    /// The next of its list, or of the free ones.
    std::uint32_t next = kNone;
    /// Of `recent_`.
    std::uint32_t slot = 0;
  };
  /// The first of a list, with what orders it.
  struct Head {
    std::int64_t time = 0;
    std::uint32_t sequence = 0;
    std::uint32_t item = 0;
  };
  /// The last list of events that were pushed so far ahead of their moment, and its last event.
  struct Recent {
    std::int64_t ahead = 0;
    std::uint32_t tail = kNone;
  };
  static constexpr std::uint32_t kRecent = 64;

  /// Stands behind the last list, so that every parent has four children to compare.
  static constexpr Head kNever{INT64_MAX, UINT32_MAX, 0};

  static std::uint32_t slot_of(std::int64_t ahead) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
    constexpr int kTopBits = 58;
    static_assert(kRecent == 1U << (64 - kTopBits));
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(ahead) * kGolden) >> kTopBits);
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
  static std::size_t before(const Head& a, const Head& b) {
    const std::int64_t later = a.time - b.time - static_cast<std::int64_t>(a.sequence < b.sequence);
    return static_cast<std::size_t>(static_cast<std::uint64_t>(later) >> 63);
  }

  // Moves the hole at the top down to a leaf, always by the earliest child, and lets `last` rise
  // from there: it nearly always belongs near the leaves, and comparing it at each level would be
  // one more toss.
  void refill(const Head& last) {
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

  // Puts the head at the top, and where it belongs from there: often it stays.
  void sink(const Head& head) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < lists_; child = hole * kArity + 1) {
      const std::size_t a = child + before(heap_[child + 1], heap_[child]);
      const std::size_t b = child + 2 + before(heap_[child + 3], heap_[child + 2]);
      const std::size_t least = a + (b - a) * before(heap_[b], heap_[a]);
      if (before(head, heap_[least]) != 0) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = head;
  }

  void rise(const Head& list, std::size_t hole) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (before(list, heap_[parent]) == 0) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = list;
  }

  /// `lists_` lists, and kArity times kNever behind them.
  std::vector<Head> heap_;
  std::size_t lists_ = 0;
  std::vector<Item> items_;
  std::uint32_t free_ = kNone;
  Recent recent_[kRecent];
  /// Time of the last event that left.
  std::int64_t now_ = 0;
  /// Of one run: runs are refused long before this could wrap.
  std::uint32_t sequence_ = 0;
};

}  // namespace sluice

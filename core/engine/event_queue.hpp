// The event queue: a 4-ary heap with the total order (time, sequence), so that equal times leave in
// the order they were pushed and every platform pops the same sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

enum class EventKind : std::uint8_t {
  ComputeEnd,     // index: rank, row: its segment
  Wake,           // index: device whose next input arrives now
  LinkHead,       // index: link, extra: generation
  Nudge,          // nothing happens; the instant gets its second phase
  CollectiveEnd,  // row: the transfer
  UpdateEnd,      // index: device, row: its segment
  BatchStart,
  FailureCheck,
  DeviceRecovery,  // index: device
  LinkRecovery,    // index: link
};

struct Event {
  std::int64_t time = 0;
  std::uint32_t sequence = 0;
  /// Kind in the low 4 bits, index above.
  std::uint32_t what = 0;
  std::uint32_t row = 0;
  std::uint32_t extra = 0;

  [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(what & 15U); }
  [[nodiscard]] std::uint32_t index() const { return what >> 4; }
};
static_assert(sizeof(Event) == 24);

class EventQueue {
 public:
  EventQueue() : heap_(kArity, kNever) {}

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Event& top() const { return heap_.front(); }
  void reserve(std::size_t events) { heap_.reserve(events + kArity); }

  void push(std::int64_t time, EventKind kind, std::uint32_t index, std::uint32_t row,
            std::uint32_t extra) {
    const Event e{time, sequence_++, (index << 4) | static_cast<std::uint32_t>(kind), row, extra};
    heap_.push_back(kNever);
    rise(e, size_++);
  }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_[--size_];
    heap_.pop_back();
    heap_[size_] = kNever;
    if (size_ > 0) refill(last);
    return first;
  }

 private:
  static constexpr std::size_t kArity = 4;
  /// Stands behind the last event, so that every parent has four children to compare.
  static constexpr Event kNever{INT64_MAX, UINT32_MAX, 0, 0, 0};

  /// 1 when a is earlier than b. Which of two events is earlier is a coin toss, so there must be no
  /// branch on it; times lie in [0, 2^63), so the difference does not overflow.
  static std::size_t before(const Event& a, const Event& b) {
    const std::int64_t later = a.time - b.time - static_cast<std::int64_t>(a.sequence < b.sequence);
    return static_cast<std::size_t>(static_cast<std::uint64_t>(later) >> 63);
  }

  // Moves the hole at the top down to a leaf, always by the earliest child, and lets `last` rise
  // from there: it nearly always belongs near the leaves, and comparing it at each level would be
  // one more toss.
  void refill(const Event& last) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size_; child = hole * kArity + 1) {
      const std::size_t a = child + before(heap_[child + 1], heap_[child]);
      const std::size_t b = child + 2 + before(heap_[child + 3], heap_[child + 2]);
      const std::size_t least = a + (b - a) * before(heap_[b], heap_[a]);
      heap_[hole] = heap_[least];
      hole = least;
    }
    rise(last, hole);
  }

  void rise(const Event& e, std::size_t hole) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (before(e, heap_[parent]) == 0) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = e;
  }

  /// `size_` events, and kArity times kNever behind them.
  std::vector<Event> heap_;
  std::size_t size_ = 0;
  /// Of one run: runs are refused long before this could wrap.
  std::uint32_t sequence_ = 0;
};

}  // namespace sluice

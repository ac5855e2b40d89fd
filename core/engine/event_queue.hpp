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
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] const Event& top() const { return heap_.front(); }
  void reserve(std::size_t events) { heap_.reserve(events); }

  void push(std::int64_t time, EventKind kind, std::uint32_t index, std::uint32_t row,
            std::uint32_t extra) {
    const Event e{time, sequence_++, (index << 4) | static_cast<std::uint32_t>(kind), row, extra};
    std::size_t i = heap_.size();
    heap_.push_back(e);
    while (i > 0) {
      const std::size_t parent = (i - 1) / kArity;
      if (!before(e, heap_[parent])) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = e;
  }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    if (n > 0) sink(last, n);
    return first;
  }

 private:
  static constexpr std::size_t kArity = 4;

  // Without branches: which of two events is earlier is a coin toss, and a wrong guess costs more
  // than both tests.
  static bool before(const Event& a, const Event& b) {
    return static_cast<int>(a.time < b.time) |
           (static_cast<int>(a.time == b.time) & static_cast<int>(a.sequence < b.sequence));
  }

  void sink(const Event& last, std::size_t n) {
    std::size_t i = 0;
    for (;;) {
      const std::size_t child = i * kArity + 1;
      if (child >= n) break;
      const std::size_t end = child + kArity < n ? child + kArity : n;
      std::size_t least = child;
      for (std::size_t k = child + 1; k < end; ++k)
        least = before(heap_[k], heap_[least]) ? k : least;
      if (!before(heap_[least], last)) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = last;
  }

  std::vector<Event> heap_;
  /// Of one run: runs are refused long before this could wrap.
  std::uint32_t sequence_ = 0;
};

}  // namespace sluice

// The yardstick of the benchmark: a discrete-event loop that plays 1F1B and nothing else. Stages,
// links and order are hard-wired; there are no costs, memory, failures or policies. The engine's
// speed is stated as a ratio to it, so that the number means something on any machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.hpp"

namespace sluice_bench {

/// What is played. With `noise`, each duration takes one Philox draw.
struct ReferencePipeline {
  std::uint32_t stages = 64;
  std::uint32_t microbatches = 4096;
  std::int64_t forward_ps = 1'000'000;
  std::int64_t backward_ps = 2'000'000;
  std::int64_t latency_ps = 50'000;
  bool noise = false;
};

/// One row for each task, in the order they started.
struct ReferenceColumns {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> end;
  std::vector<std::uint32_t> microbatch;
  std::vector<std::uint16_t> stage;
  std::vector<std::uint8_t> kind;

  void reset(std::size_t rows) {
    start.clear(), end.clear(), microbatch.clear(), stage.clear(), kind.clear();
    start.reserve(rows), end.reserve(rows), microbatch.reserve(rows);
    stage.reserve(rows), kind.reserve(rows);
  }
};

struct ReferenceResult {
  std::uint64_t events = 0;
  std::int64_t makespan_ps = 0;
};

enum class EventKind : std::uint16_t { kTaskEnd, kForwardArrives, kBackwardArrives };

struct Event {
  std::int64_t time = 0;
  std::uint64_t sequence = 0;
  std::uint32_t microbatch = 0;
  std::uint16_t stage = 0;
  EventKind kind = EventKind::kTaskEnd;
};
static_assert(sizeof(Event) == 24);

/// 4-ary heap under the total order (time, sequence).
class EventHeap {
 public:
  void reserve(std::size_t events) { events_.reserve(events); }
  [[nodiscard]] bool empty() const { return events_.empty(); }

  void push(const Event& event) {
    std::size_t hole = events_.size();
    events_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (!before(event, events_[parent])) break;
      events_[hole] = events_[parent];
      hole = parent;
    }
    events_[hole] = event;
  }

  Event pop() {
    const Event first = events_.front();
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) sift_down(last);
    return first;
  }

 private:
  static constexpr std::size_t kArity = 4;

  static bool before(const Event& a, const Event& b) {
    return a.time < b.time || (a.time == b.time && a.sequence < b.sequence);
  }

  void sift_down(const Event& event) {
    const std::size_t size = events_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = hole * kArity + 1) {
      const std::size_t past = std::min(child + kArity, size);
      std::size_t least = child;
      for (std::size_t other = child + 1; other < past; ++other) {
        if (before(events_[other], events_[least])) least = other;
      }
      if (!before(events_[least], event)) break;
      events_[hole] = events_[least];
      hole = least;
    }
    events_[hole] = event;
  }

  std::vector<Event> events_;
};

/// Plays `pipeline` into `columns`, whose memory is reused from run to run.
class ReferenceLoop {
 public:
  ReferenceLoop(const ReferencePipeline& pipeline, ReferenceColumns& columns)
      : pipeline_(pipeline), columns_(columns), stages_(pipeline.stages) {
    columns_.reset(std::size_t{2} * pipeline.stages * pipeline.microbatches);
    heap_.reserve(std::size_t{4} * pipeline.stages);
    for (std::uint32_t s = 0; s < pipeline.stages; ++s) stages_[s].tasks = one_f_one_b(s);
    stages_[0].forwards_here = pipeline.microbatches;
    stages_.back().backwards_here = pipeline.microbatches;
  }

  ReferenceResult play() {
    ReferenceResult result;
    start_if_ready(0, 0);
    while (!heap_.empty()) {
      const Event event = heap_.pop();
      ++result.events;
      result.makespan_ps = event.time;
      apply(event);
      start_if_ready(event.stage, event.time);
    }
    return result;
  }

 private:
  struct Task {
    std::uint32_t microbatch = 0;
    std::uint8_t backward = 0;
  };
  struct Stage {
    std::vector<Task> tasks;
    std::uint32_t next = 0;
    std::uint32_t forwards_here = 0;
    std::uint32_t backwards_here = 0;
    bool busy = false;
  };

  [[nodiscard]] std::vector<Task> one_f_one_b(std::uint32_t stage) const {
    const std::uint32_t count = pipeline_.microbatches;
    const std::uint32_t warm_up = std::min(pipeline_.stages - stage - 1, count);
    std::vector<Task> tasks;
    tasks.reserve(std::size_t{2} * count);
    for (std::uint32_t f = 0; f < warm_up; ++f) tasks.push_back({f, 0});
    for (std::uint32_t f = warm_up; f < count; ++f) {
      tasks.push_back({f, 0});
      tasks.push_back({f - warm_up, 1});
    }
    for (std::uint32_t b = count - warm_up; b < count; ++b) tasks.push_back({b, 1});
    return tasks;
  }

  [[nodiscard]] std::int64_t duration(std::uint32_t stage, const Task& task) const {
    const std::int64_t base = task.backward != 0 ? pipeline_.backward_ps : pipeline_.forward_ps;
    if (!pipeline_.noise) return base;
    return base + (sluice::philox({stage, task.microbatch, task.backward, 0}, {42, 7})[0] >> 16);
  }

  void start_if_ready(std::uint16_t s, std::int64_t now) {
    Stage& stage = stages_[s];
    if (stage.busy || stage.next == stage.tasks.size()) return;
    const Task task = stage.tasks[stage.next];
    const std::uint32_t here = task.backward != 0 ? stage.backwards_here : stage.forwards_here;
    if (task.microbatch >= here) return;
    stage.busy = true;
    const std::int64_t end = now + duration(s, task);
    columns_.start.push_back(now);
    columns_.end.push_back(end);
    columns_.microbatch.push_back(task.microbatch);
    columns_.stage.push_back(s);
    columns_.kind.push_back(task.backward);
    heap_.push({end, sequence_++, task.microbatch, s, EventKind::kTaskEnd});
  }

  void apply(const Event& event) {
    Stage& stage = stages_[event.stage];
    if (event.kind == EventKind::kForwardArrives) {
      stage.forwards_here = event.microbatch + 1;
    } else if (event.kind == EventKind::kBackwardArrives) {
      stage.backwards_here = event.microbatch + 1;
    } else {
      const bool backward = stage.tasks[stage.next].backward != 0;
      stage.busy = false;
      ++stage.next;
      send(event, backward);
    }
  }

  void send(const Event& done, bool backward) {
    const std::int64_t time = done.time + pipeline_.latency_ps;
    if (!backward && done.stage + 1U < pipeline_.stages) {
      const auto next = static_cast<std::uint16_t>(done.stage + 1);
      heap_.push({time, sequence_++, done.microbatch, next, EventKind::kForwardArrives});
    } else if (backward && done.stage > 0) {
      const auto previous = static_cast<std::uint16_t>(done.stage - 1);
      heap_.push({time, sequence_++, done.microbatch, previous, EventKind::kBackwardArrives});
    }
  }

  const ReferencePipeline pipeline_;
  ReferenceColumns& columns_;
  std::vector<Stage> stages_;
  EventHeap heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace sluice_bench

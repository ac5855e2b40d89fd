#include "engine/event_queue.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "base/hash.hpp"

using namespace sluice;

TEST_SUITE("engine/event_queue") {
  TEST_CASE("events at one time leave in the order they were pushed") {
    EventQueue q;
    for (std::uint32_t i = 0; i < 100; ++i) q.push(5, EventKind::Nudge, i, 0, 0);
    for (std::uint32_t i = 0; i < 100; ++i) CHECK(q.pop().index() == i);
    CHECK(q.empty());
  }
  TEST_CASE("times never go backward, whatever was pushed") {
    EventQueue q;
    std::int64_t last = 0;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      q.push(last + static_cast<std::int64_t>(mix64(i) % 1000), EventKind::Wake, 7, 1, 2);
      if (i % 3 == 0) {
        const Event e = q.pop();
        CHECK(e.time >= last);
        CHECK(e.kind() == EventKind::Wake);
        CHECK(e.index() == 7);
        last = e.time;
      }
    }
    while (!q.empty()) {
      const Event e = q.pop();
      CHECK(e.time >= last);
      last = e.time;
    }
  }
}

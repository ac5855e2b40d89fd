#include "engine/event_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.hpp"

using namespace sluice;

TEST_SUITE("engine/event_queue") {
  TEST_CASE("events at one time leave in the order they were pushed") {
    EventQueue q;
    for (std::uint32_t i = 0; i < 100; ++i) q.push(5, EventKind::Nudge, i, 0, 0);
    for (std::uint32_t i = 0; i < 100; ++i) CHECK(q.pop().index() == i);
    CHECK(q.empty());
  }
  TEST_CASE("also when other times came between, and more of them than the queue remembers") {
    EventQueue q;
    for (std::uint32_t i = 0; i < 2000; ++i) q.push(5 + i % 40, EventKind::Nudge, i, 0, 0);
    for (std::uint32_t time = 0; time < 40; ++time) {
      for (std::uint32_t i = time; i < 2000; i += 40) {
        REQUIRE(q.next_time() == 5 + time);
        REQUIRE(q.pop().index() == i);
      }
    }
    CHECK(q.empty());
    CHECK(q.next_time() == INT64_MAX);
  }
  TEST_CASE("an event pushed for the time that is being popped comes after those that wait") {
    EventQueue q;
    q.push(5, EventKind::Nudge, 1, 0, 0);
    q.push(5, EventKind::Nudge, 2, 0, 0);
    CHECK(q.pop().index() == 1);
    q.push(5, EventKind::Nudge, 3, 0, 0);
    CHECK(q.pop().index() == 2);
    CHECK(q.pop().index() == 3);
    q.push(5, EventKind::Nudge, 4, 0, 0);
    CHECK(q.pop().index() == 4);
    CHECK(q.empty());
  }
  TEST_CASE("filter keeps the order of what stays, and time goes on from where it was") {
    EventQueue q;
    for (std::uint32_t i = 0; i < 300; ++i) q.push(10 + i % 7, EventKind::Nudge, i, 0, 0);
    while (q.next_time() == 10) q.pop();
    q.filter([](const Event& e) { return e.index() % 2 == 0; });
    q.push(11, EventKind::Nudge, 300, 0, 0);
    for (std::uint32_t time = 11; time < 17; ++time) {
      for (std::uint32_t i = time - 10; i < 301; i += 7) {
        if (i % 2 != 0) continue;
        // 300 was pushed last, for the time of 1, 8, 15, ...
        if (i == 300 && time != 11) continue;
        REQUIRE(q.next_time() == time);
        REQUIRE(q.pop().index() == i);
      }
      if (time == 11) REQUIRE(q.pop().index() == 300);
    }
    CHECK(q.empty());
  }
  TEST_CASE("against a stable sort: any mix of pushes and pops") {
    // Few distinct times make many ties; many make few.
    for (const std::uint64_t range : {3U, 50U, 1000000U}) {
      EventQueue q;
      std::vector<std::pair<std::int64_t, std::uint32_t>> waiting;
      std::int64_t now = 0;
      std::uint32_t pushed = 0;
      for (std::uint64_t i = 0; i < 20000; ++i) {
        const bool pop = !waiting.empty() && (i > 15000 || mix64(i) % 3 == 0);
        if (!pop) {
          const auto time = now + static_cast<std::int64_t>(mix64(i * 7) % range);
          q.push(time, EventKind::Wake, pushed % 100, pushed, 2);
          waiting.emplace_back(time, pushed++);
          continue;
        }
        const auto first = std::min_element(waiting.begin(), waiting.end());
        now = first->first;
        REQUIRE(q.next_time() == now);
        const Event e = q.pop();
        REQUIRE(e.row == first->second);
        REQUIRE(e.kind() == EventKind::Wake);
        REQUIRE(e.index() == e.row % 100);
        REQUIRE(e.extra == 2);
        waiting.erase(first);
      }
    }
  }
}

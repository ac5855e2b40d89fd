// Orders on ranks that really send and receive: which run, which wait in a ring.
#include "search/channels.hpp"

#include <doctest/doctest.h>

#include <string>

#include "schedule/plan.hpp"

using namespace sluice;

namespace {

Order order_of(const char* schedule, int ranks, int microbatches) {
  PlanRequest request;
  request.name = schedule;
  request.microbatches = microbatches;
  request.device_of_rank.assign(static_cast<std::size_t>(ranks), DeviceId{0});
  const auto placement = place(request);
  REQUIRE(placement.ok());
  const auto plan = make_plan(request, placement.value());
  REQUIRE(plan.ok());
  REQUIRE(plan.value().order.has_value());
  return *plan.value().order;
}

}  // namespace

TEST_SUITE("search/channels") {
  TEST_CASE("1F1B as a naive blocking program deadlocks for 2, 4 and 8 ranks, and names its ring") {
    // Rank 0 hands F1 over only when rank 1 stands before it; rank 1 stands before sending B0.
    for (const int p : {2, 4, 8}) {
      const std::string ring =
          channel_deadlock(order_of("1f1b", p, 2 * p), {.buffers = 0, .blocking = true});
      INFO(ring);
      CHECK(ring.find("waits for") != std::string::npos);
      CHECK(ring.find("the message of") != std::string::npos);
    }
  }

  TEST_CASE("1F1B with asynchronous sends needs one buffer a channel") {
    for (const int p : {2, 4, 8}) {
      CHECK(channel_deadlock(order_of("1f1b", p, 2 * p), {.buffers = 1}).empty());
      CHECK(buffers_needed(order_of("1f1b", p, 2 * p)) == 1);
    }
  }

  TEST_CASE("GPipe runs even with blocking sends: all forwards go one way, then all backwards") {
    CHECK(channel_deadlock(order_of("gpipe", 4, 8), {.buffers = 0, .blocking = true}).empty());
  }

  TEST_CASE("a receiver that wants messages in another order needs room for those it leaves") {
    // Rank 0 sends F0, F1, F2; rank 1 begins with F2: two messages lie before it.
    OrderBuilder b(loop_placement(2, 1), 3, 6);
    for (const int m : {0, 1, 2}) b.add(OpKind::Forward, 0, m);
    for (const int m : {2, 1, 0}) b.add(OpKind::Backward, 0, m);
    b.end_rank();
    for (const int m : {2, 1, 0}) {
      b.add(OpKind::Forward, 1, m);
      b.add(OpKind::Backward, 1, m);
    }
    b.end_rank();
    const Order order = b.take();
    CHECK_FALSE(channel_deadlock(order, {.buffers = 2}).empty());
    CHECK(channel_deadlock(order, {.buffers = 3}).empty());
    CHECK(buffers_needed(order) == 3);
  }
}

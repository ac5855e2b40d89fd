#include "metrics/overlap.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

/// Equal stages, forward 1 and backward 2, whose messages take `latency_us` and nothing else.
std::shared_ptr<const Run> played(const char* schedule, int ranks, int microbatches,
                                  double latency_us) {
  ScenarioText s;
  s.schedule = schedule;
  s.stages = sluice_test::equal_stages(ranks);
  s.microbatches = microbatches;
  s.latency_us = latency_us;
  s.simulation = "  transfers: latency\n";
  const auto run = simulate(s.text());
  REQUIRE(run.ok());
  return run.value();
}

std::vector<Overlap> overlaps_of(const Run& run) {
  return overlaps(run.program(), run.trace(), Plays(run.program(), run.trace()));
}

}  // namespace

TEST_SUITE("metrics/overlap") {
  TEST_CASE("one microbatch on two ranks: messages travel while nobody computes") {
    // F0 0-1, F1 1.5-2.5, B1 2.5-4.5, B0 5-7; messages 1-1.5, 4.5-5.
    const auto found = overlaps_of(*played("1f1b", 2, 1, 500));
    REQUIRE(found.size() == 2);
    for (const Overlap& o : found) {
      CHECK(to_ms(o.transfer) == 1);
      CHECK(o.hidden.ps == 0);
    }
  }
  TEST_CASE("two microbatches on two ranks, by hand") {
    // 1F1B. Rank 0: F0 0-1, F1 1-2, B0 5-7, B1 8-10. Rank 1: F0 1.5-2.5, B0 2.5-4.5, F1 4.5-5.5,
    // B1 5.5-7.5. Messages: 1-1.5 and 2-2.5 down, 4.5-5 and 7.5-8 up. Of them rank 0 computes
    // 1-1.5; rank 1 2-2.5 and 4.5-5.
    const auto found = overlaps_of(*played("1f1b", 2, 2, 500));
    CHECK(to_ms(found[0].transfer) == 2);
    CHECK(to_ms(found[0].hidden) == 0.5);
    CHECK(to_ms(found[1].transfer) == 2);
    CHECK(to_ms(found[1].hidden) == 1);
  }
  TEST_CASE("messages that travel at once count once, and no more is hidden than travels") {
    for (const char* schedule : {"1f1b", "gpipe", "zb_h1", "interleaved_1f1b"}) {
      INFO(schedule);
      const auto run = played(schedule, 4, 8, 700);
      for (const Overlap& o : overlaps_of(*run)) {
        CHECK(o.hidden <= o.transfer);
        CHECK(o.hidden.ps > 0);
        CHECK(o.transfer <= run->summary().makespan);
      }
    }
  }
}

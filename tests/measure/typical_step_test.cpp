// Which iteration stands for a run, counted by hand.
#include "measure/typical_step.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "measure/small_trace.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

/// Iterations of the small step whose last update ends so much later.
TracedRun run_with(const std::vector<double>& longer) {
  std::vector<Step> steps = steps_at(small_step(), std::vector<double>(longer.size(), 0));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (Row& r : steps[i].rows) r.start += 200.0 * static_cast<double>(i);
    for (Row& r : steps[i].rows) r.end += 200.0 * static_cast<double>(i);
    steps[i].rows[8].end += longer[i];
  }
  return join_ranks({rank_trace(steps, 0, 2, 0), rank_trace(steps, 1, 2, 0)}).value();
}

}  // namespace

TEST_SUITE("measure/typical_step") {
  TEST_CASE("it is the one with the median span, from its own start") {
    const std::vector<OpEvent> step = typical_step(run_with({30, 0, 7, 2, 50}));
    REQUIRE(step.size() == 10);
    CHECK(step.front().iteration == 2);
    CHECK(step.front().start_ns == 0);
    // Ranks' updates are the last rows; the longer one ends at 101 + 7 ms.
    std::int64_t last = 0;
    for (const OpEvent& e : step) last = std::max(last, e.end_ns);
    CHECK(last == ns(108));
  }
  TEST_CASE("of two in the middle it is the shorter, of equals the earliest") {
    CHECK(typical_step(run_with({9, 3, 5, 1})).front().iteration == 1);
    CHECK(typical_step(run_with({4, 4, 4})).front().iteration == 0);
    CHECK(typical_step({}).empty());
  }
}

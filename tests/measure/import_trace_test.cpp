// Recorded events to figures, with traces that can be counted by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/clocks.hpp"
#include "measure/messages.hpp"
#include "measure/observed_order.hpp"
#include "measure/small_trace.hpp"
#include "measure/trace_figures.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

TracedRun joined(const std::vector<Step>& steps, double skew, int ranks = 2) {
  std::vector<RankTrace> files;
  for (int r = 0; r < ranks; ++r) files.push_back(rank_trace(steps, r, ranks, r == 0 ? 0 : skew));
  auto run = join_ranks(std::move(files));
  REQUIRE(run.ok());
  return run.value();
}

std::vector<Row> without_updates(std::vector<Row> rows) {
  rows.resize(rows.size() - 2);
  return rows;
}

const std::vector<double> kStarts{0, 107, 214, 333};

}  // namespace

TEST_SUITE("measure/import_trace") {
  TEST_CASE("updates that start together give the clocks, to the nanosecond") {
    const ClockAlignment a = align_clocks(joined(steps_at(small_step(), kStarts), 1000));
    CHECK(a.source == ClockSource::Updates);
    CHECK(a.shift_ns == std::vector<std::int64_t>{0, ns(-1000)});
    CHECK(a.contradiction_ns == 0);
  }
  TEST_CASE("without updates messages do: the middle between their bounds") {
    // F messages allow -1001 and more, B messages -999 and less.
    const auto step = without_updates(small_step());
    const ClockAlignment a = align_clocks(joined(steps_at(step, kStarts), 1000));
    CHECK(a.source == ClockSource::Causality);
    CHECK(a.shift_ns == std::vector<std::int64_t>{0, ns(-1000)});
    // Where operations begin with waiting, a message is only known to be there when they end:
    // -1011 and more, -979 and less.
    std::vector<RankTrace> files{rank_trace(steps_at(step, kStarts), 0, 2, 0),
                                 rank_trace(steps_at(step, kStarts), 1, 2, 1000)};
    files[0].host_times = files[1].host_times = true;
    auto run = join_ranks(files);
    REQUIRE(run.ok());
    CHECK(align_clocks(run.value()).shift_ns[1] == ns(-995));
    // Clocks that contradict nothing stay as they are.
    const ClockAlignment near = align_clocks(joined(steps_at(step, kStarts), 0.5));
    CHECK(near.source == ClockSource::Recorded);
    CHECK(near.shift_ns == std::vector<std::int64_t>{0, 0});
  }
  TEST_CASE("updates that do not start together are not taken for a barrier") {
    // Each rank updates when it is done: at 71 and 92. Taken for one time that would be 21 ms.
    auto step = without_updates(small_step());
    step.push_back({'U', 1, 0, 71, 74});
    step.push_back({'U', 0, 0, 92, 97});
    const ClockAlignment a = align_clocks(joined(steps_at(step, kStarts), 1000));
    CHECK(a.source == ClockSource::Causality);
    CHECK(a.shift_ns == std::vector<std::int64_t>{0, ns(-1000)});
  }
  TEST_CASE("ranks of one host share its clock; messages that contradict each other are told") {
    const auto steps = steps_at(without_updates(small_step()), kStarts);
    std::vector<RankTrace> files{rank_trace(steps, 0, 2, 0), rank_trace(steps, 1, 2, 1000)};
    files[0].host = files[1].host = "one";
    auto run = join_ranks(files);
    REQUIRE(run.ok());
    CHECK(align_clocks(run.value()).shift_ns == std::vector<std::int64_t>{0, 0});
    // A clock that is 1000 late in the first step and 1007 in the last: bounds -1001 and -1006.
    std::vector<Step> drifting = steps;
    for (Row& r : drifting.back().rows) {
      if (r.stage == 1) r.start += 7, r.end += 7;
    }
    const ClockAlignment a = align_clocks(joined(drifting, 1000));
    CHECK(a.contradiction_ns == ns(5));
    CHECK(a.shift_ns[1] == ns(-1003.5));
  }
  TEST_CASE("figures of four steps, by hand") {
    const TracedRun skewed = joined(steps_at(small_step(), kStarts), 1000);
    const TraceFigures f = trace_figures(with_clocks(skewed, align_clocks(skewed)));
    CHECK(f.microbatches == 2);
    CHECK(f.iterations == 4);
    // Periods 107, 107, 119.
    CHECK(*f.period_median_ms == 107);
    CHECK(*f.period_mean_ms == doctest::Approx(111));
    // 8 microbatches from 0 to 333 + 92.
    CHECK(f.microbatches_per_s == doctest::Approx(8 / 0.425));
    // Makespan 333 + 101; busy 4 (20 + 40 + 5) and 4 (20 + 40 + 3).
    CHECK(f.utilization[0] == doctest::Approx(260.0 / 434));
    CHECK(f.utilization[1] == doctest::Approx(252.0 / 434));
    CHECK(f.bubble == doctest::Approx(1 - 512.0 / 868));
    CHECK(f.forward[0].mean_ms == 10);
    CHECK(f.backward[1].median_ms == 20);
    CHECK(f.backward[1].count == 8);
    CHECK(f.backward[1].std_ms == 0);
    CHECK(f.update[0].mean_ms == 5);
    CHECK(f.update[1].mean_ms == 3);
    CHECK(f.updates);
    // 107 - 92 - 5, the same, 119 - 92 - 5; of which 4 before the updates.
    CHECK(f.pause.median_ms == doctest::Approx(10));
    CHECK(f.pause.mean_ms == doctest::Approx(14));
    CHECK(f.before_updates.median_ms == doctest::Approx(4));
    // The second forward finds stage 1 busy and says nothing of the way.
    REQUIRE(f.hops.size() == 2);
    CHECK(f.hops[0].time.count == 4);
    CHECK(f.hops[0].time.median_ms == doctest::Approx(1));
    CHECK(f.hops[1].from_stage == 1);
    CHECK(f.hops[1].time.count == 8);
    CHECK(f.hops[1].time.median_ms == doctest::Approx(1));
    CHECK_FALSE(f.input_grad_share.has_value());
  }
  TEST_CASE("a median of two and of even numbers is their mean, and std is the population's") {
    auto steps = steps_at(small_step(), {0, 107});
    steps[1].rows[0].end -= 2;  // F0 on stage 0: 8 in the place of 10
    const TraceFigures f = trace_figures(joined(steps, 0));
    CHECK(f.forward[0].mean_ms == doctest::Approx(9.5));
    CHECK(f.forward[0].median_ms == 10);
    // Deviations 0.5, 0.5, 0.5, 1.5.
    CHECK(f.forward[0].std_ms == doctest::Approx(std::sqrt(0.75)));
    CHECK(*f.period_median_ms == 107);
  }
  TEST_CASE("warm-up goes while its span is three times the median of what follows") {
    auto steps = steps_at(small_step(), {0, 107, 500, 607, 714});
    // Spans are 101. The first becomes exactly 303, the second stays below.
    steps[0].rows[8].end = steps[0].rows[0].start + 303;
    for (Step& s : steps) {
      if (s.iteration == 0) continue;
      for (Row& r : s.rows) r.start += 500, r.end += 500;
    }
    std::int32_t warm_up = 0;
    std::int32_t incomplete = 0;
    auto steady = steady_part(joined(steps, 0), warm_up, incomplete);
    REQUIRE(steady.ok());
    CHECK(warm_up == 1);
    CHECK(incomplete == 0);
    CHECK(steady.value().events.front().iteration == 1);
    steps[0].rows[8].end -= 0.001;
    REQUIRE(steady_part(joined(steps, 0), warm_up, incomplete).ok());
    CHECK(warm_up == 0);
  }
  TEST_CASE("iterations that the recording cuts off are left out; holes are refused") {
    auto steps = steps_at(small_step(), kStarts);
    steps[3].rows.resize(5);
    std::int32_t warm_up = 0;
    std::int32_t incomplete = 0;
    auto steady = steady_part(joined(steps, 0), warm_up, incomplete);
    REQUIRE(steady.ok());
    CHECK(incomplete == 1);
    CHECK(trace_figures(steady.value()).iterations == 3);
    steps = steps_at(small_step(), kStarts);
    steps[1].rows.erase(steps[1].rows.begin() + 4);
    steady = steady_part(joined(steps, 0), warm_up, incomplete);
    REQUIRE_FALSE(steady.ok());
    CHECK(steady.diagnostics().front().path == "rank1");
    CHECK(steady.diagnostics().front().message == "iteration 1 has no F1 of stage 1");
  }
  TEST_CASE("microbatches that do not count from 0, or differ between stages, are refused") {
    const auto refused = [](const std::vector<Row>& step) {
      std::int32_t ignored = 0;
      const auto steady = steady_part(joined(steps_at(step, kStarts), 0), ignored, ignored);
      REQUIRE_FALSE(steady.ok());
      return steady.diagnostics().front().path + ": " + steady.diagnostics().front().message;
    };
    auto step = small_step();
    for (Row& r : step) r.microbatch = r.microbatch == 1 ? 2'000'000'000 : 0;
    CHECK(refused(step) ==
          "rank0: stage 0 has 2 microbatches, but one is number 2000000000; they count from 0 in "
          "each iteration");
    step = small_step();
    step.erase(step.begin() + 6);
    CHECK(refused(step) ==
          "rank1: stage 1 has 2 forwards and 1 backwards of an iteration, stage 0 has 2 forwards");
  }
  TEST_CASE("the observed order has a name only where all ranks keep to it") {
    CHECK(observed_order(joined(steps_at(small_step(), kStarts), 0)).name == "1f1b");
    const std::vector<Row> gpipe{{'F', 0, 0, 0, 10},  {'F', 0, 1, 10, 20}, {'F', 1, 0, 11, 21},
                                 {'F', 1, 1, 21, 31}, {'B', 1, 0, 31, 51}, {'B', 1, 1, 51, 71},
                                 {'B', 0, 0, 52, 71}, {'B', 0, 1, 72, 92}};
    CHECK(observed_order(joined(steps_at(gpipe, kStarts), 0)).name == "gpipe");
    auto steps = steps_at(small_step(), kStarts);
    // Backwards of stage 1 in the other order, in three of four iterations.
    for (std::size_t i = 0; i < 3; ++i)
      std::swap(steps[i].rows[3].microbatch, steps[i].rows[6].microbatch);
    const ObservedOrder none = observed_order(joined(steps, 0));
    CHECK(none.name == "none");
    CHECK(none.ranks[1] == "F0@1 B1@1 F1@1 B0@1");
    CHECK(none.deviations == 1);
  }
  TEST_CASE("files that do not make a pipeline are refused by name") {
    const auto steps = steps_at(small_step(), kStarts);
    const auto refused = [](std::vector<RankTrace> files) {
      const auto run = join_ranks(std::move(files));
      REQUIRE_FALSE(run.ok());
      const Diagnostic& d = run.diagnostics().front();
      CHECK(d.code == Code::TraceRanks);
      return d.path + ":" + std::to_string(d.line) + ": " + d.message;
    };
    RankTrace twin = rank_trace(steps, 0, 2, 0);
    twin.source = "copy";
    CHECK(refused({rank_trace(steps, 0, 2, 0), rank_trace(steps, 1, 2, 0), twin}) ==
          "copy:1: rank 0 is also in rank0");
    RankTrace replica = rank_trace(steps, 1, 2, 0);
    replica.source = "replica";
    replica.rank = 3;
    CHECK(refused({rank_trace(steps, 0, 2, 0), rank_trace(steps, 1, 2, 0), replica}) ==
          "replica:1: stage 1 is also in rank1");
    CHECK(refused({rank_trace(steps, 1, 2, 0)}) == "rank1:1: stage 1 is here, stage 0 in no file");
    RankTrace stageless = rank_trace(steps, 1, 2, 0);
    for (OpEvent& e : stageless.events) e.stage = -1;
    CHECK(join_ranks({rank_trace(steps, 0, 2, 0), stageless}).ok());
    stageless.rank = 2;
    CHECK(refused({rank_trace(steps, 0, 2, 0), stageless}) ==
          "rank1:1: rank 2 is here, rank 1 in no file");
    RankTrace far = rank_trace(steps, 1, 2, 0);
    for (OpEvent& e : far.events) e.stage = 2'000'000'000;
    CHECK(refused({rank_trace(steps, 0, 2, 0), far}) ==
          "rank1:1: stage 2000000000 is here, stage 1 in no file");
    far = rank_trace(steps, 1, 2, 0);
    far.events.back().end_ns += 101 * ns(86'400'000);
    const auto run = join_ranks({rank_trace(steps, 0, 2, 0), far});
    REQUIRE_FALSE(run.ok());
    CHECK(run.diagnostics().front().message == "its events lie more than 100 days apart");
  }
}

// The learning lab over a scenario: which tables arms get, when their microbatches are through, and
// what is made of the losses.
#include "api/learning.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "learn/arms.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::equal_stages;
using sluice_test::ScenarioText;

namespace {

std::string four_stages(int microbatches = 8) {
  ScenarioText s;
  s.schedule = "1f1b";
  s.microbatches = microbatches;
  s.stages = equal_stages(4);
  s.simulation = "  transfers: latency\n";
  return s.text();
}

LearnRequest small() {
  LearnRequest request;
  request.schedules = {"paci", "pipedream_2bw", "{name: pipedream, stash: false}",
                       "{name: amdp, rounds: 2}"};
  request.seeds = 2;
  request.microbatches = 64;
  request.test_every = 16;
  request.rates = {0.01, 0.02};
  return request;
}

Learning made(const std::string& text, LearnRequest request) {
  auto job = Learning::make(text, {}, std::move(request));
  REQUIRE_MESSAGE(job.ok(), (job.ok() ? "" : job.diagnostics().front().message));
  return std::move(job).value();
}

}  // namespace

TEST_SUITE("api/learning") {
  TEST_CASE("arms replay what their schedule does: the tables of the closed forms") {
    const Learning job = made(four_stages(), small());
    REQUIRE(job.arms().size() == 5);
    const auto same = [&](std::size_t arm, const VersionTable& expected) {
      const VersionTable& table = job.arms()[arm].table;
      CHECK(table.forward == expected.forward);
      CHECK(table.backward == expected.backward);
      CHECK(table.update == expected.update);
    };
    same(0, sluice_test::sync(4, 64, 8));
    same(1, sluice_test::paci(4, 64, 8));
    same(2, sluice_test::two_buffers(4, 64, 8));
    same(3, sluice_test::pipedream(4, 64, false));
    same(4, sluice_test::amdp(4, 64, 2));
    CHECK(job.arms()[3].rate_factor == doctest::Approx(1.0 / 8));
    CHECK(job.arms()[4].rate_factor == 1);
  }

  TEST_CASE("when microbatches are through, by the closed forms") {
    const Learning job = made(four_stages(), small());
    const auto ms = [&](std::size_t arm, std::size_t microbatch) {
      return to_ms(Time{job.arms()[arm].done_ps[microbatch]});
    };
    // With a flush of 8: (8 + 3) 3 a step; the last backward of the first stage ends it.
    CHECK(ms(0, 7) == doctest::Approx(33));
    CHECK(ms(0, 63) == doctest::Approx(8 * 33));
    // Without: microbatch i leaves the first stage after (i + 4) (F + B).
    CHECK(ms(1, 0) == doctest::Approx(12));
    CHECK(ms(1, 63) == doctest::Approx(67 * 3));
    CHECK(job.arms()[1].utilization == doctest::Approx(64.0 / 67));
  }

  TEST_CASE("in whatever steps, the same bytes") {
    Learning one = made(four_stages(), small());
    Learning other = made(four_stages(), small());
    CHECK(one.total() == 5ULL * 2 * 2 * 64);
    while (!one.step(7)) {
    }
    CHECK(other.step(1'000'000));
    CHECK(one.done() == one.total());
    CHECK(one.json(-1) == other.json(-1));
    CHECK(one.csv() == other.csv());
    REQUIRE(one.cases().size() == 10);
    // Rates outermost.
    CHECK(one.cases()[4].rate == 0.01);
    CHECK(one.cases()[5].rate == 0.02);
    for (const LearnedCase& c : one.cases()) {
      CHECK(c.seeds.size() == 2);
      CHECK(c.mean().has_value());
      // 16, 32, 48 and 64 microbatches of 8 samples.
      CHECK(c.seeds.front().curve.size() == 4);
      CHECK(c.seeds.front().curve.back().samples == 512);
    }
  }

  TEST_CASE("the time to a target is read off the mean curve between two points") {
    Learning job = made(four_stages(), small());
    job.step(1'000'000);
    const LearnedCase& sync = job.cases()[0];
    const auto mean = [&](std::size_t point) {
      return (sync.seeds[0].curve[point].test + sync.seeds[1].curve[point].test) / 2;
    };
    REQUIRE(mean(2) < mean(1));
    const auto half = job.reached(sync, (mean(1) + mean(2)) / 2);
    REQUIRE(half.has_value());
    CHECK(half->microbatches == doctest::Approx(40));
    CHECK(half->ms == doctest::Approx(5 * 33));
    CHECK_FALSE(job.reached(sync, 0).has_value());
    // All arms reach the target that is set when none is asked for.
    for (const LearnedCase& c : job.cases())
      if (c.diverged() == 0) CHECK(job.reached(c, *job.target()).has_value());
  }

  TEST_CASE("what a schedule cannot run is said, and the others go on") {
    LearnRequest request = small();
    request.schedules = {"{name: amdp, rounds: 3}", "no_such", "paci"};
    request.rates = {};
    Learning job = made(four_stages(), request);
    CHECK(job.arms()[1].refused.find("ranks x rounds") != std::string::npos);
    CHECK(job.arms()[2].refused.find("no_such") != std::string::npos);
    CHECK(job.arms()[3].refused.empty());
    job.step(1'000'000);
    CHECK(job.cases().size() == 2);
  }

  TEST_CASE("requests and scenarios that make no sense are refused") {
    const auto refused = [](LearnRequest request, const std::string& text) {
      const auto job = Learning::make(text, {}, std::move(request));
      REQUIRE_FALSE(job.ok());
      return job.diagnostics().front().code;
    };
    LearnRequest request = small();
    request.seeds = 0;
    CHECK(refused(request, four_stages()) == Code::ValueRange);
    request = small();
    request.rates = {0.1, -1};
    CHECK(refused(request, four_stages()) == Code::ValueRange);
    request = small();
    request.microbatches = 0;
    CHECK(refused(request, four_stages()) == Code::ValueRange);
    CHECK(refused(small(), "simulation: {}\n") == Code::KeyMissing);
  }

  TEST_CASE("a rate that is too large diverges, and is not called stable") {
    LearnRequest request = small();
    request.schedules = {};
    request.rates = {0.01, 50};
    request.microbatches = 512;
    Learning job = made(four_stages(), request);
    while (!job.step(100)) {
    }
    CHECK(job.done() == job.total());
    CHECK(job.cases()[1].diverged() == 2);
    CHECK_FALSE(job.cases()[1].mean().has_value());
    CHECK(job.stable_rate(0) == 0.01);
  }
}

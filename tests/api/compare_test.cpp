// Every schedule that can run a scenario, side by side.
#include "api/compare.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

ScenarioText scenario(const std::string& schedule, int p, int m) {
  ScenarioText s;
  s.schedule = schedule;
  s.microbatches = m;
  s.stages = sluice_test::equal_stages(p);
  s.simulation = "  transfers: latency\n";
  return s;
}

}  // namespace

TEST_SUITE("api/compare") {
  TEST_CASE("every schedule is there: ranked, or with the reason why not") {
    auto made = Comparison::make(scenario("1f1b", 3, 9).text());
    REQUIRE(made.ok());
    Comparison& job = made.value();
    CHECK(job.total() > 25);
    while (!job.step(1)) {
    }
    const auto rows = job.ranked();
    CHECK(rows.size() == job.total());
    int current = 0;
    Duration last;
    bool refused = false;
    for (const ComparedSchedule& row : rows) {
      current += row.current ? 1 : 0;
      if (!row.reason.empty()) {
        refused = true;
        continue;
      }
      CHECK_FALSE(refused);
      CHECK(row.makespan >= last);
      last = row.makespan;
      if (row.name == "gpipe") CHECK(to_ms(row.makespan) == doctest::Approx((9 + 2) * 3));
      if (row.name == "gems") CHECK(row.weight_copies == 2);
    }
    CHECK(current == 1);
    // Three ranks have no two equal halves.
    const auto dualpipe = std::find_if(rows.begin(), rows.end(),
                                       [](const auto& row) { return row.name == "dualpipe"; });
    REQUIRE(dualpipe != rows.end());
    CHECK(dualpipe->reason.find("ranks must be even") != std::string::npos);
  }
  TEST_CASE("step(1) n times equals step(n), and a schedule of one's own is one of the rows") {
    const std::string text = scenario("{name: interleaved_1f1b, chunks: 4}", 4, 8).text();
    auto a = Comparison::make(text);
    auto b = Comparison::make(text);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    while (!a.value().step(1)) {
    }
    CHECK(b.value().step(1000));
    CHECK(a.value().json() == b.value().json());
    for (const ComparedSchedule& row : a.value().ranked()) {
      if (!row.current) continue;
      CHECK(row.name == "interleaved_1f1b");
      CHECK(to_ms(row.makespan) == doctest::Approx((8 * 4 + 3) * 0.75));
    }
    auto own = Comparison::make(scenario("{order: ['F0@0 B0@0', 'F0@1 B0@1']}", 2, 1).text());
    REQUIRE(own.ok());
    CHECK(own.value().step(1000));
    const auto rows = own.value().ranked();
    CHECK(std::count_if(rows.begin(), rows.end(), [](const auto& row) {
            return row.current && row.name == "as written";
          }) == 1);
  }
  TEST_CASE("a schedule that cannot run here does not keep the others from being compared") {
    auto made = Comparison::make(scenario("dualpipe", 3, 4).text());
    REQUIRE(made.ok());
    while (!made.value().step(5)) {
    }
    const auto rows = made.value().ranked();
    const auto own =
        std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.current; });
    REQUIRE(own != rows.end());
    CHECK(own->name == "dualpipe");
    CHECK_FALSE(own->reason.empty());
    CHECK_FALSE(Comparison::make("pipeline: 3\n").ok());
  }
}

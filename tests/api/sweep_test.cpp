// Sweeps: which points there are and in which order, what a failing one becomes, and steps.
#include "api/sweep.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "api/run.hpp"
#include "io/json.hpp"
#include "io/texts.hpp"
#include "trace/trace.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

Sweep sweep_of(const std::vector<std::string>& axes, std::int64_t seeds = 1,
               std::string_view text = kGood) {
  SweepRequest request;
  request.text = text;
  request.seeds = seeds;
  for (const std::string& axis : axes) {
    const auto parsed = parse_axis(axis);
    REQUIRE_MESSAGE(parsed.has_value(), axis);
    request.axes.push_back(*parsed);
  }
  Result<Sweep> sweep = Sweep::make(request);
  REQUIRE_MESSAGE(sweep.ok(), (sweep.ok() ? "" : listing(sweep.diagnostics())));
  return std::move(sweep).value();
}

/// The rows of a CSV without quotes, header line included, the comment line not.
std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ',') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    rows.push_back(fields);
  }
  return rows;
}

using Values = std::vector<std::string>;

}  // namespace

TEST_SUITE("api/sweep") {
  TEST_CASE("ranges include their end, and their values are the ones that were meant") {
    CHECK(parse_axis("p=0:1:0.1")->values ==
          Values{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"});
    CHECK(parse_axis("p=1:8:1")->values == Values{"1", "2", "3", "4", "5", "6", "7", "8"});
    CHECK(parse_axis("p=1:8:3")->values == Values{"1", "4", "7"});
    CHECK(parse_axis("p=5:5:1")->values == Values{"5"});
    CHECK(parse_axis("p=-1:1:1")->values == Values{"-1", "0", "1"});
    CHECK(parse_axis("p=1e-3:3e-3:1e-3")->values == Values{"0.001", "0.002", "0.003"});
    CHECK(parse_axis("a.b[2].c=1:2:0.5")->path == "a.b[2].c");
  }

  TEST_CASE("lists are YAML values between commas that stand in no bracket or quote") {
    CHECK(parse_axis("p=1f1b,gpipe")->values == Values{"1f1b", "gpipe"});
    CHECK(parse_axis("p=[1,2],{a: 1, b: 2},3")->values == Values{"[1,2]", "{a: 1, b: 2}", "3"});
    CHECK(parse_axis("p='a,b',\"c,d\"")->values == Values{"'a,b'", "\"c,d\""});
    CHECK(parse_axis("p=a=b")->values == Values{"a=b"});
    CHECK(parse_axis("p=1:2")->values == Values{"1:2"});
  }

  TEST_CASE("axes that are neither are refused, impossible ranges too") {
    for (const char* text : {"", "p", "=1", "p=", "p=1,,2", "p=1,", "p=2:1:1", "p=1:2:0",
                             "p=1:2:-1", "p=0:1:1e-9", "p=0:1e300:1"}) {
      CAPTURE(std::string(text));
      CHECK(!parse_axis(text).has_value());
    }
  }

  TEST_CASE("the last axis varies faster than the first, the seed faster than both") {
    Sweep sweep = sweep_of({"pipeline.schedule=1f1b,gpipe", "simulation.microbatches=2,3,4"}, 2);
    CHECK(sweep.total() == 12);
    CHECK(sweep.step(100));
    CHECK(sweep.done() == 12);
    CHECK(sweep.failed() == 0);
    const auto rows = rows_of(sweep.csv());
    REQUIRE(rows.size() == 13);
    CHECK(rows[0][0] == "index");
    CHECK(rows[0][1] == "pipeline.schedule");
    CHECK(rows[0][2] == "simulation.microbatches");
    CHECK(rows[0][3] == "seed");
    CHECK(rows[0].back() == "problem");
    const Values schedules{"1f1b", "gpipe"};
    std::size_t row = 1;
    for (const std::string& schedule : schedules) {
      for (const char* m : {"2", "3", "4"}) {
        for (const char* seed : {"1", "2"}) {
          CHECK(rows[row][0] == std::to_string(row - 1));
          CHECK(rows[row][1] == schedule);
          CHECK(rows[row][2] == m);
          CHECK(rows[row][3] == seed);
          ++row;
        }
      }
    }
  }

  TEST_CASE("a row is the run with the values set") {
    Sweep sweep = sweep_of({"pipeline.stages[0].compute.distribution=5,20"});
    CHECK(sweep.step(2));
    const auto rows = rows_of(sweep.csv());
    for (std::size_t i = 0; i < 2; ++i) {
      const auto run =
          simulate(kGood, {{"pipeline.stages[0].compute.distribution", i == 0 ? "5" : "20"}});
      REQUIRE(run.ok());
      CHECK(rows[i + 1][3] == Json(to_ms(run.value()->summary().makespan)).dump());
      CHECK(rows[i + 1][rows[0].size() - 2] == hash_text_of(run.value()->trace_hash()));
    }
  }

  TEST_CASE("a point that cannot run has a row that says why, and the others run") {
    Sweep sweep = sweep_of({"simulation.microbatches=2,0,many,3,1e9"});
    CHECK(sweep.step(10));
    CHECK(sweep.total() == 5);
    CHECK(sweep.failed() == 3);
    std::vector<std::string> lines;
    std::istringstream stream(sweep.csv());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    REQUIRE(lines.size() == 7);
    CHECK(lines[3].find("[value.range]") != std::string::npos);
    CHECK(lines[4].find("[type.number]") != std::string::npos);
    CHECK(lines[6].find("[limit.microbatches]") != std::string::npos);
    CHECK(lines[5].find('[') == std::string::npos);
    const Json json = Json::parse(sweep.json());
    REQUIRE(json.size() == 5);
    CHECK(json[0].contains("makespan_ms"));
    CHECK(!json[0].contains("problem"));
    CHECK(json[1].contains("problem"));
    CHECK(!json[1].contains("makespan_ms"));
    CHECK(json[3]["over"]["simulation.microbatches"] == "3");
  }

  TEST_CASE("the header carries the hash of the scenario without the axes' values") {
    Sweep sweep = sweep_of({"simulation.microbatches=2,3"});
    const auto loaded = load_scenario(kGood);
    REQUIRE(loaded.ok());
    CHECK(sweep.csv().starts_with("# sluice sweep " + hash_text_of(loaded.value().scenario_hash) +
                                  "\n"));
    CHECK(sweep_of({"simulation.microbatches=2,3"}, 1, changed(kGood, {{"seed: 1", "seed: 2"}}))
              .csv()
              .substr(0, 31) != sweep.csv().substr(0, 31));
  }

  TEST_CASE("steps of one give the same bytes as one large step") {
    Sweep one = sweep_of({"simulation.microbatches=1:6:1", "pipeline.schedule=1f1b,nonsense"}, 2);
    Sweep all = sweep_of({"simulation.microbatches=1:6:1", "pipeline.schedule=1f1b,nonsense"}, 2);
    std::uint64_t steps = 0;
    while (!one.step(1)) {
      ++steps;
      CHECK(one.done() == steps);
    }
    CHECK(all.step(1'000'000));
    CHECK(one.csv() == all.csv());
    CHECK(one.json() == all.json());
    CHECK(one.step(1));
    CHECK(one.done() == one.total());
  }

  TEST_CASE("parts, one after the other, are the whole: its CSV and the indices of its rows") {
    const Values axes{"pipeline.schedule=1f1b,gpipe", "simulation.microbatches=2,0,4"};
    Sweep whole = sweep_of(axes, 2);
    CHECK(whole.step(100));
    std::string joined;
    for (const auto& [first, last] : {std::pair{0U, 1U}, {1U, 7U}, {7U, 100U}}) {
      SweepRequest request;
      request.text = kGood;
      request.seeds = 2;
      for (const std::string& axis : axes) request.axes.push_back(*parse_axis(axis));
      Result<Sweep> part = Sweep::make(request, first, last);
      REQUIRE(part.ok());
      while (!part.value().step(1)) {
      }
      joined += part.value().csv();
      CHECK(part.value().total() == 12);
      CHECK(Json::parse(part.value().json()).front()["index"] == first);
    }
    CHECK(joined == whole.csv());
  }

  TEST_CASE("an axis over the seed is left alone") {
    Sweep sweep = sweep_of({"simulation.seed=7,9"});
    CHECK(sweep.step(2));
    const auto rows = rows_of(sweep.csv());
    CHECK(rows[1][1] == "7");
    CHECK(rows[2][1] == "9");
    CHECK(rows[1][2].empty());
  }

  TEST_CASE("too many points and a wrong scenario are refused before anything runs") {
    SweepRequest request;
    request.text = kGood;
    request.axes = {*parse_axis("simulation.seed=1:1000:1"),
                    *parse_axis("simulation.microbatches=1:1001:1")};
    const Result<Sweep> large = Sweep::make(request);
    REQUIRE(!large.ok());
    CHECK(large.diagnostics().front().code == Code::LimitOperations);
    request.text = "simulation: {}";
    const Result<Sweep> wrong = Sweep::make(request);
    REQUIRE(!wrong.ok());
    CHECK(wrong.diagnostics().front().code == Code::KeyMissing);
  }

  TEST_CASE("no axis is one point") {
    Sweep sweep = sweep_of({});
    CHECK(sweep.total() == 1);
    CHECK(sweep.step(1));
    CHECK(rows_of(sweep.csv()).size() == 2);
  }
}

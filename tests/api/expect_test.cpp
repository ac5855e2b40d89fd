// `expect:`: what a scenario says of its own summary, held against it.
#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "io/refused.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

using RunPtr = std::shared_ptr<const Run>;

// Two stages of 10 + 20 ms, four microbatches, links of no matter: (4 + 2 - 1) * 30 = 150 ms, of
// which a stage works 120.
std::string pipeline(const std::string& expect) {
  return changed(kGood, {{"interconnect: {same_node: nvlink3}",
                          "links: [{default: true, bandwidth_GBps: 1000000}]"},
                         {"", "expect:\n" + expect}});
}

RunPtr run_of(const std::string& text) {
  const Result<RunPtr> run = simulate(text);
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : listing(run.diagnostics()) + text));
  return run.value();
}

bool holds(const std::string& expectation) {
  return run_of(pipeline("  - " + expectation + "\n"))->unmet_expectations().empty();
}

}  // namespace

TEST_SUITE("api/expect") {
  TEST_CASE("a value holds to within its tolerance, without one to within a millionth") {
    CHECK(holds("{path: time_ms.makespan_ms, value: 150}"));
    CHECK(holds("{path: time_ms.makespan_ms, value: 150.0001}"));
    CHECK(!holds("{path: time_ms.makespan_ms, value: 150.001}"));
    CHECK(holds("{path: time_ms.makespan_ms, value: 151, tolerance: 1.5}"));
    CHECK(!holds("{path: time_ms.makespan_ms, value: 151, tolerance: 0.5}"));
    CHECK(holds("{path: failures.count, value: 0}"));
  }

  TEST_CASE("bounds are inclusive") {
    CHECK(holds("{path: time_ms.compute_ms, at_most: 240}"));
    CHECK(holds("{path: time_ms.compute_ms, at_least: 240}"));
    CHECK(!holds("{path: time_ms.compute_ms, at_most: 239.9}"));
    CHECK(!holds("{path: time_ms.compute_ms, at_least: 240.1}"));
  }

  TEST_CASE("paths lead through lists and names, and true counts as 1") {
    CHECK(holds("{path: 'peak_in_flight.until_W[0]', value: 2}"));
    CHECK(holds("{path: 'peak_in_flight.until_W[1]', value: 1}"));
    CHECK(holds("{path: 'utilization.per_device[a]', value: 0.8, tolerance: 0.00001}"));
    CHECK(holds("{path: utilization.per_stage.1, value: 0.8, tolerance: 0.00001}"));
    CHECK(holds("{path: 'utilization.per_link.a->b', at_most: 0.001}"));
    CHECK(holds("{path: fits, value: 1}"));
    CHECK(!holds("{path: fits, at_most: 0}"));
  }

  TEST_CASE("what fails is told with its place, what was expected and what came") {
    const RunPtr run =
        run_of(pipeline("  - {path: bubble.span, at_least: 0}\n"
                        "  - {path: time_ms.compute_ms, at_most: 200}\n"));
    const Diagnostics unmet = run->unmet_expectations();
    REQUIRE(unmet.size() == 1);
    CHECK(unmet[0].code == Code::ExpectFailed);
    CHECK(unmet[0].severity == Severity::Warning);
    CHECK(unmet[0].path == "expect[1]");
    CHECK(unmet[0].message == "`time_ms.compute_ms` is 240; expected is at most 200");
    // kGood has 18 lines; `expect:` is the 19th.
    CHECK(unmet[0].line == 21);
    CHECK(unmet[0].column == 5);
  }

  TEST_CASE("a path that leads to no number fails, with the nearest name") {
    for (const char* path :
         {"bubble.idle_over_makespam", "bubble", "bubble.span.more", "top_gaps[99].idle_ms",
          "physics", "mfu", "[0]", "a..b", "bubble[0]", "top_gaps.first"}) {
      CAPTURE(std::string(path));
      const RunPtr run = run_of(pipeline("  - {path: '" + std::string(path) + "', value: 0}\n"));
      const Diagnostics unmet = run->unmet_expectations();
      REQUIRE(unmet.size() == 1);
      CHECK(unmet[0].code == Code::ExpectPath);
      CHECK(unmet[0].path == "expect[0].path");
      const bool misspelt = std::string(path) == "bubble.idle_over_makespam";
      CHECK(unmet[0].hint == (misspelt ? "did you mean \"idle_over_makespan\"?" : ""));
    }
  }

  TEST_CASE("the summary lists expectations with what was found, and warns of those that fail") {
    const RunPtr run =
        run_of(pipeline("  - {path: time_ms.compute_ms, value: 200, tolerance: 1}\n"
                        "  - {path: time_ms.compute_ms, at_most: 240}\n"
                        "  - {path: nothing, at_least: 1}\n"));
    const auto summary = nlohmann::json::parse(run->summary_json());
    CHECK(summary["expectations"] == nlohmann::json::parse(R"([
      {"path": "time_ms.compute_ms", "value": 200.0, "tolerance": 1.0, "found": 240.0,
       "passed": false},
      {"path": "time_ms.compute_ms", "at_most": 240.0, "found": 240.0, "passed": true},
      {"path": "nothing", "at_least": 1.0, "found": null, "passed": false}])"));
    std::vector<std::string> codes;
    for (const auto& d : summary["diagnostics"]) codes.push_back(d["code"]);
    CHECK(codes == std::vector<std::string>{"expect.failed", "expect.path"});
    const auto plain = nlohmann::json::parse(run_of(std::string(kGood))->summary_json());
    CHECK(plain["expectations"].empty());
  }

  TEST_CASE("expectations do not change the run") {
    const RunPtr with = run_of(pipeline("  - {path: fits, value: 7}\n"));
    const RunPtr without = run_of(pipeline("  []\n"));
    CHECK(with->trace_hash() == without->trace_hash());
    CHECK(with->feasible());
  }

  TEST_CASE("an expectation is one path and one of value, at_most and at_least") {
    const auto refused = [](const char* what, const std::string& entry, Code code,
                            const std::string& path) {
      check_refused(what, pipeline("  - " + entry + "\n"), code, path);
    };
    refused("no bound", "@{path: fits}", Code::KeyMissing, "expect[0]");
    refused("no path", "@{value: 1}", Code::KeyMissing, "expect[0].path");
    refused("two bounds", "{path: fits, value: 1, @at_most: 1}", Code::KeyConflict,
            "expect[0].at_most");
    refused("text", "{path: fits, value: @yes}", Code::TypeNumber, "expect[0].value");
    refused("negative tolerance", "{path: fits, value: 1, tolerance: @-1}", Code::ValueRange,
            "expect[0].tolerance");
    refused("tolerance of a bound", "{path: fits, at_most: 1, @tolerance: 1}", Code::KeyUnknown,
            "expect[0].tolerance");
    check_refused("misspelt", pipeline("  - {path: fits, @at_mots: 1, value: 1}\n"),
                  Code::KeyUnknown, "expect[0].at_mots", "at_most");
    check_refused("no list", changed(kGood, {{"", "expect: @{path: fits, value: 1}\n"}}),
                  Code::TypeList, "expect");
  }

  TEST_CASE("every example expects something of itself, and it comes") {
    for (const std::string& file : example_files()) {
      CAPTURE(file);
      const RunPtr run = run_of(read_text(source_path(file)));
      CHECK(!run->loaded().scenario.expect.empty());
      CHECK(listing(run->unmet_expectations()) == "");
    }
  }
}

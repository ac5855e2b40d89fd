// Loading and playing as a whole: titles, hashes, steps, and what a run says of itself.
#include "api/run.hpp"
#include "api/draft.hpp"

#include <doctest/doctest.h>

#include <string>

#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

TEST_SUITE("api/run") {
  TEST_CASE("the title is the comment in the first lines") {
    CHECK(title_of("# title: Two stages\nsimulation:\n") == "Two stages");
    CHECK(title_of("# level: one\n#\n# title:   spaced  \r\n") == "spaced");
    CHECK(title_of("\xEF\xBB\xBF# title: marked\n") == "marked");
    CHECK(title_of("simulation:\n") == "");
    CHECK(title_of(repeated("#\n", 20) + "# title: late") == "");
    CHECK(title_of("") == "");
    CHECK(title_of("# title:") == "");
  }

  TEST_CASE("the hash of a scenario does not depend on how it is written") {
    const auto hash = [](const std::string& text) {
      const Result<Loaded> loaded = load_scenario(text);
      REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : listing(loaded.diagnostics())));
      return loaded.value().scenario_hash;
    };
    const std::uint64_t plain = hash(std::string(kGood));
    CHECK(hash("# a comment\n" + std::string(kGood)) == plain);
    CHECK(hash(changed(kGood, {{"seed: 1", "seed: 1e0\n  batches: 1"}})) == plain);
    CHECK(hash(changed(kGood, {{"distribution: 10",
                                "distribution: {type: constant, value: 10.0}"}})) == plain);
    CHECK(hash(changed(kGood, {{"seed: 1", "seed: 2"}})) != plain);
    CHECK(hash(changed(kGood, {{"\n", "\r\n"}})) == plain);
  }

  TEST_CASE("steps of one event give the same run as one large step") {
    for (const char* file :
         {"examples/jitter.yaml", "examples/failures.yaml", "examples/policy.yaml"}) {
      CAPTURE(std::string(file));
      const std::string text = read_text(source_path(file));
      Result<Loaded> loaded = load_scenario(text);
      REQUIRE(loaded.ok());
      Simulation slow(std::move(loaded).value());
      std::uint64_t before = 0;
      while (!slow.step(1)) {
        CHECK(slow.done() >= before);
        CHECK(slow.done() < slow.total());
        before = slow.done();
      }
      CHECK(slow.done() == slow.total());
      const auto small = slow.finish();
      const auto large = simulate(text);
      REQUIRE(small.ok());
      REQUIRE(large.ok());
      CHECK(small.value()->trace_hash() == large.value()->trace_hash());
      CHECK(small.value()->summary_json() == large.value()->summary_json());
      CHECK(small.value()->trace_csv() == large.value()->trace_csv());
    }
  }

  TEST_CASE("a deadlock is told with its place, not as a throw") {
    const std::string text = changed(
        kGood, {{"schedule: 1f1b", "schedule: {policy: {rules: ['forwards >= 100: B', F]}}"}});
    const auto run = simulate(text);
    REQUIRE(!run.ok());
    const Diagnostic& d = run.diagnostics().front();
    CHECK(d.code == Code::OrderDeadlock);
    CHECK(d.line >= 1);
  }

  TEST_CASE("what does not fit is a warning, and infeasible only when it is enforced") {
    const std::string heavy = changed(kGood, {{"weights_mb: 100", "weights_mb: 1e6"}});
    const auto warned = simulate(heavy);
    REQUIRE(warned.ok());
    CHECK(!warned.value()->summary().fits);
    CHECK(warned.value()->feasible());
    const auto enforced = simulate(heavy, {{"simulation.options.capacity", "enforce"}});
    REQUIRE(enforced.ok());
    CHECK(!enforced.value()->feasible());
    const auto check = [](const Run& run, Severity severity) {
      const Diagnostics& found = run.diagnostics();
      REQUIRE(found.size() == 1);
      CHECK(found[0].code == Code::CapacityExceeded);
      CHECK(found[0].severity == severity);
      CHECK(found[0].path == "hardware.devices[0]");
      CHECK(found[0].line == 16);
    };
    check(*warned.value(), Severity::Warning);
    check(*enforced.value(), Severity::Error);
  }
}

// One scenario in two physics: the ends are the two bundles, and nothing is left between the steps.
#include "api/physics_split.hpp"

#include <doctest/doctest.h>

#include <string>

#include "api/run.hpp"
#include "files.hpp"
#include "support.hpp"

using namespace sluice;

namespace {

std::string example(const std::string& name) {
  return sluice_test::read_text(sluice_test::source_path("examples/hops/" + name + ".yaml"));
}

Duration makespan(const std::string& text, const char* physics) {
  const auto run =
      simulate(text, {{"simulation.physics", physics}, {"simulation.options.capacity", "warn"}});
  REQUIRE(run.ok());
  return run.value()->summary().makespan;
}

}  // namespace

TEST_SUITE("api/physics_split") {
  TEST_CASE("it begins with one bundle and ends with the other") {
    for (const char* name : {"default", "dgx_a100", "analytical_example", "single_node_4gpu"}) {
      CAPTURE(name);
      const std::string text = example(name);
      const auto steps = split_physics(text, {});
      REQUIRE(steps.ok());
      CHECK(steps.value().size() == 9);
      CHECK(steps.value().front().option.empty());
      CHECK(steps.value().front().makespan.ps == makespan(text, "hops").ps);
      CHECK(steps.value().back().option == "units");
      CHECK(steps.value().back().makespan.ps == makespan(text, "sluice").ps);
    }
  }
  TEST_CASE("an option that is set stays as it is") {
    const auto steps =
        split_physics(example("dgx_a100"), {{"simulation.options.policies", "hops"}});
    REQUIRE(steps.ok());
    CHECK(steps.value().size() == 8);
    for (const PhysicsStep& s : steps.value()) CHECK(s.option != "policies");
  }
  TEST_CASE("what is wrong with the scenario is said") {
    const auto steps = split_physics("simulation: {microbatches: many}\n", {});
    REQUIRE_FALSE(steps.ok());
    CHECK(steps.diagnostics().front().line > 0);
  }
}

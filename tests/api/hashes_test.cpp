// One hash an example: the same on every compiler, platform and browser, and from version to
// version.
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "api/run.hpp"
#include "files.hpp"
#include "support.hpp"
#include "trace/trace.hpp"

using namespace sluice;

TEST_SUITE("api/hashes") {
  TEST_CASE("every example has the trace hash that tests/data/hashes.csv says") {
    // A hash that changes must be explained where it is changed: it says that the simulation does
    // something else.
    std::string written;
    for (const auto& row :
         sluice_test::read_csv(sluice_test::source_path("tests/data/hashes.csv"))) {
      INFO(row.at(0));
      const auto run = simulate(sluice_test::read_text(sluice_test::source_path(row.at(0))));
      REQUIRE(run.ok());
      const std::string hash = hash_text_of(run.value()->trace_hash());
      CHECK(hash == row.at(1));
      written += row.at(0) + " " + hash + "\n";
    }
    if (const auto file = sluice_test::environment("SLUICE_HASH_FILE")) {
      std::ofstream out(*file, std::ios::binary);
      out << written;
    }
  }
}

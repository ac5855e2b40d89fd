#include "learn/table_needs.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "learn/arms.hpp"

using namespace sluice;
using namespace sluice_test;
using learn::table_needs;

namespace {

std::string refused(const VersionTable& table) {
  const auto result = table_needs(table);
  return result.ok() ? "" : result.diagnostics()[0].path;
}

}  // namespace

TEST_SUITE("learn/table_needs") {
  TEST_CASE("held are the versions from the oldest still read to the one being made") {
    CHECK(table_needs(sync(3, 24, 8)).value().depth == std::vector<std::uint32_t>{2, 2, 2});
    // PipeDream's stage s is D-1-s updates behind: so many versions more.
    CHECK(table_needs(pipedream(4, 24, true)).value().depth ==
          std::vector<std::uint32_t>{5, 4, 3, 2});
    CHECK(table_needs(two_buffers(2, 24, 4)).value().depth == std::vector<std::uint32_t>{3, 3});
    CHECK(table_needs(paci(4, 24, 1)).value().depth ==
          table_needs(pipedream(4, 24, true)).value().depth);
    CHECK(table_needs(paci(4, 24, 3)).value().depth == std::vector<std::uint32_t>{3, 3, 3, 2});
  }
  TEST_CASE("the delay is the mean number of updates that a forward does not know of") {
    CHECK(table_needs(sync(2, 24, 8)).value().delay == std::vector<double>{0, 0});
    CHECK(table_needs(two_buffers(1, 32, 4)).value().delay == std::vector<double>{0.875});
    // 40 microbatches, the first 3 less behind: (0 + 1 + 2 + 37 * 3) / 40.
    CHECK(table_needs(pipedream(4, 40, false)).value().delay[0] == doctest::Approx(2.85));
  }
  TEST_CASE("tables that no run can have are refused") {
    CHECK(refused(VersionTable{}) == "versions");
    VersionTable t = sync(2, 8, 4);
    CHECK(refused(t).empty());
    t.update.pop_back();
    CHECK(refused(t) == "versions");
    t = sync(2, 8, 4);
    t.forward[5] = 1;
    CHECK(refused(t) == "versions.forward[5]");
    t = sync(2, 8, 4);
    t.backward[7] = 9;
    CHECK(refused(t) == "versions.backward[7]");
    t = sync(2, 8, 4);
    for (std::uint32_t& u : t.update) ++u;
    CHECK(refused(t) == "versions.update[0]");
    t = sync(2, 8, 4);
    t.update[15] = 0;
    CHECK(refused(t) == "versions.update[15]");
    t = sync(2, 8, 4);
    for (std::size_t at = 8; at < 16; ++at) t.update[at] = 2;
    CHECK(refused(t) == "versions.update[8]");
  }
}

#include "base/diagnostics.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace sluice;

TEST_SUITE("base/diagnostics") {
  TEST_CASE("the nearest name is found by edit distance, and a far one is not offered") {
    const std::vector<std::string> names{"microbatches", "batches", "seed"};
    CHECK(nearest("microbatchs", names) == "microbatches");
    CHECK(nearest("sead", names) == "seed");
    CHECK(nearest("SEED", names) == "seed");
    CHECK(nearest("hardware", names).empty());
    CHECK(nearest("", names).empty());
    CHECK(nearest(std::string(1000, 'x'), names).empty());
  }
  TEST_CASE("places sort by line, then column, errors first") {
    Diagnostics all(4);
    all[0].line = 2, all[0].column = 1, all[0].severity = Severity::Warning;
    all[1].line = 2, all[1].column = 1, all[1].severity = Severity::Error;
    all[2].line = 1, all[2].column = 9;
    all[3].line = 2, all[3].column = 0;
    sort_by_place(all);
    CHECK(all[0].line == 1);
    CHECK(all[1].column == 0);
    CHECK(all[2].severity == Severity::Error);
    CHECK(all[3].severity == Severity::Warning);
  }
  TEST_CASE("every code has a text of its own") {
    std::set<std::string> texts;
    for (int i = 0; i <= static_cast<int>(Code::ExpectFailed); ++i) {
      const std::string text(code_text(static_cast<Code>(i)));
      CHECK(text != "internal");
      CHECK(texts.insert(text).second);
    }
  }
}

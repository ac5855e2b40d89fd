// The files of tests/data/bad: each says in its last line how it must be refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "api/load.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

TEST_SUITE("io/bad_files") {
  TEST_CASE("every file of tests/data/bad is refused as its last line says") {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/data/bad"))) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
    std::stable_sort(files.begin(), files.end());
    CHECK(files.size() >= 10);
    for (const std::string& file : files) {
      CAPTURE(file);
      const std::string text = read_text(file);
      const std::string mark = "# expect: ";
      const std::size_t at = text.rfind(mark);
      REQUIRE(at != std::string::npos);
      const std::string expected =
          text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
      const double began = seconds_now();
      const Result<Loaded> loaded = load_scenario(text);
      CHECK(seconds_now() - began < patience_seconds());
      REQUIRE(!loaded.ok());
      const Diagnostic& d = loaded.diagnostics().front();
      CHECK(std::to_string(d.line) + ":" + std::to_string(d.column) + " " +
                std::string(code_text(d.code)) + (d.path.empty() ? "" : " " + d.path) ==
            expected);
    }
  }
}

// The embedded copy of presets/ equals the files it was made from.
#include "io/embedded.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

TEST_SUITE("io/embedded") {
  TEST_CASE("every embedded preset equals its file, byte for byte") {
    for (const auto& file : sluice::embedded_presets()) {
      CAPTURE(file.name);
      std::ifstream in(std::string(SLUICE_SOURCE_DIR "/presets/") + std::string(file.name),
                       std::ios::binary);
      REQUIRE(in.good());
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      CHECK(text == file.text);
    }
  }

  TEST_CASE("embedded presets are sorted by name") {
    const auto files = sluice::embedded_presets();
    CHECK(std::is_sorted(files.begin(), files.end(),
                         [](const auto& a, const auto& b) { return a.name < b.name; }));
  }
}

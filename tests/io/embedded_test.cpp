// The embedded copy of presets/ equals the files it was made from.
#include "io/embedded.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>

TEST_SUITE("io/embedded") {
  TEST_CASE("every line of a preset is embedded but comments, and of models remarks") {
    for (const auto& file : sluice::embedded_presets()) {
      CAPTURE(file.name);
      std::ifstream in(std::string(SLUICE_SOURCE_DIR "/presets/") + std::string(file.name));
      REQUIRE(in.good());
      std::string want;
      for (std::string line; std::getline(in, line);) {
        const std::string_view key =
            std::string_view(line).substr(std::min(line.find_first_not_of(' '), line.size()));
        bool left_out = key.empty() || key.front() == '#';
        if (file.name == "models.yaml") {
          for (const char* word :
               {"title:", "source:", "uncertain:", "notes:", "params_B:", "active_B:"})
            left_out = left_out || key.starts_with(word);
        }
        if (!left_out) want += line + "\n";
      }
      CHECK(file.text == want);
    }
  }

  TEST_CASE("embedded presets are sorted by name") {
    const auto files = sluice::embedded_presets();
    CHECK(std::is_sorted(files.begin(), files.end(),
                         [](const auto& a, const auto& b) { return a.name < b.name; }));
  }
}

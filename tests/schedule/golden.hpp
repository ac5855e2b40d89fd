// The reference orders in tests/data/schedules, and scenarios that play them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "files.hpp"
#include "scenario_text.hpp"
#include "support.hpp"

namespace sluice_test {

/// "1", "1/3", or "1|2|.." one each.
inline std::vector<double> listed_numbers(const std::string& text) {
  std::vector<double> out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t slash = part.find('/');
    out.push_back(slash == std::string::npos
                      ? std::stod(part)
                      : std::stod(part.substr(0, slash)) / std::stod(part.substr(slash + 1)));
    begin = end + 1;
  }
  return out;
}

struct GoldenOrder {
  nlohmann::json json;
  std::string id;
  std::string schedule;
  int ranks = 0;
  int microbatches = 0;
  /// Stages of one pipe on each rank, and slices: what one entry's time is divided by.
  int parts = 1;
  int slices = 1;
  std::vector<std::string> order;

  /// The scenario whose stages take the times of the file, but for `schedule`.
  [[nodiscard]] ScenarioText scenario() const {
    const nlohmann::json& times = json["times"];
    const auto of = [&](const char* key, std::size_t rank) {
      const std::vector<double> listed = listed_numbers(times[key]);
      return listed[listed.size() == 1 ? 0 : rank] * parts * slices;
    };
    ScenarioText s;
    s.microbatches = microbatches;
    // The executor's backward is I + W; the halves are in the ratio of the first stage.
    s.split = of("I", 0) / (of("I", 0) + of("W", 0));
    const bool cells = !times["FB"].get<std::string>().empty();
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r)
      s.stages.push_back({of("F", r), of("I", r) + of("W", r), cells ? of("FB", r) : 0});
    s.latency_us = 1000 * listed_numbers(times["comm"])[0];
    s.simulation = "  transfers: latency\n";
    return s;
  }

  /// Its order written out, as `pipeline.schedule`.
  [[nodiscard]] std::string as_explicit() const {
    std::string text = "\n    order:\n";
    for (const std::string& list : order) text += "      - \"" + list + "\"\n";
    text += "    placement:\n";
    // The files call a single pipe "0".
    for (const auto& [pipe, ranks_of_stages] : json["placement"].items()) {
      text += "      " + (pipe == "0" ? "down" : pipe) + ": " + ranks_of_stages.dump() + "\n";
    }
    return text;
  }
};

inline GoldenOrder golden_order(const std::filesystem::path& file) {
  GoldenOrder g;
  g.json = nlohmann::json::parse(read_text(file.string()));
  g.id = g.json["id"];
  g.schedule = g.json["schedule"];
  g.ranks = g.json["p"];
  g.microbatches = g.json["m"];
  g.order = g.json["order"].get<std::vector<std::string>>();
  g.slices = g.json["n_seq_splits"].is_null() ? 1 : g.json["n_seq_splits"].get<int>();
  const auto stages = g.json["placement"].begin().value().size();
  g.parts = static_cast<int>(stages) / g.ranks;
  return g;
}

inline std::vector<GoldenOrder> golden_orders() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_path("tests/data/schedules"))) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<GoldenOrder> out;
  for (const auto& file : files) out.push_back(golden_order(file));
  return out;
}

}  // namespace sluice_test

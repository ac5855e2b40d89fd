// The lessons: where they start the goal is not met, the solution meets it, and the numbers that
// their texts name are those of the engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

std::vector<std::string> lessons() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("examples/lessons"))) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::stable_sort(names.begin(), names.end());
  return names;
}

std::string file_of(const std::string& lesson, const std::string& file) {
  return read_text(source_path("examples/lessons/" + lesson + "/" + file));
}

std::shared_ptr<const Run> run_of(const std::string& text,
                                  const std::vector<Setting>& settings = {}) {
  const auto run = simulate(text, settings);
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : listing(run.diagnostics()) + text));
  return run.value();
}

/// Lines of the list under "## Goal".
std::size_t goal_lines(const std::string& text) {
  const std::size_t begin = text.find("## Goal\n");
  REQUIRE(begin != std::string::npos);
  const std::string part = text.substr(begin, text.find("\n## ", begin) - begin);
  std::size_t lines = 0;
  for (std::size_t at = part.find("\n- "); at != std::string::npos; at = part.find("\n- ", at + 1))
    ++lines;
  return lines;
}

/// A number of a lesson's text: of its start scenario with these settings.
struct Claim {
  std::string lesson;
  std::vector<Setting> settings;
  std::string path;
  double value;
  /// Half of the last digit that the text gives.
  double within;
};

constexpr const char* kStep = "/time_ms/makespan_ms";
constexpr const char* kBubble = "/bubble/idle_over_makespan";

}  // namespace

TEST_SUITE("api/lessons") {
  TEST_CASE("there are thirteen, and each names its conditions in words") {
    CHECK(lessons().size() == 13);
    for (const std::string& lesson : lessons()) {
      CAPTURE(lesson);
      const auto run = run_of(file_of(lesson, "start.yaml"));
      CHECK(run->loaded().scenario.expect.size() == goal_lines(file_of(lesson, "lesson.md")));
      const auto solved = run_of(file_of(lesson, "solution.yaml"));
      CHECK(solved->loaded().scenario.expect == run->loaded().scenario.expect);
    }
  }

  TEST_CASE("the start does not meet the goal, the solution does") {
    for (const std::string& lesson : lessons()) {
      CAPTURE(lesson);
      CHECK(!run_of(file_of(lesson, "start.yaml"))->unmet_expectations().empty());
      CHECK(listing(run_of(file_of(lesson, "solution.yaml"))->unmet_expectations()) == "");
    }
  }

  TEST_CASE("the numbers in the texts are those of the runs") {
    const Setting f1b{"pipeline.schedule", "1f1b"};
    const auto schedule = [](const char* name) { return Setting{"pipeline.schedule", name}; };
    const auto devices = [](const char* layers) { return Setting{"pipeline.partition", layers}; };
    const std::vector<Setting> even_stages{{"simulation.microbatches", "32"},
                                           {"pipeline.stages[0].compute.distribution", "1.25"},
                                           {"pipeline.stages[1].compute.distribution", "1.25"},
                                           {"pipeline.stages[2].compute.distribution", "1.25"},
                                           {"pipeline.stages[3].compute.distribution", "1.25"}};
    const Setting slower{"pipeline.stages[2].compute.distribution", "13"};
    const std::vector<Claim> claims{
        {"01_idle", {}, kStep, 210, 0.5},
        {"01_idle", {}, kBubble, 0.43, 0.005},
        {"01_idle", even_stages, kStep, 131, 0.5},
        {"01_idle", even_stages, kBubble, 0.086, 0.0005},
        {"02_gpipe", {}, "/memory/peak_per_device_mb/g3", 44 * 1024, 0.5},
        {"02_gpipe", {{"simulation.microbatches", "13"}}, kBubble, 0.188, 0.0005},
        {"02_gpipe",
         {{"simulation.microbatches", "13"}},
         "/memory/peak_per_device_mb/g0",
         38 * 1024,
         0.5},
        {"03_1f1b", {f1b, {"simulation.microbatches", "32"}}, kStep, 1050, 0.5},
        {"03_1f1b",
         {f1b, {"simulation.microbatches", "32"}},
         "/memory/peak_per_device_mb/g0",
         20 * 1024,
         0.5},
        {"03_1f1b", {{"simulation.microbatches", "32"}}, kStep, 1050, 0.5},
        {"03_1f1b",
         {{"simulation.microbatches", "32"}},
         "/memory/peak_per_device_mb/g0",
         76 * 1024,
         0.5},
        {"04_interleaving", {}, kBubble, 0.27, 0.005},
        {"04_interleaving", {}, "/communication/messages", 48, 0},
        {"04_interleaving",
         {schedule("{name: interleaved_1f1b, chunks: 2}")},
         kBubble,
         0.16,
         0.005},
        {"04_interleaving",
         {schedule("{name: interleaved_1f1b, chunks: 3}")},
         "/communication/messages",
         176,
         0},
        {"04_interleaving",
         {schedule("{name: interleaved_1f1b, chunks: 4}")},
         kBubble,
         0.086,
         0.0005},
        {"04_interleaving",
         {schedule("{name: interleaved_1f1b, chunks: 4}")},
         "/communication/messages",
         240,
         0},
        {"05_zero_bubble", {}, kStep, 330, 0.5},
        {"05_zero_bubble", {schedule("zb_h1")}, kStep, 270, 0.5},
        {"05_zero_bubble", {schedule("zb_h2")}, "/peak_in_flight/until_W/0", 7, 0},
        {"05_zero_bubble", {schedule("zb_v")}, kBubble, 0.059, 0.0005},
        {"05_zero_bubble", {schedule("zb_v")}, "/memory/peak_per_device_mb/g0", 7168, 0.5},
        {"05_zero_bubble", {schedule("zb_v")}, "/communication/messages", 96, 0},
        {"06_slow_link", {}, kStep, 775, 0.5},
        {"06_slow_link", {}, "/utilization/per_link/g1->g2", 0.25, 0.02},
        {"06_slow_link", {schedule("eager_1f1b")}, kStep, 598, 0.5},
        {"06_slow_link", {schedule("zb_h1")}, kStep, 655, 0.5},
        {"06_slow_link", {schedule("zb_h2")}, kStep, 536, 0.5},
        {"07_jitter", {}, kStep, 900, 0.5},
        {"07_jitter", {schedule("eager_1f1b")}, kStep, 843, 0.5},
        {"07_jitter", {schedule("zb_h1")}, kStep, 798, 0.5},
        {"08_devices", {}, kStep, 2274, 0.5},
        {"08_devices", {}, kBubble, 0.51, 0.005},
        {"08_devices", {devices("[6, 6, 6, 6]")}, kStep, 2274, 0.5},
        {"08_devices", {devices("[10, 10, 2, 2]")}, kStep, 1174, 0.5},
        {"08_devices", {devices("[10, 10, 3, 1]")}, kStep, 941, 0.5},
        {"08_devices", {devices("balanced")}, kStep, 760, 0.5},
        {"09_failures", {}, kStep, 6110, 5},
        {"09_failures", {}, "/failures/count", 5, 0},
        {"09_failures", {}, "/failures/lost_work_ms", 60, 5},
        {"09_failures", {{"failure.enabled", "false"}}, kStep, 4560, 5},
        {"09_failures", {{"failure.recovery_time_ms", "100"}}, kStep, 5070, 5},
        {"10_match", {}, kStep, 458, 0.5},
        {"10_match", {slower}, kStep, 552, 0.5},
        {"11_asynchronous", {}, kStep, 1650, 0.5},
        {"11_asynchronous", {schedule("paci")}, kStep, 1290, 0.5},
        {"11_asynchronous", {schedule("pipedream")}, "/memory/peak_per_device_mb/g0", 25600, 0.5},
        {"12_drift", {}, "/staleness/drift_max", 7, 0},
        {"12_drift", {}, kStep, 1890, 0.5},
        {"12_drift", {schedule("{name: paci, accumulation: 6}")}, "/staleness/drift_max", 2, 0},
        {"12_drift",
         {schedule("{name: paci, accumulation: 8}")},
         "/staleness/stages/0/updates",
         7,
         0},
        {"13_where_it_breaks", {}, "/staleness/delay_max", 7, 0},
        {"13_where_it_breaks",
         {schedule("{name: paci, accumulation: 16}")},
         "/staleness/drifted_share",
         0.197,
         0.0005},
        {"13_where_it_breaks",
         {schedule("{name: paci, accumulation: 8}")},
         "/staleness/drifted_share",
         0.416,
         0.0005},
        {"13_where_it_breaks", {schedule("amdp")}, "/staleness/drifted_share", 0.42, 0.005},
        {"10_match", {slower, {"hardware.links[0].bandwidth_GBps", "5"}}, kStep, 587.2, 0.05},
    };
    for (const Claim& claim : claims) {
      CAPTURE(claim.lesson);
      CAPTURE(claim.path);
      CAPTURE(claim.value);
      const auto run = run_of(file_of(claim.lesson, "start.yaml"), claim.settings);
      const auto summary = nlohmann::json::parse(run->summary_json());
      const double is = summary.at(nlohmann::json::json_pointer(claim.path)).get<double>();
      CHECK(std::fabs(is - claim.value) <= claim.within);
    }
  }
}

// Orders, times and peaks of the schedules, against an independent executor of the published rules.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "files.hpp"
#include "scenario_text.hpp"
#include "schedule/registry.hpp"
#include "support.hpp"

using namespace sluice;

namespace {

/// "1" for all stages, or "1|2|.." one each.
std::vector<double> per_stage(const std::string& text, int stages) {
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
  if (out.size() == 1) {
    const double only = out[0];
    out.assign(static_cast<std::size_t>(stages), only);
  }
  return out;
}

}  // namespace

TEST_SUITE("schedule/golden") {
  TEST_CASE("orders are equal operation by operation; start times, makespans and peaks too") {
    int compared = 0;
    for (const char* id :
         {"A001_GPipe_p4_m8",  "A002_GPipe_p4_m4", "A003_GPipe_p8_m32", "A004_GPipe_p2_m1",
          "A005_GPipe_p1_m4",  "A007_1F1B_p4_m8",  "A008_1F1B_p8_m16",  "A009_1F1B_p4_m4",
          "A010_1F1B_p4_m2",   "A011_1F1B_p1_m4",  "A012_1F1B_p2_m6",   "A013_1F1B_p16_m64",
          "A014_1F1B_p4_m8",   "A015_1F1B_p4_m8",  "A016_1F1B_p4_m8",   "A017_1F1B_p4_m8",
          "A018_1F1B_p4_m8",   "A019_1F1B_p4_m8",  "A020_1F1B_p4_m8",   "A021_1F1B_p4_m8",
          "A022_1F1B_p8_m16",  "A041_ZB-H1_p4_m8", "A042_ZB-H1_p8_m16", "A043_ZB-H1_p4_m4",
          "A044_ZB-H1_p8_m24", "A045_ZB-H1_p4_m8", "A046_ZB-H1_p4_m8"}) {
      INFO(id);
      const auto g = nlohmann::json::parse(sluice_test::read_text(
          sluice_test::source_path("tests/data/schedules/" + std::string(id) + ".json")));
      const int p = g["p"];
      const auto f = per_stage(g["times"]["F"], p);
      const auto i = per_stage(g["times"]["I"], p);
      const auto w = per_stage(g["times"]["W"], p);
      sluice_test::ScenarioText s;
      s.schedule = g["schedule"];
      s.microbatches = g["m"];
      // The executor's backward is I + W; a split schedule's halves are in the ratio of the first
      // stage.
      s.split = i[0] / (i[0] + w[0]);
      for (int r = 0; r < p; ++r) {
        const auto k = static_cast<std::size_t>(r);
        s.stages.push_back({f[k], i[k] + w[k]});
      }
      s.latency_us = 1000 * per_stage(g["times"]["comm"], 1)[0];
      s.simulation = "  transfers: latency\n";
      const auto run = simulate(s.text());
      REQUIRE(run.ok());
      const Run& r = *run.value();
      REQUIRE(r.program().plan.order.has_value());
      std::vector<std::vector<double>> starts(static_cast<std::size_t>(p));
      for (std::size_t row = 0; row < r.trace().rows(); ++row) {
        if (r.trace().resource[row] < static_cast<std::uint32_t>(p)) {
          starts[r.trace().resource[row]].push_back(to_ms(Time{r.trace().start[row]}));
        }
      }
      for (int rank = 0; rank < p; ++rank) {
        const auto k = static_cast<std::size_t>(rank);
        CHECK(rank_text(*r.program().plan.order, rank) == g["order"][k].get<std::string>());
        std::istringstream expected(g["start"][k].get<std::string>());
        double worst = 0;
        for (const double start : starts[k]) {
          double wanted = -1;
          expected >> wanted;
          worst = std::fmax(worst, std::fabs(start - wanted));
        }
        std::string rest;
        CHECK_FALSE(static_cast<bool>(expected >> rest));
        CHECK(worst < 1e-6);
        CHECK(r.summary().in_flight_until_weight[k] == g["peak_until_W"][k].get<double>());
      }
      CHECK(to_ms(r.summary().makespan) ==
            doctest::Approx(std::stod(g["expect"]["makespan"].get<std::string>())));
      ++compared;
    }
    CHECK(compared == 27);
  }
}

// Orders, times and peaks of the schedules, against an independent executor of the published rules.
#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "schedule/registry.hpp"

using namespace sluice;
using sluice_test::GoldenOrder;

namespace {

std::vector<double> numbers(const std::string& text) {
  std::vector<double> out;
  std::istringstream in(text);
  for (double value = 0; in >> value;) out.push_back(value);
  return out;
}

// Starts, makespan, bubbles and peaks of a run, against the file. The `order` may be another one
// with the same figures.
void check_run(const GoldenOrder& g, const Run& r, bool same_order) {
  const Trace& t = r.trace();
  std::vector<std::vector<double>> starts(static_cast<std::size_t>(g.ranks));
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.resource[row] < t.devices && !t.second_half(row))
      starts[t.resource[row]].push_back(to_ms(Time{t.start[row]}));
  }
  double span = 0;
  double idle = 0;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const auto wanted = numbers(g.json["start"][k]);
    if (same_order) {
      REQUIRE(starts[k].size() == wanted.size());
      double worst = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        worst = std::fmax(worst, std::fabs(starts[k][i] - wanted[i]));
      CHECK(worst < 1e-6);
    }
    const IdleByPosition& by_position = r.summary().idle[k];
    idle += to_ms(by_position.warm_up) + to_ms(by_position.steady) + to_ms(by_position.drain);
    CHECK(r.summary().in_flight_until_weight[k] == g.json["peak_until_W"][k].get<double>());
  }
  for (std::size_t row = 0; row < t.rows(); ++row) span = std::fmax(span, to_ms(Time{t.end[row]}));
  const nlohmann::json& expect = g.json["expect"];
  const auto expected = [&](const char* key) { return std::stod(expect[key].get<std::string>()); };
  CHECK(to_ms(r.summary().makespan) == doctest::Approx(expected("makespan")));
  CHECK(idle == doctest::Approx(expected("idle_total")));
  CHECK(std::fabs(r.summary().bubble.idle_over_makespan - expected("bubble_makespan")) < 1e-6);
  CHECK(std::fabs(r.summary().bubble.span - expected("bubble_span")) < 1e-6);
  REQUIRE(r.summary().lower_bound.has_value());
  CHECK(r.summary().lower_bound->ps <= r.summary().makespan.ps);
}

// The schedule of our own that has made, or must make, a file's order; "" where it is only
// imported.
std::string generated(const GoldenOrder& g) {
  if (g.schedule.starts_with("tutor:")) return "";
  const std::string extra = g.json["extra"];
  const auto after = [&](const std::string& key) {
    const std::size_t at = extra.find(key);
    return at == std::string::npos ? std::string()
                                   : std::to_string(std::stoi(extra.substr(at + key.size())));
  };
  std::string parameters;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) parameters += ", " + name + ": " + value;
  };
  const std::string group = after("group N=");
  add("group", group.empty() ? after("group=") : group);
  if (extra.find("one extra warm-up") != std::string::npos) add("overlap_moe", "true");
  add("memory_limit", after("limit="));
  if (g.schedule == "Seq1F1B") add("slices", std::to_string(g.slices));
  const int chunks = g.json["v"];
  if (g.schedule == "Hanayo") add("waves", std::to_string(chunks / 2));
  if (chunks > 1) add("chunks", std::to_string(chunks));
  return "{name: " + g.schedule + parameters + "}";
}

}  // namespace

TEST_SUITE("schedule/golden") {
  TEST_CASE("all 124 reference orders replay to their start times, bubbles and peaks") {
    const auto all = sluice_test::golden_orders();
    CHECK(all.size() == 124);
    for (const GoldenOrder& g : all) {
      INFO(g.id << " " << g.schedule);
      auto s = g.scenario();
      s.schedule = g.as_explicit();
      const auto run = simulate(s.text());
      if (!run.ok()) FAIL(run.diagnostics().front().message);
      for (int rank = 0; rank < g.ranks; ++rank)
        CHECK(rank_text(*run.value()->program().plan.order, rank) ==
              g.order[static_cast<std::size_t>(rank)]);
      check_run(g, *run.value(), true);
    }
  }

  TEST_CASE("our generators make the reference orders, operation by operation") {
    std::map<std::string, int> equal;
    std::set<std::string> unequal;
    for (const GoldenOrder& g : sluice_test::golden_orders()) {
      const std::string schedule = generated(g);
      if (schedule.empty()) continue;
      INFO(g.id << " " << schedule);
      auto s = g.scenario();
      s.schedule = schedule;
      const auto run = simulate(s.text());
      if (!run.ok()) FAIL(run.diagnostics().front().message);
      bool same = true;
      for (int rank = 0; rank < g.ranks; ++rank) {
        same = same && rank_text(*run.value()->program().plan.order, rank) ==
                           g.order[static_cast<std::size_t>(rank)];
      }
      // Where an order is found by search, another one with the same figures is as good.
      check_run(g, *run.value(), same);
      if (same) {
        ++equal[g.schedule];
      } else {
        unequal.insert(g.id);
      }
    }
    CHECK(unequal == std::set<std::string>{});
    int total = 0;
    for (const auto& [name, count] : equal) total += count;
    CHECK(total == 113);
  }
}

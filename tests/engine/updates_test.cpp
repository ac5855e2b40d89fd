// Updates between the operations of a rank: when they may begin, what they wait for, and that
// outages lose none.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/run.hpp"
#include "metrics/gaps.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::equal_stages;
using sluice_test::ScenarioText;

namespace {

std::shared_ptr<const Run> played(const ScenarioText& scenario) {
  const auto run = simulate(scenario.text());
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : run.diagnostics().front().message));
  return run.value();
}

double ms(std::int64_t ps) {
  return to_ms(Time{ps});
}

// A ring of two copies passes half a stage's gradient twice: 2 x 2 ms at this bandwidth.
ScenarioText summed_amdp(int batches) {
  ScenarioText s;
  s.schedule = "amdp";
  s.microbatches = 4;
  s.batches = batches;
  s.stages = equal_stages(4);
  s.activation_mb = 1e-9;
  s.bandwidth_GBps = 2.097152;
  s.sections = "optimizer: {enabled: true, update: 0.5, gradient_mb: 8}\n";
  return s;
}

// By device and number: start and end of each update that was done.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, double>> updates_of(
    const Trace& t) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, double>> out;
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (t.kind_at(row) != OpKind::Update || !t.done_at(row)) continue;
    const auto key = std::pair{t.resource[row], t.index[row]};
    CHECK(out.count(key) == 0);
    out[key] = {ms(t.start[row]), ms(t.end[row])};
  }
  return out;
}

// What a rank got done, in order: the operations of its list, and each update where the list has
// it. So versions, which are read off the list, are those of the run.
void check_order_kept(const Run& run) {
  const Trace& t = run.trace();
  const Order& order = *run.program().plan.order;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    std::uint32_t next = order.begin[rank];
    std::uint32_t update = order.first_update[rank];
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.resource[row] != run.program().device_of_rank[rank] || !t.done_at(row)) continue;
      if (t.kind_at(row) == OpKind::Update) {
        REQUIRE(order.updates[update].before == next);
        REQUIRE(order.updates[update++].number == t.index[row]);
      } else if (t.per_microbatch(row)) {
        const Operation& op = order.operations[next++];
        REQUIRE((op.kind == t.kind_at(row) && op.stage == t.stage[row]));
        REQUIRE(op.microbatch == t.unit_at(row));
      }
    }
    REQUIRE(next == order.end[rank]);
    REQUIRE(update == order.first_update[rank + 1]);
  }
}

}  // namespace

TEST_SUITE("engine/updates") {
  // Last backwards by hand (b = 2 f, no transfers): of stage 3 on ranks 0 and 3 at 9 ms, of stage 0
  // there at 16; of stage 2 on ranks 1 and 2 at 12, of stage 1 there at 14. Each pair takes part in
  // one sum at a time: [9, 13] and [16, 20]; [12, 16] and [16, 20].
  TEST_CASE("AMDP: the copies of a stage sum their gradients as soon as all have them") {
    const auto run = played(summed_amdp(1));
    const Trace& t = run->trace();
    std::vector<double> starts;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.kind_at(row) != OpKind::AllReduce) continue;
      starts.push_back(ms(t.start[row]));
      CHECK(ms(t.end[row] - t.start[row]) == doctest::Approx(4).epsilon(1e-6));
    }
    // Both directions of each pair's link.
    REQUIRE(starts.size() == 8);
    CHECK(starts.front() == doctest::Approx(9));
    CHECK(starts[2] == doctest::Approx(12));
    CHECK(starts[4] == doctest::Approx(16));
    CHECK(starts[6] == doctest::Approx(16));
    const auto updates = updates_of(t);
    REQUIRE(updates.size() == 4);
    for (const auto& [key, times] : updates) {
      CHECK(times.first == doctest::Approx(20));
      CHECK(times.second == doctest::Approx(20.5));
    }
    CHECK(to_ms(run->summary().makespan) == doctest::Approx(20.5));
  }

  TEST_CASE("a rank's update comes after its sums, before its next operation, and once") {
    for (const char* variant : {"device", "eager"}) {
      CAPTURE(variant);
      ScenarioText s = summed_amdp(5);
      s.schedule = std::string("{name: amdp, variant: ") + variant + "}";
      const auto run = played(s);
      const Trace& t = run->trace();
      std::map<std::uint32_t, double> summed;
      std::vector<double> free(4, 0);
      std::vector<int> updates(4, 0);
      for (std::size_t row = 0; row < t.rows(); ++row) {
        if (t.kind_at(row) == OpKind::AllReduce) {
          double& last = summed[t.index[row]];
          last = std::max(last, ms(t.end[row]));
        }
        if (t.resource[row] >= t.devices) continue;
        CHECK(ms(t.start[row]) >= free[t.resource[row]] - 1e-9);
        free[t.resource[row]] = ms(t.end[row]);
        if (t.kind_at(row) != OpKind::Update) continue;
        ++updates[t.resource[row]];
        const OpKind before = t.kind_at(t.predecessor[row]);
        CHECK((before == OpKind::AllReduce || t.resource[t.predecessor[row]] == t.resource[row]));
      }
      CHECK(summed.size() == 5);
      const bool eager = std::string(variant) == "eager";
      for (const int count : updates) CHECK(count == (eager ? 10 : 5));
      // Idle time has causes to the last picosecond.
      const IdleTime idle(run->program(), t);
      for (std::uint32_t d = 0; d < 4; ++d) {
        std::int64_t busy = 0;
        for (const std::uint32_t row : idle.plays().lane(d)) busy += t.end[row] - t.start[row];
        CHECK(idle.by_device()[d].total().ps + busy == idle.plays().until() - idle.plays().from());
      }
    }
  }

  TEST_CASE("outages interrupt updates, and none is lost or done twice") {
    for (int seed = 1; seed <= 20; ++seed) {
      for (const char* schedule : {"amdp", "{name: paci, accumulation: 2}", "pipedream_2bw"}) {
        CAPTURE(seed);
        CAPTURE(schedule);
        ScenarioText s = summed_amdp(4);
        s.schedule = schedule;
        s.simulation = "  seed: " + std::to_string(seed) + "\n";
        const auto calm = updates_of(played(s)->trace());
        s.sections +=
            "failure: {enabled: true, check_interval_ms: 3, device_failure_probability: 0.2, "
            "link_failure_probability: 0.1, recovery_time_ms: 2}\n";
        const auto run = played(s);
        const auto troubled = updates_of(run->trace());
        REQUIRE(troubled.size() == calm.size());
        for (const auto& [key, times] : calm) CHECK(troubled.count(key) == 1);
        check_order_kept(*run);
      }
    }
  }

  TEST_CASE("without an optimizer updates take no time and leave no rows") {
    ScenarioText s;
    s.schedule = "pipedream";
    s.microbatches = 6;
    s.batches = 2;
    s.stages = equal_stages(3);
    s.simulation = "  transfers: latency\n";
    const auto run = played(s);
    for (std::size_t row = 0; row < run->trace().rows(); ++row)
      CHECK(run->trace().kind_at(row) != OpKind::Update);
    CHECK(to_ms(run->summary().makespan) == doctest::Approx((12 + 2) * 3.0));
  }
}

// Requests that must be refused (tests/data/schedules/acceptance_invalid.csv): one case a row, with
// what the refusal has to name. X001 to X003 stand in order_test, X014 in io/order_formats_test,
// X016 in engine/communication_test; X017 and X018 are about sizes and layers, which the model does
// not know yet.
#include <doctest/doctest.h>

#include <string>

#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

Diagnostic refusal(const std::string& schedule, int p, int m) {
  ScenarioText s;
  s.schedule = schedule;
  s.microbatches = m;
  s.stages = sluice_test::equal_stages(p);
  const auto run = simulate(s.text());
  INFO(schedule << " p=" << p << " m=" << m);
  REQUIRE_FALSE(run.ok());
  return run.diagnostics().front();
}

bool says(const Diagnostic& d, const std::string& text) {
  return d.message.find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE("schedule/invalid") {
  TEST_CASE("X004, X005: Megatron's rule with groups below p deadlocks when one insists (#1829)") {
    // The heads of the row: rank 0 in front of F3@4 (F2@4), rank 1 of F3@5 (F2@5), 2 and 3 of B0.
    for (const auto& [group, first] : {std::pair{"2", "F3@"}, std::pair{"1", "F2@"}}) {
      const Diagnostic d = refusal(
          "{name: interleaved_1f1b, strict: false, group: " + std::string(group) + "}", 4, 16);
      CHECK(d.code == Code::OrderDeadlock);
      INFO(d.message);
      CHECK(says(d, "rank 0 in front of " + std::string(first) + "4"));
      CHECK(says(d, "in front of B0@"));
    }
  }
  TEST_CASE("X006: a last group that is too short is refused, or runs with strict: false") {
    const Diagnostic d = refusal("{name: interleaved_1f1b, group: 4}", 4, 6);
    CHECK(d.code == Code::ScheduleConstraint);
    CHECK(says(d, "the last group, microbatches mod group"));
    // What it runs to then stands in facts_test, F010.
  }
  TEST_CASE("X007: a group outside of p to m names its range") {
    for (const char* group : {"3", "9"}) {
      const Diagnostic d =
          refusal("{name: interleaved_1f1b, group: " + std::string(group) + "}", 4, 8);
      CHECK(d.code == Code::ScheduleConstraint);
      CHECK(says(d, "from ranks to microbatches"));
      CHECK(says(d, "ranks 4, microbatches 8"));
    }
  }
  TEST_CASE("X008: flexible rounds have to divide the microbatches") {
    const Diagnostic d = refusal("interleaved_1f1b_flex", 4, 9);
    CHECK(d.code == Code::ScheduleConstraint);
    CHECK(says(d, "multiple of the rounds"));
  }
  TEST_CASE("X009, X010: what DualPipe and DualPipeV need") {
    CHECK(says(refusal("dualpipe", 3, 8), "ranks must be even"));
    CHECK(says(refusal("dualpipe", 4, 9), "microbatches must be even"));
    CHECK(says(refusal("dualpipe", 4, 6), "at least 2 x ranks"));
    CHECK(says(refusal("dualpipe_v", 4, 7), "at least 2 x ranks"));
  }
  TEST_CASE("X011: schedules on a V have two chunks") {
    for (const char* name :
         {"zb_v", "zb_v_auto", "v_half", "v_min", "v_zb", "1f1b_v", "dualpipe_v"}) {
      const Diagnostic d = refusal("{name: " + std::string(name) + ", chunks: 3}", 4, 8);
      CHECK(d.code == Code::ScheduleConstraint);
      CHECK(says(d, "chunks must be 2"));
    }
    CHECK(says(refusal("{name: 1f1b, chunks: 2}", 4, 8), "one stage a rank"));
  }
  TEST_CASE("X012: the order of ZB-V does not fit a loop (torchtitan#774)") {
    const Diagnostic d = refusal(
        "{order: ['F0@0 F0@3 I0@3 W0@3 I0@0 W0@0', 'F0@1 F0@2 I0@2 W0@2 I0@1 W0@1'], placement: "
        "{down: [0, 1, 0, 1]}}",
        2, 1);
    CHECK(d.code == Code::OrderWrongRank);
    CHECK(says(d, "F0@3 stands on rank 0, but stage 3 is on rank 1"));
  }
  TEST_CASE("X013: Chimera and BitPipe come in units of p, for even p") {
    for (const char* name : {"chimera", "bitpipe"}) {
      CHECK(says(refusal(name, 3, 6), "ranks must be even"));
      CHECK(says(refusal(name, 4, 6), "multiple of ranks"));
    }
  }
  TEST_CASE("X015: a memory limit below one microbatch names the rank and what it needs") {
    const Diagnostic d = refusal("{name: zb_auto, memory_limit: [4, 3, 0.5, 1]}", 4, 8);
    CHECK(d.code == Code::ScheduleConstraint);
    CHECK(says(d, "rank 2 may hold 0.5 microbatches, but a forward alone needs 1"));
    CHECK(refusal("{name: zb_v_auto, memory_limit: 0.5}", 4, 8).code == Code::ScheduleConstraint);
  }
  TEST_CASE("X019: an overlapped cell shorter than its longer half is warned of") {
    ScenarioText s;
    s.schedule = "dualpipe";
    s.stages = {{1, 2, 1}, {1, 2, 2}, {1, 2, 0}, {1, 2, 3}};
    const auto run = simulate(s.text());
    REQUIRE(run.ok());
    std::string warned;
    for (const Diagnostic& d : run.value()->diagnostics()) {
      if (d.code == Code::OverlapShort) warned += d.path + ";";
    }
    CHECK(warned == "pipeline.stages[0].overlapped;");
  }
  TEST_CASE("parameters: unknown ones, wrong values, and lists of the wrong length") {
    const Diagnostic unknown = refusal("{name: 1f1b, waves: 2}", 4, 8);
    CHECK(unknown.code == Code::ScheduleParameter);
    CHECK(unknown.path == "pipeline.schedule.waves");
    CHECK(refusal("{name: interleaved_1f1b, warm_up: 3}", 4, 8).path ==
          "pipeline.schedule.warm_up");
    CHECK(refusal("{name: interleaved_1f1b, chunks: 1.5}", 4, 8).code == Code::TypeInteger);
    CHECK(says(refusal("{name: zb_auto, memory_limit: [4, 4]}", 4, 8), "each of the 4 ranks"));
    CHECK(refusal("{name: interleaved_1f1b, chunks: 2000}", 4, 8).code == Code::LimitStages);
  }
}

#include "schedule/order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schedule/order_text.hpp"
#include "schedule/plan.hpp"
#include "schedule/registry.hpp"
#include "schedule/without_updates.hpp"

using namespace sluice;
using sluice_test::without_updates;

namespace {

Result<Order> parsed(const std::vector<std::string>& ranks, int microbatches,
                     std::vector<std::int64_t> placement = {}) {
  OrderText text;
  text.order = ranks;
  if (!placement.empty()) text.placement.emplace_back("down", std::move(placement));
  return parse_order(text, static_cast<int>(ranks.size()), microbatches, "pipeline.schedule");
}

PlanRequest request(std::string_view name, int ranks, int microbatches,
                    Parameters parameters = {}) {
  PlanRequest out;
  out.name = name;
  out.parameters = std::move(parameters);
  out.microbatches = microbatches;
  out.device_of_rank.resize(static_cast<std::size_t>(ranks));
  return out;
}

Result<Plan> planned(const PlanRequest& request) {
  const Result<Placement> placement = place(request);
  if (!placement) return placement.diagnostics();
  return make_plan(request, placement.value());
}

}  // namespace

TEST_SUITE("schedule/order") {
  TEST_CASE("every generated order is complete and free of cycles, or refused by name") {
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.order == nullptr) continue;
      int made = 0;
      for (const int p : {1, 2, 3, 4, 5, 8, 16}) {
        for (const int m : {1, 2, 3, 7, 8, 16, 33}) {
          const Result<Plan> plan = planned(request(info.name, p, m));
          INFO(info.name << " p=" << p << " m=" << m);
          if (!plan.ok()) {
            CHECK(plan.diagnostics().front().code == Code::ScheduleConstraint);
            continue;
          }
          ++made;
          const Diagnostics found = check_order(*plan.value().order);
          if (!found.empty()) FAIL_CHECK(found.front().message);
        }
      }
      CHECK(made > 3);
    }
  }
  TEST_CASE("a cyclic order is refused with the operation each rank waits in front of") {
    // Row X001.
    const auto d = parsed({"F0@0 B0@0 F1@0 B1@0", "F0@1 F1@1 B0@1 B1@1"}, 2).diagnostics();
    REQUIRE(d.size() == 1);
    CHECK(d[0].code == Code::OrderDeadlock);
    CHECK(d[0].message ==
          "the order deadlocks: rank 0 in front of B0@0 waits for B0@1 of rank 1; rank 1 in front "
          "of F1@1 waits for F1@0 of rank 0");
  }
  TEST_CASE("a backward before its forward deadlocks, and so does W before I") {
    // Rows X002 and X003.
    const auto d = parsed({"F0@0 B0@0", "B0@1 F0@1"}, 1).diagnostics();
    REQUIRE(d.size() == 1);
    CHECK(d[0].code == Code::OrderDeadlock);
    CHECK(d[0].message.find("in front of B0@1 waits for F0@1 of rank 1") != std::string::npos);
    const auto w = parsed({"F0@0 W0@0 I0@0"}, 1).diagnostics();
    REQUIRE(w.size() == 1);
    CHECK(w[0].code == Code::OrderDeadlock);
    CHECK(w[0].message.find("in front of W0@0 waits for I0@0") != std::string::npos);
  }
  TEST_CASE("missing, unknown, doubled and misplaced operations are named") {
    const auto first = [](const Result<Order>& o) { return o.diagnostics().front(); };
    CHECK(first(parsed({"F1@0 F2@0 B0@0 B1@0"}, 2)).code == Code::OrderUnknown);
    CHECK(first(parsed({"F0@0 B0@0 F0@0 B1@0"}, 2)).code == Code::OrderDuplicate);
    CHECK(first(parsed({"F0@0"}, 1)).code == Code::OrderMissing);
    CHECK(first(parsed({"F0@0 I0@0"}, 1)).message == "missing W0@0");
    CHECK(first(parsed({"F0@0 B0@0 W0@0"}, 1)).code == Code::OrderMixed);
    CHECK(first(parsed({"F0@0 B0@0 F0@1", "B0@1"}, 1)).code == Code::OrderWrongRank);
    CHECK(first(parsed({"F0@0 B0@0"}, 2)).message == "missing F1@0");
    CHECK(first(parsed({"(F0@0|B0@0)"}, 1)).code == Code::OrderDeadlock);
    CHECK(first(parsed({"(F0@0|F1@0) B0@0 B1@0"}, 2)).code == Code::OrderUnknown);
  }
  TEST_CASE("text that is no order is refused with its rank") {
    for (const char* wrong :
         {"F0", "F@0", "G0@0", "F0@", "F-1@0", "(F0@0|B0@0", "F0@0B0@0", "F0.@0", "F0@0|B0@0"}) {
      INFO(wrong);
      const auto d = parsed({wrong}, 1).diagnostics();
      REQUIRE(d.size() == 1);
      CHECK(d[0].code == Code::OrderSyntax);
      CHECK(d[0].path == "pipeline.schedule.order[0]");
    }
    CHECK(parsed({"F0@0 B0@0"}, 1, {1}).diagnostics()[0].code == Code::OrderSyntax);
    CHECK(parsed({"F9999999999@0"}, 1).diagnostics()[0].code == Code::OrderUnknown);
    CHECK(parsed({"F0@9999999999"}, 1).diagnostics()[0].code == Code::LimitStages);
  }
  TEST_CASE("operations print as in the catalogue, and what is printed reads back as it was") {
    const Order order = *planned(request("1f1b", 2, 2)).value().order;
    CHECK(rank_text(order, 0) == "F0@0 F1@0 B0@0 B1@0");
    CHECK(rank_text(order, 1) == "F0@1 B0@1 F1@1 B1@1");
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.order == nullptr) continue;
      const Result<Plan> plan = planned(request(info.name, 4, 8));
      INFO(info.name);
      REQUIRE(plan.ok());
      const Order& made = *plan.value().order;
      OrderText text;
      for (int r = 0; r < 4; ++r) text.order.push_back(rank_text(made, r));
      const int stages = made.placement.stages();
      for (int pipe = 0; pipe < made.placement.pipes; ++pipe) {
        const auto begin = made.placement.rank_of_stage.begin() + pipe * stages;
        text.placement.emplace_back(pipe_name(pipe),
                                    std::vector<std::int64_t>(begin, begin + stages));
      }
      const Result<Order> back = parse_order(text, 4, 8, "");
      REQUIRE(back.ok());
      CHECK(back.value() == without_updates(made));
    }
  }
  TEST_CASE("names are found whatever their case and punctuation") {
    const auto table = all_schedules();
    CHECK(find_schedule(table, "ZB-H1")->name == "zb_h1");
    CHECK(find_schedule(table, "zero_bubble")->name == "zb_h1");
    CHECK(find_schedule(table, "GPipe")->name == "gpipe");
    CHECK(find_schedule(table, "hops/Zero-Bubble")->name == "hops/zero_bubble");
    CHECK(find_schedule(table, "zb-h9") == nullptr);
    CHECK(hops_meaning("zero_bubble", table) == "hops/zero_bubble");
    CHECK(hops_meaning("zb_h1", table) == "zb_h1");
  }
}

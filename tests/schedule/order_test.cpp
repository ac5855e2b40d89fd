#include "schedule/order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schedule/registry.hpp"

using namespace sluice;

namespace {

// An order written as in the catalogue: "F0@0 B0@0".
Order parsed(const std::vector<std::string>& ranks, int microbatches) {
  OrderBuilder builder(static_cast<int>(ranks.size()), microbatches, 8);
  for (const std::string& text : ranks) {
    std::size_t i = 0;
    while (i < text.size()) {
      const char kind = text[i++];
      const std::size_t at = text.find('@', i);
      const std::size_t end = std::min(text.find(' ', at), text.size());
      const OpKind k = kind == 'F'   ? OpKind::Forward
                       : kind == 'B' ? OpKind::Backward
                       : kind == 'I' ? OpKind::InputGrad
                                     : OpKind::WeightGrad;
      builder.add(k, std::stoi(text.substr(at + 1, end - at - 1)),
                  std::stoi(text.substr(i, at - i)));
      i = end + 1;
    }
    builder.end_rank();
  }
  return builder.take();
}

}  // namespace

TEST_SUITE("schedule/order") {
  TEST_CASE("every generated order is complete and free of cycles") {
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.order == nullptr) continue;
      for (const int p : {1, 2, 3, 5, 8, 16}) {
        for (const int m : {1, 2, 3, 7, 8, 33}) {
          const Order order = info.order({p, m, {}});
          const Diagnostics found = check_order(order);
          INFO(info.name << " p=" << p << " m=" << m);
          CHECK(found.empty());
        }
      }
    }
  }
  TEST_CASE("a cyclic order is refused with the operation each rank waits in front of") {
    const Diagnostics d = check_order(parsed({"F0@0 B0@0 F1@0 B1@0", "F0@1 F1@1 B0@1 B1@1"}, 2));
    REQUIRE(d.size() == 1);
    CHECK(d[0].code == Code::OrderDeadlock);
    CHECK(d[0].message.find("rank 0 in front of B0@0") != std::string::npos);
    CHECK(d[0].message.find("rank 1 in front of F1@1") != std::string::npos);
  }
  TEST_CASE("a backward before its forward deadlocks") {
    const Diagnostics d = check_order(parsed({"F0@0 B0@0", "B0@1 F0@1"}, 1));
    REQUIRE(d.size() == 1);
    CHECK(d[0].code == Code::OrderDeadlock);
  }
  TEST_CASE("missing, unknown, doubled and misplaced operations are named") {
    const auto first = [](const Order& o) { return check_order(o).front(); };
    CHECK(first(parsed({"F1@0 F2@0 B0@0 B1@0"}, 2)).code == Code::OrderUnknown);
    CHECK(first(parsed({"F0@0 B0@0 F0@0 B1@0"}, 2)).code == Code::OrderDuplicate);
    CHECK(first(parsed({"F0@0"}, 1)).code == Code::OrderMissing);
    CHECK(first(parsed({"F0@0 I0@0"}, 1)).message == "missing W0@0");
    CHECK(first(parsed({"F0@0 B0@0 W0@0"}, 1)).code == Code::OrderMixed);
    CHECK(first(parsed({"F0@0 B0@0 F0@1", "B0@1"}, 1)).code == Code::OrderWrongRank);
  }
  TEST_CASE("operations print as in the catalogue") {
    CHECK(operation_text({OpKind::Forward, 0, 5, 3}) == "F3@5");
    CHECK(operation_text({OpKind::Forward, 1, 2, 3}) == "F3.1@2");
    const Order order = one_f_one_b({2, 2, {}});
    CHECK(rank_text(order, 0) == "F0@0 F1@0 B0@0 B1@0");
    CHECK(rank_text(order, 1) == "F0@1 B0@1 F1@1 B1@1");
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

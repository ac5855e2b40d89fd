// Orders out and in again, and what is refused on the way in.
#include "io/order_formats.hpp"

#include <doctest/doctest.h>

#include <string>

#include "io/megatron_layout.hpp"
#include "io/schedule_json.hpp"
#include "schedule/golden.hpp"
#include "schedule/registry.hpp"
#include "schedule/without_updates.hpp"

using namespace sluice;
using sluice_test::without_updates;

namespace {

Order made(const std::string& name, int ranks, int microbatches, Parameters parameters = {}) {
  const Result<Plan> plan = order_of({name, ranks, microbatches, std::move(parameters)});
  REQUIRE(plan.ok());
  return *plan.value().order;
}

const sluice_test::GoldenOrder& golden(const std::string& id) {
  static const auto all = sluice_test::golden_orders();
  for (const auto& g : all) {
    if (g.id == id) return g;
  }
  FAIL("no golden " << id);
  return all.front();
}

Diagnostic first_of(std::string_view text) {
  const auto imported = import_order(text);
  REQUIRE_FALSE(imported.ok());
  return imported.diagnostics().front();
}

}  // namespace

TEST_SUITE("io/order_formats") {
  TEST_CASE("PyTorch's CSV of DualPipeV and of ZB1P is what PyTorch expects") {
    // A091 and A047 are PyTorch's own test files dualpipev_4rank_10mb and zb1p_2rank_2stagep.
    for (const auto& [id, name] :
         {std::pair{"A091", "dualpipe_v"}, std::pair{"A047", "interleaved_zb1p"}}) {
      const auto& g = golden(id);
      std::string expected;
      for (const std::string& list : g.order) {
        std::string line;
        for (std::size_t at = 0; at < list.size();) {
          const std::size_t end = std::min(list.find(' ', at), list.size());
          const std::string op = list.substr(at, end - at);
          const auto cell = [](const std::string& o) {
            const std::size_t mark = o.find('@');
            return o.substr(mark + 1) + o.substr(0, mark);
          };
          const std::size_t bar = op.find('|');
          line += (line.empty() ? "" : ",");
          line += bar == std::string::npos
                      ? cell(op)
                      : "(" + cell(op.substr(1, bar - 1)) + ";" +
                            cell(op.substr(bar + 1, op.size() - bar - 2)) + ")OVERLAP_F_B";
          at = end + 1;
        }
        expected += line + "\n";
      }
      CHECK(pytorch_csv(made(name, g.ranks, g.microbatches)).value() == expected);
    }
    CHECK(pytorch_csv(made("dualpipe_v", 4, 10)).value().find("(0F7;7B3)OVERLAP_F_B") !=
          std::string::npos);
  }

  TEST_CASE("what PyTorch's CSV can carry comes back as it was") {
    int carried = 0;
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.order == nullptr) continue;
      for (const int m : {8, 16}) {
        const Order order = made(std::string(info.name), 4, m);
        const Result<std::string> csv = pytorch_csv(order);
        INFO(info.name);
        const bool can = order.placement.pipes == 1 && order.slices == 1;
        CHECK(csv.ok() == can);
        if (!can) {
          CHECK(csv.diagnostics().front().code == Code::OrderFormat);
          continue;
        }
        const Result<ImportedOrder> back = import_order(csv.value());
        REQUIRE(back.ok());
        CHECK(back.value().microbatches == m);
        CHECK(back.value().order == without_updates(order));
        ++carried;
      }
    }
    CHECK(carried >= 36);
  }

  TEST_CASE("blank cells and cells that only communicate are left out") {
    const auto imported = import_order(
        "0F0,0SEND_F0,,0F1, ,0RECV_B0,0B0,0B1\r\n,1RECV_F0,1UNSHARD,1F0,1B0,1SEND_B0,1F1,1B1\n\n");
    REQUIRE(imported.ok());
    CHECK(imported.value().text.order ==
          std::vector<std::string>{"F0@0 F1@0 B0@0 B1@0", "F0@1 B0@1 F1@1 B1@1"});
    CHECK(order_yaml(imported.value()).find("down: [0, 1]") != std::string::npos);
  }

  TEST_CASE("the catalogue's text is read as well, and a YAML of it plays") {
    const auto imported = import_order("F0@0 F1@0 B0@0 B1@0\nF0@1 B0@1 F1@1 B1@1\n");
    REQUIRE(imported.ok());
    CHECK(imported.value().microbatches == 2);
  }

  TEST_CASE("what is wrong is named with its line") {
    const Diagnostic d = first_of("0F0,0B0\n1F0,1X0\n");
    CHECK(d.code == Code::OrderSyntax);
    CHECK(d.line == 2);
    CHECK(d.column == 5);
    CHECK(first_of("").code == Code::OrderSyntax);
    CHECK(first_of("0F0,0B0,1F0,1B0\n1F1\n").code == Code::OrderWrongRank);
    CHECK(first_of("0F0,0B0\n7F0,7B0\n").code == Code::OrderUnknown);
    CHECK(first_of("0B0,0F0\n").code == Code::OrderDeadlock);
    CHECK(first_of("(0F0;0B0)OVERLAP\n").code == Code::OrderSyntax);
    CHECK(first_of("0F99999999999999\n").code == Code::OrderUnknown);
  }

  TEST_CASE("X014: an order that begins with F1 misses F0 and has one too many") {
    const auto imported = import_order(
        "0F0,0F1,0F2,0F3,0F4,0F5,0F6,0F7,0B0,0B1,0B2,0B3,0B4,0B5,0B6,0B7\n"
        "1F1,1B0,1F2,1B1,1F3,1B2,1F4,1B3,1F5,1B4,1F6,1B5,1F7,1B6,1F8,1B7\n");
    REQUIRE_FALSE(imported.ok());
    std::string all;
    for (const Diagnostic& d : imported.diagnostics()) all += d.message + "\n";
    CHECK(all.find("unknown operation F8@1") != std::string::npos);
    CHECK(all.find("missing F0@1") != std::string::npos);
  }
}

TEST_SUITE("io/megatron_layout") {
  TEST_CASE("a layout says what each stage holds") {
    // Source: Megatron-LM's documentation of pipeline-model-parallel-layout.
    const auto stages = parse_layout("Et*2|(t*2|)*34,t*3|(t*2|)*3,tL");
    REQUIRE(stages.ok());
    REQUIRE(stages.value().size() == 40);
    CHECK(stages.value().front() == StageLayout{true, 2, 0, false});
    CHECK(stages.value()[1] == StageLayout{false, 2, 0, false});
    CHECK(stages.value()[35] == StageLayout{false, 3, 0, false});
    CHECK(stages.value().back() == StageLayout{false, 1, 0, true});
    int layers = 0;
    for (const StageLayout& s : stages.value()) layers += s.layers;
    CHECK(layers == 2 + 34 * 2 + 3 + 3 * 2 + 1);
    CHECK(parse_layout("E|t*3|mL").value()[2] == StageLayout{false, 0, 1, true});
  }
  TEST_CASE("text, stages and text again") {
    for (const char* text : {"Et*2|(t*2|)*34,t*3|(t*2|)*3,tL", "EttL", "E|t|t|L", "E||t*5|mL",
                             "t|t|t|t", "(t|)*7,t", "Et*30L"}) {
      const auto stages = parse_layout(text);
      INFO(text);
      REQUIRE(stages.ok());
      const auto again = parse_layout(layout_text(stages.value()));
      REQUIRE(again.ok());
      CHECK(again.value() == stages.value());
    }
    CHECK(layout_text(parse_layout("Et*2|t*2|t*2|tL").value()) == "Et*2|(t*2|)*2,tL");
  }
  TEST_CASE("a wrong layout is refused where it is wrong") {
    for (const auto& wrong :
         {std::pair{"Ex", 2}, std::pair{"E(t|", 5}, std::pair{"Et)*2", 3}, std::pair{"t*", 3},
          std::pair{"t*0", 4}, std::pair{"(t*999999999)*9", 13}}) {
      const char* text = wrong.first;
      const auto stages = parse_layout(text);
      INFO(text);
      REQUIRE_FALSE(stages.ok());
      CHECK(stages.diagnostics().front().code == Code::LayoutSyntax);
      CHECK(stages.diagnostics().front().column == wrong.second);
    }
    CHECK_FALSE(parse_layout("t|E").ok());
    CHECK_FALSE(parse_layout("EL|t").ok());
    CHECK_FALSE(parse_layout("((((((((((t))))))))))").ok());
  }
}

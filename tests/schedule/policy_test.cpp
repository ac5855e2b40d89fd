#include "schedule/policy.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "schedule/registry.hpp"

using namespace sluice;

namespace {

double value_of(const std::string& text) {
  constexpr std::array<std::string_view, 2> kNames{"a", "b"};
  const auto e = Expression::compile(text, kNames);
  REQUIRE(e.ok());
  constexpr std::array<double, 2> kValues{3, 4};
  return e.value().evaluate(kValues);
}

bool refused(const std::string& text) {
  constexpr std::array<std::string_view, 2> kNames{"a", "b"};
  const auto e = Expression::compile(text, kNames);
  return !e.ok() && e.diagnostics().front().code == Code::PolicySyntax;
}

}  // namespace

TEST_SUITE("schedule/policy") {
  TEST_CASE("expressions follow the usual precedence") {
    CHECK(value_of("1 + 2 * a") == 7);
    CHECK(value_of("(1 + 2) * a") == 9);
    CHECK(value_of("a - b - 1") == -2);
    CHECK(value_of("-a + b") == 1);
    CHECK(value_of("a < b and not a == b") == 1);
    CHECK(value_of("a > b or b >= 4") == 1);
    CHECK(value_of("max(a, b) - min(a, b)") == 1);
    CHECK(value_of("a / b") == 0.75);
  }
  TEST_CASE("round goes half to even, as HOPS rounds its warm-up") {
    CHECK(value_of("round(2.5)") == 2);
    CHECK(value_of("round(3.5)") == 4);
    CHECK(value_of("round(a / 2)") == 2);
  }
  TEST_CASE("what is no condition is refused") {
    for (const char* text :
         {"", "a +", "a b", "c", "(a", "max(a)", "1..2", "a == ", "not", "a &", "notice"}) {
      INFO(text);
      CHECK(refused(text));
    }
    CHECK(refused(std::string(500, '(')));
    CHECK(refused(std::string(500, '-') + "a"));
    std::string deep = "a";
    for (int i = 0; i < 100; ++i) deep = "a + (" + deep + ")";
    CHECK(refused(deep));
  }
  TEST_CASE("the first rule that yields a ready operation wins") {
    const std::vector<std::string> rules{"in_flight >= ranks - rank: I", "F", "W", "I"};
    const auto policy = compile_policy(true, rules, "p");
    REQUIRE(policy.ok());
    const std::vector<StageMeans> costs(2);
    const PolicyState state(policy.value(), 2, 8, costs);
    RankView v;
    v.rank = 0;
    v.forward_ready = true;
    CHECK(state.next(v) == OpKind::Forward);
    v.forwards = 2;
    v.backward_ready = true;
    CHECK(state.next(v) == OpKind::InputGrad);
    v.forward_ready = v.backward_ready = false;
    CHECK_FALSE(state.next(v).has_value());
    v.weight_ready = true;
    CHECK(state.next(v) == OpKind::WeightGrad);
  }
  TEST_CASE("rules say where they are wrong") {
    const auto wrong =
        compile_policy(true, std::vector<std::string>{"F", "B", "rank > x: I", "later"}, "p");
    REQUIRE_FALSE(wrong.ok());
    const Diagnostics& d = wrong.diagnostics();
    REQUIRE(d.size() == 3);
    CHECK(d[0].path == "p.rules[1]");
    CHECK(d[0].code == Code::PolicySplit);
    CHECK(d[1].path == "p.rules[2]");
    CHECK(d[1].code == Code::PolicySyntax);
    CHECK(d[2].path == "p.rules[3]");
  }
  TEST_CASE("every policy of HOPS compiles") {
    for (const ScheduleInfo& info : all_schedules()) {
      if (info.rules.empty()) continue;
      const std::vector<std::string> rules(info.rules.begin(), info.rules.end());
      CHECK(compile_policy(info.split_backward, rules, "").ok());
    }
  }
}

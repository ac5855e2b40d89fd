#include "schedule/policy.hpp"

#include <algorithm>
#include <array>

#include "schedule/registry.hpp"

namespace sluice {
namespace {

// The first five change during a run; the order is that of `next` and of the constructor.
constexpr std::array<std::string_view, 18> kNames{"forwards",       "backwards",
                                                  "weights",        "in_flight",
                                                  "forwards_left",  "rank",
                                                  "ranks",          "microbatches",
                                                  "forward_ms",     "input_grad_ms",
                                                  "weight_grad_ms", "total_ms",
                                                  "max_forward_ms", "max_forward_input_ms",
                                                  "max_total_ms",   "bottleneck",
                                                  "last_total_ms",  "last_weight_grad_ms"};
constexpr std::size_t kMoving = 5;
constexpr std::size_t kMostNames = 32;
static_assert(kNames.size() <= kMostNames);

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<OpKind> kind_of(std::string_view text) {
  if (text == "F") return OpKind::Forward;
  if (text == "B") return OpKind::Backward;
  if (text == "I") return OpKind::InputGrad;
  if (text == "W") return OpKind::WeightGrad;
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> policy_names() {
  return kNames;
}

Result<Policy> compile_policy(bool split, std::span<const std::string> rules,
                              const std::string& path) {
  Policy policy;
  policy.split = split;
  Diagnostics problems;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string at = path + ".rules[" + std::to_string(i) + "]";
    const std::size_t colon = rules[i].rfind(':');
    const std::string_view text(rules[i]);
    const std::string_view last =
        trimmed(colon == std::string::npos ? text : text.substr(colon + 1));
    const auto kind = kind_of(last);
    if (!kind) {
      problems.push_back(
          error(Code::PolicySyntax, at,
                "a rule ends in one of F, B, I, W, not \"" + std::string(last.substr(0, 40)) + "\"",
                "write a kind, or \"condition: kind\""));
      continue;
    }
    const bool half = *kind == OpKind::InputGrad || *kind == OpKind::WeightGrad;
    if (half != split && *kind != OpKind::Forward) {
      problems.push_back(error(Code::PolicySplit, at,
                               split ? "with split: true the backward is I and W, not B"
                                     : "with split: false the backward is B, not I and W"));
      continue;
    }
    PolicyRule rule;
    rule.kind = *kind;
    if (colon != std::string::npos) {
      Result<Expression> condition = Expression::compile(text.substr(0, colon), kNames);
      if (!condition) {
        Diagnostic d = condition.diagnostics().front();
        d.path = at;
        problems.push_back(std::move(d));
        continue;
      }
      rule.condition = std::move(condition).value();
    }
    policy.rules.push_back(std::move(rule));
  }
  if (!problems.empty()) return problems;
  return policy;
}

PolicyState::PolicyState(const Policy& policy, int ranks, int microbatches,
                         std::span<const StageMeans> costs)
    : policy_(policy), names_(kNames.size()) {
  const auto total = [](const StageMeans& s) {
    return s.forward_ms + s.input_grad_ms + s.weight_grad_ms;
  };
  const auto forward_input = [](const StageMeans& s) { return s.forward_ms + s.input_grad_ms; };
  double max_forward = 0;
  double max_forward_input = 0;
  double max_total = 0;
  std::size_t bottleneck = 0;
  for (std::size_t s = 0; s < costs.size(); ++s) {
    max_forward = std::max(max_forward, costs[s].forward_ms);
    max_total = std::max(max_total, total(costs[s]));
    if (forward_input(costs[s]) > max_forward_input) {
      max_forward_input = forward_input(costs[s]);
      bottleneck = s;
    }
  }
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    const StageMeans& own = costs[r];
    const std::array<double, kNames.size()> values{0,
                                                   0,
                                                   0,
                                                   0,
                                                   0,
                                                   static_cast<double>(r),
                                                   static_cast<double>(ranks),
                                                   static_cast<double>(microbatches),
                                                   own.forward_ms,
                                                   own.input_grad_ms,
                                                   own.weight_grad_ms,
                                                   total(own),
                                                   max_forward,
                                                   max_forward_input,
                                                   max_total,
                                                   static_cast<double>(bottleneck),
                                                   total(costs.back()),
                                                   costs.back().weight_grad_ms};
    fixed_.insert(fixed_.end(), values.begin(), values.end());
  }
}

std::optional<OpKind> PolicyState::next(const RankView& view) const {
  std::array<double, kMostNames> values;
  std::copy_n(fixed_.begin() + static_cast<std::ptrdiff_t>(view.rank * names_), names_,
              values.begin());
  values[0] = view.forwards;
  values[1] = view.backwards;
  values[2] = view.weights;
  values[3] = static_cast<double>(view.forwards) - static_cast<double>(view.backwards);
  values[4] = static_cast<double>(view.forwards_left);
  static_assert(kMoving == 5);
  for (const PolicyRule& rule : policy_.rules) {
    const bool ready = rule.kind == OpKind::Forward      ? view.forward_ready
                       : rule.kind == OpKind::WeightGrad ? view.weight_ready
                                                         : view.backward_ready;
    if (!ready) continue;
    if (!rule.condition || rule.condition->evaluate(std::span(values).first(names_)) != 0)
      return rule.kind;
  }
  return std::nullopt;
}

}  // namespace sluice

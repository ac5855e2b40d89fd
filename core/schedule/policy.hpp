// Policies as data: for an idle rank the first rule that yields a ready operation wins.
// The engine asks through `PolicyState::next`; a policy never sees time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schedule/expression.hpp"
#include "schedule/operation.hpp"

namespace sluice {

struct StageMeans;

/// "condition: kind", the condition compiled; without one it always holds.
struct PolicyRule {
  std::optional<Expression> condition;
  OpKind kind = OpKind::Forward;
};

struct Policy {
  /// Whether backwards are split into I and W.
  bool split = false;
  std::vector<PolicyRule> rules;
};

/// Names a condition may use. Counts are of completed operations of the rank's stage in this batch;
/// `in_flight` is forwards minus backwards; `forwards_left` counts over all stages; times are mean
/// ms of the rank's stage, `max_*` and `bottleneck` (the stage with the largest forward + input
/// gradient) over all.
std::span<const std::string_view> policy_names();

/// Compiles rules. Kinds are F and, split, I and W, otherwise B.
/// Diagnostics: policy.syntax, policy.split, with the path `rules[i]` below `path`.
Result<Policy> compile_policy(bool split, std::span<const std::string> rules,
                              const std::string& path);

/// What an idle rank looks like to a policy.
struct RankView {
  std::uint32_t rank = 0;
  std::uint32_t forwards = 0;
  std::uint32_t backwards = 0;
  std::uint32_t weights = 0;
  std::uint64_t forwards_left = 0;
  bool forward_ready = false;
  bool backward_ready = false;
  bool weight_ready = false;
};

/// A policy set up for one run.
class PolicyState {
 public:
  PolicyState(const Policy& policy, int ranks, int microbatches, std::span<const StageMeans> costs);

  /// The kind that the rank should run now, or nothing. Cost: O(rules).
  [[nodiscard]] std::optional<OpKind> next(const RankView& view) const;

 private:
  Policy policy_;
  /// Values of the names that do not change in a run, one block a rank.
  std::vector<double> fixed_;
  std::size_t names_ = 0;
};

}  // namespace sluice

// The planner of heterogeneous pipelines: nodes are divided into pipelines, each planned by itself,
// and the batch is divided over them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "search/hpp/split.hpp"

namespace sluice::hpp {

struct PlannedPipeline {
  NodeCounts nodes;
  Pipeline pipeline;
  std::int64_t microbatches = 0;
};

struct HppPlan {
  /// Of the closed form: the slowest pipeline, and the sum of the gradients behind it.
  double ms = 0;
  double sync_ms = 0;
  std::vector<PlannedPipeline> pipelines;
};

/// What makes the search fast; each can be switched off, and the plan stays the same while
/// `tolerance` is 1.
struct PlannerOptions {
  /// Nodes that were planned as a pipeline are not planned again.
  bool cache = true;
  /// Divisions whose bound says that they are not better are not looked at.
  bool skip = true;
  /// Those of the least bound come first.
  bool order = true;
  /// Layers are given one by one; off: the plain dynamic program over all cuts.
  bool fast_fill = true;
  /// 1 or more: a division is skipped unless its bound promises to be so many times faster.
  double tolerance = 1;
  /// Plans that are kept.
  std::size_t keep = 5;
  TemplateOptions pipelines;
  /// Only divisions into one pipeline; only pipelines of one type of node; with equal shares.
  bool single = false;
  bool one_type = false;
  bool equal_shares = false;
};

struct PlannerCounts {
  /// Divisions of the nodes, and those that were looked at.
  std::uint64_t configurations = 0;
  std::uint64_t evaluated = 0;
  /// Pipelines that were planned, over given nodes, and the forms of them that were tried.
  std::uint64_t templates = 0;
  std::uint64_t forms = 0;
};

class Planner {
 public:
  /// `sync_ms`: what the gradients of a plan take behind its pipelines. The problem must outlive
  /// the planner.
  using SyncMs = std::function<double(const std::vector<PlannedPipeline>&)>;
  Planner(const Problem& problem, PlannerOptions options, SyncMs sync_ms);

  /// So many more pipelines planned or divisions looked at; true when over. Where there are too
  /// many divisions, nodes go in groups (`group`).
  bool step(std::uint64_t units);
  [[nodiscard]] std::uint64_t done() const { return done_; }
  /// Grows as divisions are found.
  [[nodiscard]] std::uint64_t total() const;
  /// Best first.
  [[nodiscard]] const std::vector<HppPlan>& plans() const { return plans_; }
  [[nodiscard]] const PlannerCounts& counts() const { return counts_; }
  /// Nodes of a type that stay together.
  [[nodiscard]] const std::vector<int>& group() const { return group_; }
  /// Times of stages, for who wants more of a plan.
  [[nodiscard]] StageTimes& times() { return times_; }

 private:
  /// Parts, by their index in `parts_`.
  struct Division {
    std::vector<std::uint32_t> parts;
    double bound = 0;
  };
  enum class Phase : std::uint8_t { Plan, Bound, Evaluate, Over };

  void choose_groups();
  bool divide(std::size_t most);
  bool divide_rest(std::vector<int>& rest, std::uint32_t from, std::vector<std::uint32_t>& taken,
                   std::size_t most);
  const std::vector<Pipeline>& forms_of(std::uint32_t part);
  void bound(Division& division);
  void evaluate(const Division& division);
  std::optional<Split> split(const std::vector<const std::vector<Pipeline>*>& forms) const;
  void keep(HppPlan plan);

  const Problem& problem_;
  PlannerOptions options_;
  SyncMs sync_ms_;
  StageTimes times_;
  std::vector<int> group_;
  /// Node counts of every possible part, in groups; ascending.
  std::vector<NodeCounts> parts_;
  std::map<std::uint32_t, std::vector<Pipeline>> forms_;
  /// Without a cache: of the division at hand.
  std::vector<std::vector<Pipeline>> scratch_;
  std::vector<Division> divisions_;
  Phase phase_ = Phase::Plan;
  std::size_t next_ = 0;
  std::uint64_t done_ = 0;
  std::vector<HppPlan> plans_;
  PlannerCounts counts_;
};

}  // namespace sluice::hpp

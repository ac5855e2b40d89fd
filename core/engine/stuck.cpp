// Why a run cannot go on, in words.
#include <string>

#include "engine/hot_path.hpp"

namespace sluice {

void Engine::stop_at_time_limit() {
  if (over_) return;
  over_ = true;
  problems_.push_back(
      error(Code::LimitTime, "simulation",
            "random durations and outages took the run beyond 100 days of simulated "
            "time, the most that is kept exactly",
            "`sluice campaign` simulates months and years"));
}

void Engine::stop_without_end() {
  if (over_) return;
  over_ = true;
  problems_.push_back(error(
      Code::LimitOperations, "failure",
      "outages interrupt the work over and over: batch " + std::to_string(batch_) + " does not end",
      "shorter outages, a smaller probability, or a longer check interval"));
}

void Engine::report_stuck() {
  over_ = true;
  if (program_.plan.order) {
    Diagnostics cycle = check_order(*program_.plan.order);
    if (!cycle.empty()) {
      for (Diagnostic& d : cycle) d.path = "pipeline.schedule";
      problems_.insert(problems_.end(), cycle.begin(), cycle.end());
      return;
    }
  }
  if (!streams_.empty()) {
    problems_.push_back(error(
        Code::OrderDeadlock, "simulation.communication",
        "communication deadlocks in batch " + std::to_string(batch_) + ": " + communication_cycle(),
        "asynchronous communication, or an order in which one of them receives first"));
    return;
  }
  std::string heads;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank& r = ranks_[i];
    std::string what;
    if (program_.plan.order) {
      if (r.next < r.end) what = operation_text(*program_.plan.order, operations_[r.next]);
    } else if (r.forwards < microbatches_ || r.backwards < microbatches_ ||
               (program_.plan.split_backward && r.weights < microbatches_)) {
      what = std::to_string(r.forwards) + " F, " + std::to_string(r.backwards) +
             (program_.plan.split_backward ? " I, " + std::to_string(r.weights) + " W" : " B") +
             " of " + std::to_string(microbatches_) + " done, no rule applies";
    }
    if (what.empty()) continue;
    heads += (heads.empty() ? "" : "; ") + std::string("rank ") + std::to_string(i) + ": " + what;
  }
  problems_.push_back(
      error(Code::OrderDeadlock, "pipeline.schedule",
            "the schedule deadlocks in batch " + std::to_string(batch_) + ": " + heads,
            "no rank can start anything and nothing is under way"));
}

// What a stuck rank does, and which rank it waits for.
std::string Engine::waiting_text(std::uint32_t rank, std::uint32_t& holder) const {
  const auto& ranks = program_.plan.placement.rank_of_stage;
  const Order& order = *program_.plan.order;
  const std::string who = "rank " + std::to_string(rank);
  const Stream& s = streams_[rank];
  if (!s.waiting.empty() && !s.waiting.front().receive) {
    const Operation& op = s.waiting.front().op;
    const bool forward = op.kind == OpKind::Forward || op.kind == OpKind::Overlapped;
    holder = ranks[forward ? op.stage + 1U : op.stage - 1U];
    return who + " sends the output of " + operation_text(order, op) + " to rank " +
           std::to_string(holder) + ", which does not receive it";
  }
  const Rank& r = ranks_[rank];
  if (r.next == r.end) {
    holder = rank;
    return who + " is done";
  }
  Operation op = operations_[r.next];
  const std::uint32_t* slot = awaited(op);
  if ((slot == nullptr || arrived(*slot)) && op.kind == OpKind::Overlapped)
    op = operations_[r.next + 1];
  holder = ranks[source_stage(op)];
  return who + " in front of " + operation_text(order, operations_[r.next]) + " waits for rank " +
         std::to_string(holder);
}

// Follows who waits for whom until that repeats.
std::string Engine::communication_cycle() const {
  std::uint32_t rank = 0;
  while (rank + 1 < ranks_.size() && ranks_[rank].next == ranks_[rank].end &&
         streams_[rank].waiting.empty())
    ++rank;
  std::vector<std::uint32_t> path;
  while (std::find(path.begin(), path.end(), rank) == path.end()) {
    path.push_back(rank);
    std::uint32_t holder = rank;
    (void)waiting_text(rank, holder);
    rank = holder;
  }
  std::string text;
  for (auto at = std::find(path.begin(), path.end(), rank); at != path.end(); ++at) {
    std::uint32_t holder = 0;
    text += (text.empty() ? "" : "; ") + waiting_text(*at, holder);
  }
  return text;
}

}  // namespace sluice

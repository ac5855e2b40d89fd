#include "search/channels.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace sluice {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// Operations are the first nodes, in the order's own numbering without its gaps; a message has the
// number of its sender behind all of them.
class ChannelGraph {
 public:
  ChannelGraph(const Order& order, const ChannelRules& rules) : order_(order) {
    number_operations();
    connect_needs();
    add_edges(rules);
  }

  std::string ring() {
    std::vector<std::uint32_t> waits(edges_.size(), 0);
    for (const auto& out : edges_) {
      for (const std::uint32_t to : out) ++waits[to];
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t n = 0; n < waits.size(); ++n) {
      if (waits[n] == 0) ready.push_back(n);
    }
    std::size_t done = 0;
    while (!ready.empty()) {
      const std::uint32_t n = ready.back();
      ready.pop_back();
      ++done;
      for (const std::uint32_t to : edges_[n]) {
        if (--waits[to] == 0) ready.push_back(to);
      }
    }
    return done == edges_.size() ? "" : ring_text(waits);
  }

 private:
  void number_operations() {
    for (int r = 0; r < order_.ranks(); ++r) {
      first_.push_back(static_cast<std::uint32_t>(operations_.size()));
      for (const Operation& op : order_.of_rank(r)) {
        operations_.push_back(op);
        rank_.push_back(r);
      }
    }
    first_.push_back(static_cast<std::uint32_t>(operations_.size()));
  }

  [[nodiscard]] std::size_t slot(std::size_t stage, const Operation& op, bool forward) const {
    const auto units =
        static_cast<std::size_t>(order_.microbatches) * static_cast<std::size_t>(order_.slices);
    return (stage * units + std::size_t{op.microbatch} * static_cast<std::size_t>(order_.slices) +
            op.slice) *
               2 +
           (forward ? 0 : 1);
  }

  static bool forward(const Operation& op) {
    return op.kind == OpKind::Forward || op.kind == OpKind::Overlapped;
  }

  // Which operation gives each one what it needs from another stage.
  void connect_needs() {
    const auto per_pipe = static_cast<std::size_t>(order_.placement.stages());
    const auto stages = static_cast<std::size_t>(order_.placement.total_stages());
    const Operation last{.kind = OpKind::Forward,
                         .slice = static_cast<std::uint8_t>(order_.slices - 1),
                         .stage = 0,
                         .microbatch = static_cast<std::uint32_t>(order_.microbatches - 1)};
    std::vector<std::uint32_t> at(slot(stages - 1, last, false) + 1, kNone);
    for (std::uint32_t n = 0; n < operations_.size(); ++n) {
      const Operation& op = operations_[n];
      if (op.kind != OpKind::WeightGrad) at[slot(op.stage, op, forward(op))] = n;
    }
    source_.assign(operations_.size(), kNone);
    for (std::uint32_t n = 0; n < operations_.size(); ++n) {
      const Operation& op = operations_[n];
      if (op.kind == OpKind::WeightGrad) continue;
      const std::size_t s = op.stage;
      if (forward(op)) {
        if (s % per_pipe > 0) source_[n] = at[slot(s - 1, op, true)];
      } else if ((s + 1) % per_pipe > 0) {
        source_[n] = at[slot(s + 1, op, false)];
      }
    }
  }

  void edge(std::uint32_t from, std::uint32_t to) { edges_[from].push_back(to); }

  void add_edges(const ChannelRules& rules) {
    const auto n = static_cast<std::uint32_t>(operations_.size());
    edges_.resize(std::size_t{2} * n);
    std::map<std::pair<int, int>, std::vector<std::uint32_t>> channels;
    std::vector<std::uint32_t> user(n, kNone);
    for (std::uint32_t i = 0; i < n; ++i) {
      const bool begins = i == first_[static_cast<std::size_t>(rank_[i])];
      if (!begins) edge(i - 1, i);
      const std::uint32_t from = source_[i];
      if (from == kNone) continue;
      if (rank_[from] == rank_[i]) {
        edge(from, i);
      } else {
        user[from] = i;
      }
    }
    for (std::uint32_t from = 0; from < n; ++from) {
      const std::uint32_t use = user[from];
      if (use == kNone) continue;
      const std::uint32_t message = n + from;
      edge(from, message);
      edge(message, use);
      const bool last = from + 1 == first_[static_cast<std::size_t>(rank_[from]) + 1];
      if (rules.blocking && !last) edge(message, from + 1);
      std::vector<std::uint32_t>& channel = channels[{rank_[from], rank_[use]}];
      if (!channel.empty()) edge(n + channel.back(), message);
      const auto room = static_cast<std::size_t>(rules.buffers);
      if (room == 0) {
        // Taken once the receiver has done everything before, its own sending included.
        if (use != first_[static_cast<std::size_t>(rank_[use])]) {
          edge(use - 1, message);
          if (rules.blocking && user[use - 1] != kNone) edge(n + use - 1, message);
        }
      } else if (channel.size() >= room) {
        edge(user[channel[channel.size() - room]], message);
      }
      channel.push_back(from);
    }
  }

  [[nodiscard]] std::string name(std::uint32_t node) const {
    const auto n = static_cast<std::uint32_t>(operations_.size());
    const std::uint32_t i = node < n ? node : node - n;
    const std::string text = operation_text(order_, operations_[i]);
    const std::string rank = "rank " + std::to_string(rank_[i]);
    return node < n ? rank + " in front of " + text : "the message of " + text + " from " + rank;
  }

  // Walks back among nodes that never became ready until one is met again.
  [[nodiscard]] std::string ring_text(const std::vector<std::uint32_t>& waits) const {
    std::vector<std::uint32_t> blocker(edges_.size(), kNone);
    for (std::uint32_t n = 0; n < edges_.size(); ++n) {
      if (waits[n] == 0) continue;
      for (const std::uint32_t to : edges_[n]) {
        if (blocker[to] == kNone) blocker[to] = n;
      }
    }
    std::uint32_t at = 0;
    while (waits[at] == 0) ++at;
    for (std::size_t i = 0; i < edges_.size(); ++i) at = blocker[at];
    std::string out;
    std::uint32_t n = at;
    do {
      out += name(n) + " waits for ";
      n = blocker[n];
    } while (n != at);
    return out + name(at);
  }

  const Order& order_;
  std::vector<Operation> operations_;
  std::vector<int> rank_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> source_;
  std::vector<std::vector<std::uint32_t>> edges_;
};

}  // namespace

std::string channel_deadlock(const Order& order, const ChannelRules& rules) {
  return ChannelGraph(order, rules).ring();
}

int buffers_needed(const Order& order) {
  int low = 1;
  int high = std::max(1, order.microbatches * order.slices * order.placement.chunks() * 2);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (channel_deadlock(order, {.buffers = middle, .blocking = false}).empty()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace sluice

// AMDP: D / 2 pipelines of one model in both directions over the same D ranks. The first stage of
// each takes two microbatches a round; all microbatches of some rounds make one update, which each
// rank applies in the middle of the next round, so that nothing ever drains.
#include "schedule/families/amdp.hpp"

#include <algorithm>
#include <utility>

#include "base/stable_order.hpp"
#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

constexpr std::string_view kVariants[] = {"device", "eager"};
constexpr std::string_view kModes[] = {"fixed", "greedy", "strict2", "best"};
constexpr int kDevice = 0;
constexpr int kEager = 1;
constexpr int kFixed = 0;
constexpr int kGreedy = 1;
constexpr int kStrict = 2;
constexpr int kBest = 3;

int rounds_of(const ScheduleRequest& request) {
  return request.number("rounds", std::max(1, per_batch(request) / request.ranks));
}
bool has_written_order(const ScheduleRequest& request) {
  return request.ranks % 4 == 0;
}
int mode_of(const ScheduleRequest& request) {
  return request.number("mode", has_written_order(request) ? kFixed : kGreedy);
}

AmdpShape shape_of(const ScheduleRequest& request) {
  return {.devices = request.ranks,
          .pipes = request.ranks / 2,
          .rounds = request.microbatches / request.ranks,
          .rounds_per_update = rounds_of(request)};
}

Placement placement_of(const ScheduleRequest& request) {
  const AmdpShape shape = shape_of(request);
  Placement out;
  out.ranks = shape.devices;
  out.pipes = shape.pipes;
  for (int pipe = 0; pipe < shape.pipes; ++pipe) {
    for (int s = 0; s < shape.devices; ++s)
      out.rank_of_stage.push_back(static_cast<std::uint16_t>(shape.rank_of(pipe, s)));
  }
  return out;
}

/// A rank's list, with the place of its update in each round: an entry that it comes before.
struct RankList {
  std::vector<Operation> operations;
  std::vector<std::size_t> slots;
};

/// Takes forwards and backwards from their cycles, as the written order asks for them.
class RankWriter {
 public:
  RankWriter(const AmdpShape& shape, int rank) : shape_(shape) {
    // By how far the operation is from where its pass begins; no two are equally far.
    const auto cycle = [&](bool forward) {
      std::vector<Operation> by_depth(static_cast<std::size_t>(shape.devices) + 2);
      std::vector<bool> taken(by_depth.size(), false);
      for (int pipe = 0; pipe < shape.pipes; ++pipe) {
        const int stage = shape.stage_of(pipe, rank);
        for (int j = 0; j < 2; ++j) {
          const int depth = 2 * j + (forward ? stage : shape.devices - 1 - stage);
          by_depth[static_cast<std::size_t>(depth)] = {
              .kind = forward ? OpKind::Forward : OpKind::Backward,
              .slice = 0,
              .stage = static_cast<std::uint16_t>(pipe * shape.devices + stage),
              .microbatch = static_cast<std::uint32_t>(j * shape.pipes + pipe)};
          taken[static_cast<std::size_t>(depth)] = true;
        }
      }
      std::vector<Operation> out;
      for (std::size_t depth = 0; depth < taken.size(); ++depth) {
        if (taken[depth]) out.push_back(by_depth[depth]);
      }
      return out;
    };
    forwards_ = cycle(true);
    backwards_ = cycle(false);
    edge_ = rank % 4 == 0 || rank % 4 == 3;
  }

  RankList write() {
    const int d = shape_.devices;
    for (int round = 0; round < shape_.rounds; ++round) {
      const int left = round > 0 ? 1 : 0;
      if (edge_) {
        forward(2);
        backward(left);
        forward(d - 3);
        backward(1);
        // At depth 4 the update comes before the last forward.
        if (d == 4) slot();
        forward(1);
        if (d != 4) slot();
        backward(d - 2);
      } else {
        backward(left);
        forward(d);
        slot();
        backward(d - 1);
      }
    }
    backward(1);
    return std::move(out_);
  }

 private:
  void add(const std::vector<Operation>& cycle, std::size_t& taken, int count) {
    for (; count > 0; --count, ++taken) {
      Operation op = cycle[taken % cycle.size()];
      op.microbatch += static_cast<std::uint32_t>(taken / cycle.size() * cycle.size());
      out_.operations.push_back(op);
    }
  }
  void forward(int count) { add(forwards_, forwards_taken_, count); }
  void backward(int count) { add(backwards_, backwards_taken_, count); }
  void slot() { out_.slots.push_back(out_.operations.size()); }

  const AmdpShape& shape_;
  std::vector<Operation> forwards_;
  std::vector<Operation> backwards_;
  std::size_t forwards_taken_ = 0;
  std::size_t backwards_taken_ = 0;
  bool edge_ = false;
  RankList out_;
};

std::vector<RankList> written(const AmdpShape& shape) {
  std::vector<RankList> out;
  for (int rank = 0; rank < shape.devices; ++rank) out.push_back(RankWriter(shape, rank).write());
  return out;
}

// Of a greedy list: behind the last forward of a round and the last backward of the one before it,
// where the written order has them.
std::vector<std::size_t> slots_of(const AmdpShape& shape, const std::vector<Operation>& list) {
  std::vector<std::size_t> out(static_cast<std::size_t>(shape.rounds), 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const int round =
        shape.round_of(list[i].microbatch) + (list[i].kind == OpKind::Backward ? 1 : 0);
    if (round < shape.rounds) out[static_cast<std::size_t>(round)] = i + 1;
  }
  return out;
}

struct Update {
  std::size_t before = 0;
  int number = 0;
  std::uint16_t stage = kAllStages;
};

// Of a rank: in the first round of an update's microbatches comes the update before them; the last
// one when all is done.
std::vector<Update> device_updates(const AmdpShape& shape, const RankList& list) {
  std::vector<Update> out;
  const int updates = shape.rounds / shape.rounds_per_update;
  for (int u = 1; u < updates; ++u)
    out.push_back({list.slots[static_cast<std::size_t>(u * shape.rounds_per_update)], u - 1});
  out.push_back({list.operations.size(), updates - 1});
  return out;
}

// Each stage as soon as every copy of it has made its last gradient.
std::vector<std::vector<Update>> eager_updates(const AmdpShape& shape, const TimedOrder& played) {
  const auto stages = static_cast<std::size_t>(shape.devices);
  const auto updates = static_cast<std::size_t>(shape.rounds / shape.rounds_per_update);
  std::vector<double> made(stages * updates, 0);
  for (std::size_t r = 0; r < played.ranks.size(); ++r) {
    for (std::size_t i = 0; i < played.ranks[r].size(); ++i) {
      const Operation& op = played.ranks[r][i];
      if (op.kind != OpKind::Backward) continue;
      const auto update = static_cast<std::size_t>(shape.update_of(op.microbatch));
      double& last = made[update * stages + op.stage % stages];
      last = std::max(last, played.end[r][i]);
    }
  }
  std::vector<std::vector<Update>> out(played.ranks.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    const std::vector<double>& starts = played.start[r];
    for (int pipe = 0; pipe < shape.pipes; ++pipe) {
      const int stage = shape.stage_of(pipe, static_cast<int>(r));
      for (std::size_t u = 0; u < updates; ++u) {
        const double at = made[u * stages + static_cast<std::size_t>(stage)];
        const auto before = std::lower_bound(starts.begin(), starts.end(), at) - starts.begin();
        out[r].push_back({static_cast<std::size_t>(before), static_cast<int>(u),
                          static_cast<std::uint16_t>(pipe * shape.devices + stage)});
      }
    }
    sort_stably(out[r], [](const Update& a, const Update& b) { return a.before < b.before; });
  }
  return out;
}

TimedOrder greedy(const AmdpShape& shape, const ScheduleRequest& request, bool strict) {
  return amdp_greedy(shape, request, strict ? 2 : 3, strict);
}

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  const AmdpShape shape = shape_of(request);
  const int mode = mode_of(request);
  std::vector<RankList> lists;
  TimedOrder played;
  bool take_greedy = mode == kGreedy || mode == kStrict;
  const bool eager = request.number("variant", kDevice) == kEager;
  if (!take_greedy) {
    lists = written(shape);
    if (eager || mode == kBest) {
      std::vector<std::vector<Operation>> ranks;
      for (const RankList& list : lists) ranks.push_back(list.operations);
      played = amdp_timed(shape, request, std::move(ranks));
    }
  }
  if (take_greedy || mode == kBest) {
    TimedOrder other = greedy(shape, request, mode == kStrict);
    take_greedy = take_greedy || other.makespan() < played.makespan();
    if (take_greedy) {
      lists.clear();
      for (const std::vector<Operation>& list : other.ranks)
        lists.push_back({list, slots_of(shape, list)});
      played = std::move(other);
    }
  }
  std::vector<std::vector<Update>> updates;
  if (eager) updates = eager_updates(shape, played);
  const auto m = static_cast<std::size_t>(shape.microbatches());
  OrderBuilder order(placement, shape.microbatches(), 2 * m);
  order.set_microbatches_per_update(shape.round_size() * shape.rounds_per_update);
  std::vector<std::uint8_t> pipes;
  for (std::uint32_t j = 0; j < m; ++j)
    pipes.push_back(static_cast<std::uint8_t>(shape.pipe_of(j)));
  order.set_pipes(std::move(pipes));
  for (std::size_t r = 0; r < lists.size(); ++r) {
    const std::vector<Update> own = eager ? updates[r] : device_updates(shape, lists[r]);
    auto next = own.begin();
    for (std::size_t i = 0; i <= lists[r].operations.size(); ++i) {
      for (; next != own.end() && next->before == i; ++next)
        order.add_update(next->number, next->stage);
      if (i == lists[r].operations.size()) break;
      const Operation& op = lists[r].operations[i];
      order.add(op.kind, op.stage, static_cast<int>(op.microbatch));
    }
    order.end_rank();
  }
  return order.take();
}

bool has_even_ranks_from_4(const ScheduleRequest& request) {
  return request.ranks >= 4 && request.ranks % 2 == 0;
}
bool has_whole_rounds(const ScheduleRequest& request) {
  return per_batch(request) == request.ranks * rounds_of(request);
}
bool has_a_mode(const ScheduleRequest& request) {
  const int mode = mode_of(request);
  return has_written_order(request) || mode == kGreedy || mode == kStrict;
}
bool has_half_of_all_stages(const ScheduleRequest& request) {
  return request.chunks == 0 || request.chunks == request.ranks / 2;
}

}  // namespace

ScheduleInfo amdp() {
  ScheduleInfo info;
  info.name = "amdp";
  info.family = "asynchronous";
  info.doc =
      "ranks / 2 pipelines in both directions that never drain: no weights are more than one "
      "update "
      "old, ranks / 2 copies of them";
  info.parameters = {
      {.name = "rounds",
       .otherwise = "microbatches of a batch / ranks",
       .doc = "Rounds of one update, of as many microbatches as ranks"},
      {.name = "variant",
       .type = ParameterType::Choice,
       .otherwise = "device",
       .least = 0,
       .most = 1,
       .doc = "device: a rank updates all its stages at once; eager: each when its "
              "gradients are summed",
       .choices = kVariants},
      {.name = "mode",
       .type = ParameterType::Choice,
       .otherwise = "fixed, or greedy where ranks are no multiple of 4",
       .least = 0,
       .most = 3,
       .doc = "fixed: as published; greedy: what is ready, earliest round first; "
              "strict2: two microbatches at a first stage; best: the faster of fixed "
              "and greedy",
       .choices = kModes},
      {.name = "zero1",
       .type = ParameterType::Boolean,
       .otherwise = "false",
       .least = 0,
       .most = 1,
       .doc = "Each rank keeps the optimizer of one of its stages"}};
  info.constraints = {
      {"even_ranks", "ranks must be even, and at least 4", has_even_ranks_from_4},
      {"whole_rounds", "microbatches of a batch must be ranks x rounds", has_whole_rounds},
      {"written_order", "mode must be greedy or strict2 where ranks are no multiple of 4",
       has_a_mode},
      {"half_of_all_stages", "chunks must be ranks / 2", has_half_of_all_stages}};
  info.synchronous = false;
  info.source = "2026, arXiv 2605.29664; general depths: this project";
  info.placement = placement_of;
  info.order = order_of;
  return info;
}

}  // namespace sluice

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "schedule/plan.hpp"
#include "search/tuner.hpp"

namespace sluice {
namespace {

double ms(std::int64_t ps) {
  return to_ms(Time{ps});
}

PlanRequest request_of(const Instance& instance, const Layout& layout, std::string_view schedule) {
  PlanRequest out;
  out.name = schedule;
  const auto ranks = static_cast<std::size_t>(instance.ranks);
  if (layout.stages() > ranks)
    out.parameters = {{"chunks", {static_cast<double>(layout.stages() / ranks)}}};
  out.microbatches = instance.microbatches;
  out.device_of_rank.assign(ranks, DeviceId{0});
  std::int64_t slowest = 0;
  for (std::size_t s = 0; s < layout.stages(); ++s) {
    const StageLoad& load = instance.load(layout, s);
    out.costs.push_back({.forward_ms = ms(load.forward),
                         .backward_ms = ms(load.backward),
                         .input_grad_ms = ms(load.input_grad),
                         .weight_grad_ms = ms(load.weight_grad)});
    if (s > 0) {
      slowest = std::max(
          slowest, instance.hop_between(layout.rank_of_stage[s - 1], layout.rank_of_stage[s]));
    }
  }
  out.transfer_ms = ms(slowest);
  return out;
}

// Which rank of the layout each rank of the schedule is; empty where there is no such naming.
std::vector<std::uint16_t> naming(const Placement& schedule, const Layout& layout) {
  if (schedule.pipes != 1 || schedule.rank_of_stage.size() != layout.stages()) return {};
  constexpr std::uint16_t kUnnamed = 0xFFFF;
  std::vector<std::uint16_t> name(static_cast<std::size_t>(schedule.ranks), kUnnamed);
  for (std::size_t s = 0; s < layout.stages(); ++s) {
    std::uint16_t& known = name[schedule.rank_of_stage[s]];
    if (known == kUnnamed) known = layout.rank_of_stage[s];
    if (known != layout.rank_of_stage[s]) return {};
  }
  // Each rank has a name, and no two the same.
  std::vector<bool> taken(name.size(), false);
  for (const std::uint16_t r : name) {
    if (r >= taken.size() || taken[r]) return {};
    taken[r] = true;
  }
  return name;
}

}  // namespace

std::optional<Order> known_order(const Instance& instance, const Layout& layout,
                                 std::string_view schedule) {
  const PlanRequest request = request_of(instance, layout, schedule);
  const Result<Placement> placement = place(request);
  if (!placement) return std::nullopt;
  const std::vector<std::uint16_t> name = naming(placement.value(), layout);
  if (name.empty()) return std::nullopt;
  const Result<Plan> plan = make_plan(request, placement.value());
  if (!plan || !plan.value().order || !plan.value().synchronous ||
      !OrderGraph::supports(*plan.value().order))
    return std::nullopt;
  const Order& order = *plan.value().order;
  std::vector<int> rank_named(name.size());
  for (std::size_t r = 0; r < name.size(); ++r) rank_named[name[r]] = static_cast<int>(r);
  Placement renamed = placement.value();
  renamed.rank_of_stage = layout.rank_of_stage;
  OrderBuilder out(renamed, order.microbatches, order.operations.size() / name.size() + 1);
  for (const int rank : rank_named) {
    for (const Operation& op : order.of_rank(rank))
      out.add(op.kind, op.stage, static_cast<int>(op.microbatch));
    out.end_rank();
  }
  return out.take();
}

}  // namespace sluice

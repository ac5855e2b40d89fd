#include "metrics/bound.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sluice {
namespace {

struct Bound {
  std::int64_t head = INT64_MAX;
  std::int64_t work = 0;
  std::int64_t tail = INT64_MAX;
};

class Bounder {
 public:
  explicit Bounder(const Program& program)
      : p_(program),
        ranks_(static_cast<std::size_t>(program.plan.ranks())),
        per_pipe_(static_cast<std::size_t>(program.plan.placement.stages())) {
    for (const std::uint32_t stage : overlapping_stages()) overlaps_[stage] = true;
  }

  Duration run() {
    const std::vector<std::int64_t> units = p_.plan.units_of_pipes();
    for (std::size_t pipe = 0; pipe < units.size(); ++pipe) {
      if (units[pipe] > 0) add_pipe(pipe, units[pipe]);
    }
    const std::int64_t plays = p_.plays;
    const bool barrier = p_.simulation.step_barrier;
    std::int64_t most = 0;
    for (const Bound& b : ranks_) {
      if (b.work == 0) continue;
      const std::int64_t ways = b.head + b.tail;
      most = std::max(most, barrier ? plays * (ways + b.work) : ways + plays * b.work);
    }
    return {most};
  }

 private:
  [[nodiscard]] std::int64_t time(std::size_t stage, OpKind kind) const {
    return p_.times[stage * kTimedKinds + static_cast<std::size_t>(kind)].fixed_ps;
  }

  /// Until the input gradient is there, which is what stages before wait for.
  [[nodiscard]] std::int64_t backward(std::size_t stage) const {
    return p_.plan.split_backward
               ? std::min(time(stage, OpKind::InputGrad), time(stage, OpKind::Backward))
               : time(stage, OpKind::Backward);
  }

  void add_pipe(std::size_t pipe, std::int64_t units) {
    std::int64_t head = 0;
    std::int64_t tail = 0;
    const auto length = static_cast<std::size_t>(p_.plan.placement.length(static_cast<int>(pipe)));
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t s = pipe * per_pipe_ + k;
      Bound& b = ranks_[p_.plan.placement.rank_of_stage[s]];
      b.head = std::min(b.head, head);
      b.tail = p_.plan.split_backward ? 0 : std::min(b.tail, tail);
      b.work += units * work(s);
      head += time(s, OpKind::Forward) + way(p_.forward_hop[s]);
      if (k + 1 < length) tail += backward(s) + way(p_.backward_hop[s + 1]);
    }
  }

  [[nodiscard]] static std::int64_t way(const Hop& hop) { return hop.wire_ps + hop.latency_ps; }

  /// A microbatch of a stage; a cell that overlaps may save what its halves have in common.
  [[nodiscard]] std::int64_t work(std::size_t stage) const {
    const std::int64_t whole =
        p_.plan.split_backward
            ? std::min(time(stage, OpKind::Backward),
                       time(stage, OpKind::InputGrad) + time(stage, OpKind::WeightGrad))
            : time(stage, OpKind::Backward);
    const std::int64_t apart = time(stage, OpKind::Forward) + whole;
    const OpTime& cell =
        p_.times[stage * kTimedKinds + static_cast<std::size_t>(OpKind::Overlapped)];
    return !overlaps_[stage] || cell.sum ? apart : std::min(apart, cell.fixed_ps);
  }

  [[nodiscard]] std::vector<std::uint32_t> overlapping_stages() {
    overlaps_.assign(static_cast<std::size_t>(p_.plan.stages()), false);
    std::vector<std::uint32_t> out;
    if (!p_.plan.order) return out;
    const Order& order = *p_.plan.order;
    for (int r = 0; r < order.ranks(); ++r) {
      bool in_cell = false;
      for (const Operation& op : order.of_rank(r)) {
        if (in_cell || op.kind == OpKind::Overlapped) out.push_back(op.stage);
        in_cell = op.kind == OpKind::Overlapped;
      }
    }
    return out;
  }

  const Program& p_;
  std::vector<Bound> ranks_;
  std::size_t per_pipe_;
  std::vector<bool> overlaps_;
};

}  // namespace

std::optional<Duration> lower_bound(const Program& program) {
  for (const OpTime& t : program.times) {
    if (t.noisy) return std::nullopt;
  }
  for (const auto* hops : {&program.forward_hop, &program.backward_hop}) {
    for (const Hop& h : *hops) {
      if (h.noisy || h.varies) return std::nullopt;
    }
  }
  return Bounder(program).run();
}

std::optional<double> gap_pct(Duration makespan, std::optional<Duration> bound) {
  if (!bound || bound->ps <= 0) return std::nullopt;
  return (static_cast<double>(makespan.ps) / static_cast<double>(bound->ps) - 1) * 100;
}

}  // namespace sluice

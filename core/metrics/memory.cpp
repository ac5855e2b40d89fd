#include "metrics/memory.hpp"

#include "metrics/versions.hpp"

namespace sluice {

MemoryLedger::MemoryLedger(const Program& program, const Costs& costs)
    : held_(program.machine.devices.size()), update_working_(held_.size()) {
  const double slices = program.plan.slices();
  // A stage that keeps several versions of its weights holds each.
  Staleness stale;
  if (program.plan.reads != WeightsRead::Newest)
    stale = staleness_of(versions_of(program.plan, program.plan.batches_in_order), program.plan);
  const auto more_versions = [&](std::size_t s) {
    return stale.stages.empty() ? 0 : static_cast<std::int64_t>(stale.stages[s].versions) - 1;
  };
  const auto piece = [&](Bytes whole) {
    return bytes_from(static_cast<double>(whole.value) / slices);
  };
  for (std::size_t s = 0; s < costs.stages.size(); ++s) {
    if (!program.plan.placement.has(s)) {
      pieces_.emplace_back();
      continue;
    }
    const StageCosts& cost = costs.stages[s];
    const std::uint32_t d = program.device_of_rank[program.plan.placement.rank_of_stage[s]];
    MemoryParts& rests = held_[d];
    Piece p{.activations = piece(cost.activation),
            .logits = {},
            .kept_for_weights = piece(cost.kept_for_weights),
            .working = {}};
    if (cost.memory) {
      const StageMemory& m = *cost.memory;
      rests.weights += m.weights * (1 + more_versions(s));
      rests.gradients += m.gradients;
      rests.optimizer += m.optimizer;
      rests.buffers += m.buffers;
      p.logits = piece(m.logits);
      p.activations -= p.logits;
      p.working = {.forward = piece(m.working.forward),
                   .backward = piece(m.working.backward),
                   .input_grad = piece(m.working.input_grad),
                   .weight_grad = piece(m.working.weight_grad),
                   .update = m.working.update};
      update_working_[d] += m.working.update;
    } else {
      rests.weights += cost.resident * (1 + more_versions(s));
    }
    pieces_.push_back(p);
    rests.reserve =
        bytes_from(costs.memory_reserve *
                   static_cast<double>(program.machine.devices[d].memory_capacity.value));
  }
}

Bytes MemoryLedger::working(const Trace& trace, std::size_t row) const {
  const OpKind kind = trace.kind_at(row);
  if (!trace.per_microbatch(row)) return update_working_[trace.resource[row]];
  const StageWorking& w = pieces_[trace.stage[row]].working;
  switch (kind) {
    case OpKind::Forward:
      return w.forward;
    case OpKind::Overlapped:
      // Its other half, the next row, runs at the same time.
      return w.forward + working(trace, row + 1);
    case OpKind::Backward:
      return w.backward;
    case OpKind::InputGrad:
      return w.input_grad;
    case OpKind::WeightGrad:
      return w.weight_grad;
    default:
      return {};
  }
}

const MemoryParts& MemoryLedger::begin(const Trace& trace, std::size_t row) {
  MemoryParts& held = held_[trace.resource[row]];
  if (!trace.done_at(row)) return held;
  const OpKind kind = trace.kind_at(row);
  if (kind == OpKind::Forward || kind == OpKind::Overlapped) {
    const Piece& p = pieces_[trace.stage[row]];
    held.activations += p.activations;
    held.logits += p.logits;
  }
  held.working = working(trace, row);
  return held;
}

const MemoryParts& MemoryLedger::end(const Trace& trace, std::size_t row) {
  MemoryParts& held = held_[trace.resource[row]];
  if (!trace.done_at(row)) return held;
  held.working = {};
  const OpKind kind = trace.kind_at(row);
  if (kind == OpKind::Backward || kind == OpKind::InputGrad) {
    const Piece& p = pieces_[trace.stage[row]];
    held.activations -= p.activations;
    held.logits -= p.logits;
    if (kind == OpKind::InputGrad) held.kept_for_weights += p.kept_for_weights;
  } else if (kind == OpKind::WeightGrad) {
    held.kept_for_weights -= pieces_[trace.stage[row]].kept_for_weights;
  }
  return held;
}

std::vector<MemoryMoment> memory_timeline(const Program& program, const Costs& costs,
                                          const Trace& trace, std::uint32_t device) {
  MemoryLedger ledger(program, costs);
  std::vector<MemoryMoment> moments{{.parts = ledger.held(device)}};
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    const OpKind kind = trace.kind_at(row);
    const bool computes = trace.per_microbatch(row) || kind == OpKind::Update;
    if (trace.resource[row] != device || !computes) continue;
    const MemoryParts& during = ledger.begin(trace, row);
    // The halves of a cell run at the same time: it begins with the first and ends with the second.
    if (!trace.second_half(row))
      moments.push_back({trace.start[row], static_cast<std::uint32_t>(row), during});
    const MemoryParts& after = ledger.end(trace, row);
    if (kind != OpKind::Overlapped) moments.push_back({trace.end[row], kNoRow, after});
  }
  return moments;
}

}  // namespace sluice

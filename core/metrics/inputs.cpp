#include "metrics/inputs.hpp"

namespace sluice {

Inputs::Inputs(const Program& program, const Trace& trace) : trace_(trace) {
  units_ = static_cast<std::size_t>(program.simulation.batches) *
           static_cast<std::size_t>(program.plan.microbatches) * trace.slices;
  for (auto* table : {&input_, &gradient_, &forward_, &backward_})
    table->assign(static_cast<std::size_t>(program.plan.stages()) * units_, kNoRow);
  for (std::uint32_t row = 0; row < trace.rows(); ++row) {
    if (trace.per_microbatch(row) && trace.done_at(row)) note(program, row);
  }
}

void Inputs::note(const Program& program, std::uint32_t row) {
  const std::uint32_t stage = trace_.stage[row];
  const OpKind kind = trace_.kind_at(row);
  const bool forward = goes_forward(kind);
  if (trace_.resource[row] < trace_.devices) {
    if (kind == OpKind::WeightGrad) return;
    (forward ? forward_ : backward_)[slot(stage, row)] = row;
    const Hop& hop = (forward ? program.forward_hop : program.backward_hop)[stage];
    if (hop.link != kNoLink) return;
  }
  const std::uint32_t place = stage % trace_.stages;
  if (forward && !program.plan.placement.closes(stage)) {
    input_[slot(stage + 1, row)] = row;
  } else if (forward) {
    // The last stage's backward begins with its own forward.
    gradient_[slot(stage, row)] = row;
  } else if (place > 0) {
    gradient_[slot(stage - 1, row)] = row;
  }
}

std::uint32_t Inputs::from_elsewhere(std::uint32_t row) const {
  const OpKind kind = trace_.kind_at(row);
  if (kind == OpKind::WeightGrad) return kNoRow;
  return (goes_forward(kind) ? input_ : gradient_)[slot(trace_.stage[row], row)];
}

std::uint32_t Inputs::own(std::uint32_t row) const {
  const OpKind kind = trace_.kind_at(row);
  if (goes_forward(kind)) return kNoRow;
  return (kind == OpKind::WeightGrad ? backward_ : forward_)[slot(trace_.stage[row], row)];
}

}  // namespace sluice

// What each device holds while a run goes on, part by part. A ledger that follows the rows of a
// trace; peaks and timelines are both read off it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.hpp"
#include "cost/costs.hpp"
#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// Bytes of a device by what fills them. Of stages with given times all that rests is `weights`.
struct MemoryParts {
  Bytes weights;
  /// Of a stage once, however many microbatches add to them.
  Bytes gradients;
  Bytes optimizer;
  /// Of microbatches between their forward and their backward, without the output layer's logits.
  Bytes activations;
  Bytes logits;
  /// Between a microbatch's I and its W: inputs and output gradients of the matrices.
  Bytes kept_for_weights;
  /// While an operation runs: gradients between operators, what it makes again.
  Bytes working;
  /// To send from and to receive in.
  Bytes buffers;
  /// Of framework, context and fragmentation.
  Bytes reserve;

  bool operator==(const MemoryParts&) const = default;
  [[nodiscard]] Bytes total() const {
    return weights + gradients + optimizer + activations + logits + kept_for_weights + working +
           buffers + reserve;
  }
};

/// A forward takes its microbatch's activations as it begins; a backward, or I and W in two parts,
/// lets them go as it ends. Rows of one device are to be told in the order they ran. Cost: O(1) a
/// row, no allocation.
class MemoryLedger {
 public:
  MemoryLedger(const Program& program, const Costs& costs);

  /// What its device holds while the row of computation runs, and once it has ended. A row that was
  /// lost to an outage holds nothing.
  const MemoryParts& begin(const Trace& trace, std::size_t row);
  const MemoryParts& end(const Trace& trace, std::size_t row);
  /// Now, by device of the machine.
  [[nodiscard]] const MemoryParts& held(std::size_t device) const { return held_[device]; }

 private:
  // Of one slice of a microbatch.
  struct Piece {
    Bytes activations;
    Bytes logits;
    Bytes kept_for_weights;
    StageWorking working;
  };

  [[nodiscard]] Bytes working(const Trace& trace, std::size_t row) const;

  std::vector<Piece> pieces_;
  std::vector<MemoryParts> held_;
  std::vector<Bytes> update_working_;
};

/// A moment from which on a device holds `parts`: the begin of an operation, or its end.
struct MemoryMoment {
  std::int64_t ps = 0;
  /// That runs from here on; kNoRow between operations.
  std::uint32_t row = kNoRow;
  MemoryParts parts;

  bool operator==(const MemoryMoment&) const = default;
};

/// All moments of a device of a finished run, in time order; two a row of computation. Its first
/// one, at 0, is what it holds before it begins. Cost: O(rows).
std::vector<MemoryMoment> memory_timeline(const Program& program, const Costs& costs,
                                          const Trace& trace, std::uint32_t device);

}  // namespace sluice

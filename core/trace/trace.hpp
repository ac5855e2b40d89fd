// What happened, as columns: one row a segment, in the order they were asked for. On one resource
// that is the order they started, but for transfers that an outage made wait. A segment is an
// operation, a transfer, a share of a collective, an update, or an outage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/column.hpp"
#include "base/units.hpp"
#include "schedule/operation.hpp"

namespace sluice {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFU;
inline constexpr std::uint16_t kNoStage = 0xFFFFU;
inline constexpr std::uint32_t kNoMicrobatch = 0xFFFFFFFFU;

/// How a segment ended. Interrupted work is done again in a row of its own.
enum class Outcome : std::uint8_t { Done = 0, Lost = 1 };

/// Time of the run whose work was thrown away, ps: from the begin of the step that was gone back to
/// until work went on.
struct Discarded {
  std::int64_t from = 0;
  std::int64_t to = 0;

  bool operator==(const Discarded&) const = default;
};

/// Resources are devices, in the order of the machine, then links.
struct Trace {
  std::uint32_t devices = 0;
  std::uint32_t microbatches = 1;
  /// Slices of a microbatch, and stages of one pipe: how `index` and `stage` are to be read.
  std::uint32_t slices = 1;
  std::uint32_t stages = 1;
  /// Events the engine applied.
  std::uint64_t events = 0;

  /// Picoseconds since the start of the run.
  Column<std::int64_t> start;
  Column<std::int64_t> end;
  /// OpKind. An overlapped cell is two rows one after the other: Overlapped, which stands for its
  /// forward and for the time of both, and the backward.
  Column<std::uint8_t> kind;
  Column<std::uint32_t> resource;
  /// Stage that computes, counted over all pipes; of a transfer the stage that sends; kNoStage when
  /// none.
  Column<std::uint16_t> stage;
  /// Operations and their transfers: (batch * microbatches + microbatch) * slices + slice. All
  /// other kinds: the batch.
  Column<std::uint32_t> index;
  /// Row that decided this one's start; kNoRow when none.
  Column<std::uint32_t> predecessor;
  /// Empty unless the run had failures.
  Column<std::uint8_t> outcome;
  /// In order of time, apart from each other. All rows that begin within one are lost, but for
  /// outages.
  std::vector<Discarded> discarded;

  bool operator==(const Trace&) const = default;

  [[nodiscard]] std::size_t rows() const { return start.size(); }
  [[nodiscard]] OpKind kind_at(std::size_t row) const { return static_cast<OpKind>(kind[row]); }
  [[nodiscard]] bool per_microbatch(std::size_t row) const {
    return kind[row] <= static_cast<std::uint8_t>(OpKind::Gradient);
  }
  [[nodiscard]] std::uint32_t microbatch_at(std::size_t row) const {
    return per_microbatch(row) ? unit_at(row) % microbatches : kNoMicrobatch;
  }
  [[nodiscard]] std::uint32_t batch_at(std::size_t row) const {
    return per_microbatch(row) ? unit_at(row) / microbatches : index[row];
  }
  /// batch * microbatches + microbatch, for rows that have one.
  [[nodiscard]] std::uint32_t unit_at(std::size_t row) const { return index[row] / slices; }
  [[nodiscard]] std::uint32_t slice_at(std::size_t row) const {
    return per_microbatch(row) ? index[row] % slices : 0;
  }
  /// Stage within its pipe; kNoStage when none.
  [[nodiscard]] std::uint16_t model_stage_at(std::size_t row) const {
    return stage[row] == kNoStage ? kNoStage : static_cast<std::uint16_t>(stage[row] % stages);
  }
  [[nodiscard]] std::uint32_t pipe_at(std::size_t row) const {
    return stage[row] == kNoStage ? 0 : stage[row] / stages;
  }
  /// The second half of an overlapped cell: its time is already counted.
  [[nodiscard]] bool second_half(std::size_t row) const {
    return row > 0 && kind[row - 1] == static_cast<std::uint8_t>(OpKind::Overlapped) &&
           kind[row] <= static_cast<std::uint8_t>(OpKind::InputGrad) && kind[row] != 0;
  }
  [[nodiscard]] bool done_at(std::size_t row) const {
    return outcome.size() == 0 || outcome[row] == static_cast<std::uint8_t>(Outcome::Done);
  }
};

/// Identifies the run: a hash over all columns, equal on every platform. Cost: O(rows), about 1 ns
/// a field.
std::uint64_t trace_hash(const Trace& trace);

/// What the row is: "F3@1", microbatch 3 of its batch on stage 1 of its pipe, with slices
/// "F3.1@2", "activation 3@0" for a message of that stage, "update".
std::string row_text(const Trace& trace, std::size_t row);

/// 16 hexadecimal digits.
std::string hash_text_of(std::uint64_t hash);

}  // namespace sluice

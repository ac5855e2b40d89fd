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

/// Resources are devices, in the order of the machine, then links.
struct Trace {
  std::uint32_t devices = 0;
  std::uint32_t microbatches = 1;
  /// Events the engine applied.
  std::uint64_t events = 0;

  /// Picoseconds since the start of the run.
  Column<std::int64_t> start;
  Column<std::int64_t> end;
  /// OpKind.
  Column<std::uint8_t> kind;
  Column<std::uint32_t> resource;
  /// Stage that computes; of a transfer the stage that sends; kNoStage when none.
  Column<std::uint16_t> stage;
  /// Operations and their transfers: batch * microbatches + microbatch. All other kinds: the batch.
  Column<std::uint32_t> index;
  /// Row that decided this one's start; kNoRow when none.
  Column<std::uint32_t> predecessor;
  /// Empty unless the run had failures.
  Column<std::uint8_t> outcome;

  bool operator==(const Trace&) const = default;

  [[nodiscard]] std::size_t rows() const { return start.size(); }
  [[nodiscard]] OpKind kind_at(std::size_t row) const { return static_cast<OpKind>(kind[row]); }
  [[nodiscard]] bool per_microbatch(std::size_t row) const {
    return kind[row] <= static_cast<std::uint8_t>(OpKind::Gradient);
  }
  [[nodiscard]] std::uint32_t microbatch_at(std::size_t row) const {
    return per_microbatch(row) ? index[row] % microbatches : kNoMicrobatch;
  }
  [[nodiscard]] std::uint32_t batch_at(std::size_t row) const {
    return per_microbatch(row) ? index[row] / microbatches : index[row];
  }
  [[nodiscard]] bool done_at(std::size_t row) const {
    return outcome.size() == 0 || outcome[row] == static_cast<std::uint8_t>(Outcome::Done);
  }
};

/// Identifies the run: a hash over all columns, equal on every platform. Cost: O(rows), about 1 ns
/// a field.
std::uint64_t trace_hash(const Trace& trace);

/// 16 hexadecimal digits.
std::string hash_text_of(std::uint64_t hash);

}  // namespace sluice

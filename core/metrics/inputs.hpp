// Which rows bring an operation what it needs: its input or gradient, and its own forward or input
// gradient. The trace names the one that decided its start; here are all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/program.hpp"
#include "trace/trace.hpp"

namespace sluice {

class Inputs {
 public:
  /// Cost: O(rows) time, and four indices a stage and microbatch.
  Inputs(const Program& program, const Trace& trace);

  /// Of an operation: the message, or the operation on the same device, that its start needs from
  /// another stage; of the last stage's backward its own forward. kNoRow for W and the first
  /// stage's forward. What was sent again after an outage stands for the message.
  [[nodiscard]] std::uint32_t from_elsewhere(std::uint32_t row) const;
  /// The same stage's own earlier row: of B and I their F, of W its I; kNoRow for F.
  [[nodiscard]] std::uint32_t own(std::uint32_t row) const;

 private:
  void note(const Program& program, std::uint32_t row);
  [[nodiscard]] std::size_t slot(std::uint32_t stage, std::uint32_t row) const {
    return std::size_t{stage} * units_ + trace_.index[row];
  }

  const Trace& trace_;
  std::size_t units_ = 0;
  std::vector<std::uint32_t> input_;
  std::vector<std::uint32_t> gradient_;
  std::vector<std::uint32_t> forward_;
  std::vector<std::uint32_t> backward_;
};

/// Whether a kind goes down the pipe: F, its message, and a cell for its forward.
constexpr bool goes_forward(OpKind kind) {
  return kind == OpKind::Forward || kind == OpKind::Overlapped || kind == OpKind::Activation;
}

}  // namespace sluice

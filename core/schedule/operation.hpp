// An operation: what a rank does to one microbatch at one stage. Kinds use PyTorch's letters.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

/// Also the kinds of trace rows; the values are part of the trace format.
enum class OpKind : std::uint8_t {
  Forward = 0,
  Backward = 1,
  InputGrad = 2,
  WeightGrad = 3,
  /// The forward of an overlapped cell; its other half, a B or an I, is the next one of the rank.
  Overlapped = 4,
  Activation = 5,
  Gradient = 6,
  AllReduce = 7,
  Update = 8,
  Barrier = 9,
  Failure = 10,
  Recompute = 11,
  Checkpoint = 12,
};
inline constexpr int kOpKinds = 13;
/// Kinds that a rank computes for a microbatch: the first four.
inline constexpr int kComputeKinds = 4;

/// "F", "B", "I", "W", "FB", "activation", ...
std::string_view kind_text(OpKind kind);

struct Operation {
  OpKind kind = OpKind::Forward;
  std::uint8_t slice = 0;
  /// Stage, counted over all pipes (Placement).
  std::uint16_t stage = 0;
  std::uint32_t microbatch = 0;

  bool operator==(const Operation&) const = default;
};

}  // namespace sluice

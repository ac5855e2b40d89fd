// Which rank holds which stage. Placement is part of a schedule: a loop, a V, waves, or several
// pipelines over the same ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// In the place of the rank of a stage that a shorter pipe does not have.
inline constexpr std::uint16_t kNoRank = 0xFFFF;

/// Stages are numbered along the model from 0; with several pipes (copies of the model that carry
/// different microbatches) the stages of pipe i follow those of pipe i - 1, so that one number
/// names stage and pipe.
struct Placement {
  int ranks = 0;
  /// "down" alone, "down" and "up", or independent pipelines.
  int pipes = 1;
  /// Entry pipe * stages() + stage.
  std::vector<std::uint16_t> rank_of_stage;
  /// Stages of each pipe where they differ; beyond them stand kNoRank. Empty: all have stages().
  std::vector<std::uint16_t> lengths;

  bool operator==(const Placement&) const = default;

  /// Stages of one pipe (of the longest), and of all.
  [[nodiscard]] int stages() const { return static_cast<int>(rank_of_stage.size()) / pipes; }
  [[nodiscard]] int total_stages() const { return static_cast<int>(rank_of_stage.size()); }
  [[nodiscard]] int rank_of(int stage) const {
    return rank_of_stage[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] int length(int pipe) const {
    return lengths.empty() ? stages() : lengths[static_cast<std::size_t>(pipe)];
  }
  [[nodiscard]] bool has(std::size_t stage) const { return rank_of_stage[stage] != kNoRank; }
  /// Whether the model begins, or ends, with the stage.
  [[nodiscard]] bool opens(std::size_t stage) const {
    return stage % static_cast<std::size_t>(stages()) == 0;
  }
  [[nodiscard]] bool closes(std::size_t stage) const {
    const auto per_pipe = static_cast<std::size_t>(stages());
    return static_cast<int>(stage % per_pipe) + 1 == length(static_cast<int>(stage / per_pipe));
  }
  /// Most stages that one rank holds: "chunks".
  [[nodiscard]] int chunks() const;
};

/// "down", "up", "pipe2", ...
std::string pipe_name(int pipe);

/// Stage k * ranks + r on rank r: one chunk is a plain pipeline, more are interleaved.
Placement loop_placement(int ranks, int chunks);

/// Zig-zag over the ranks, `legs` times: 2 legs are a V, 2w legs are w waves. The last stage of one
/// leg and the first of the next share a rank.
Placement zigzag_placement(int ranks, int legs);

/// The pipe itself ("down") and its mirror image ("up"), in which rank r has the part of rank
/// ranks - 1 - r.
Placement with_mirror(const Placement& down);

}  // namespace sluice

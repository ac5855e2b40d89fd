// Which rank holds which stage. Placement is part of a schedule: a loop, a V, waves, or several
// pipelines over the same ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// Stages are numbered along the model from 0; with several pipes (copies of the model that carry
/// different microbatches) the stages of pipe i follow those of pipe i - 1, so that one number
/// names stage and pipe.
struct Placement {
  int ranks = 0;
  /// "down" alone, or "down" and "up".
  int pipes = 1;
  /// Entry pipe * stages() + stage.
  std::vector<std::uint16_t> rank_of_stage;

  bool operator==(const Placement&) const = default;

  /// Stages of one pipe, and of all.
  [[nodiscard]] int stages() const { return static_cast<int>(rank_of_stage.size()) / pipes; }
  [[nodiscard]] int total_stages() const { return static_cast<int>(rank_of_stage.size()); }
  [[nodiscard]] int rank_of(int stage) const {
    return rank_of_stage[static_cast<std::size_t>(stage)];
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

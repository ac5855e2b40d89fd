// Which weights each pass of a microbatch reads. A stage's weights have version v when v updates
// have been applied to them since the run began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

/// Everything learning needs to know of a schedule. Microbatches are counted through all batches of
/// a run, stages along the model.
struct VersionTable {
  std::uint32_t stages = 0;
  std::uint32_t microbatches = 0;
  /// Entry microbatch * stages + stage: versions read by the forward and by the backward. A
  /// backward with stashed weights reads the version of its forward.
  std::vector<std::uint32_t> forward;
  std::vector<std::uint32_t> backward;
  /// Same entries: the update, counted from 0, that the microbatch's gradient goes into; it makes
  /// version update + 1. Updates of one stage never go back as microbatches go on.
  std::vector<std::uint32_t> update;

  [[nodiscard]] std::size_t at(std::uint32_t microbatch, std::uint32_t stage) const {
    return std::size_t{microbatch} * stages + stage;
  }
  bool operator==(const VersionTable&) const = default;
};

}  // namespace sluice

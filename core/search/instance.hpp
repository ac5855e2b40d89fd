// What a search works on: layers, ranks, and what a stage of so many layers takes on each rank.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sluice {

/// One stage: picoseconds of one microbatch, and bytes.
struct StageLoad {
  std::int64_t forward = 0;
  /// The whole backward, and the two parts of a split one.
  std::int64_t backward = 0;
  std::int64_t input_grad = 0;
  std::int64_t weight_grad = 0;
  /// Held from the start.
  std::int64_t resident = 0;
  /// Of one microbatch in flight, and what of that a weight gradient still needs.
  std::int64_t activation = 0;
  std::int64_t kept_for_weights = 0;

  bool operator==(const StageLoad&) const = default;
  /// Least that a microbatch costs the rank, and least that it takes on its way there and back.
  [[nodiscard]] std::int64_t work() const {
    return forward + std::min(backward, input_grad + weight_grad);
  }
  [[nodiscard]] std::int64_t way() const { return forward + std::min(backward, input_grad); }
};

/// Partition and placement: which layers are a stage, and which rank holds it.
struct Layout {
  std::vector<std::uint16_t> rank_of_stage;
  /// First layer of each stage, and the number of layers: one entry more than stages. Empty where
  /// layers do not move.
  std::vector<std::int32_t> cuts;
  /// Then: which of the instance's fixed layouts it is.
  std::uint16_t fixed = 0;

  bool operator==(const Layout&) const = default;
  [[nodiscard]] std::size_t stages() const { return rank_of_stage.size(); }
};

/// A placement whose stages cost what they cost.
struct FixedLayout {
  std::vector<std::uint16_t> rank_of_stage;
  std::vector<StageLoad> loads;
};

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

struct Instance {
  int ranks = 1;
  int microbatches = 1;
  int layers = 0;
  /// Whether layers move over stages, and stages over ranks; else only `fixed` is there.
  bool movable = true;
  /// Ranks of one kind cost the same.
  std::vector<std::uint16_t> kind_of_rank;
  /// Where layers move: entry [kind][edges][place(first layer, count)]; edges is 1 for the first
  /// stage, which holds the embedding, plus 2 for the last, which holds the output layer.
  std::vector<std::array<std::vector<StageLoad>, 4>> loads;
  /// All layers alike: the first layer of a stage does not matter.
  bool alike = false;
  /// Where they do not move.
  std::vector<FixedLayout> fixed;
  /// Then, of a microbatch in placements that hold each stage twice: work over all ranks, and its
  /// way on the ranks across; kUnlimited where there are none.
  std::int64_t least_total = kUnlimited;
  std::int64_t least_way = kUnlimited;
  /// Entry from * ranks + to: a message over a stage boundary, ps; 0 on the same rank.
  std::vector<std::int64_t> hop;
  /// Bytes of each rank's device that stages may use.
  std::vector<std::int64_t> memory;
  /// More for the forward of the first microbatch on the first and on the last stage, ps.
  std::int64_t first_extra = 0;
  std::int64_t last_extra = 0;

  /// Position of a stage in a table of loads: by count where all are alike, else by triangle.
  [[nodiscard]] std::size_t place(int first, int count) const {
    if (alike) return static_cast<std::size_t>(count);
    const auto f = static_cast<std::size_t>(first);
    return f * (static_cast<std::size_t>(layers) + 1) - f * (f - 1) / 2 +
           static_cast<std::size_t>(count);
  }
  [[nodiscard]] std::size_t places() const {
    return alike ? static_cast<std::size_t>(layers) + 1 : place(layers, 0) + 1;
  }
  [[nodiscard]] std::int64_t hop_between(std::size_t from, std::size_t to) const {
    return hop[from * static_cast<std::size_t>(ranks) + to];
  }
  /// Stage `s` of a layout.
  [[nodiscard]] const StageLoad& load(const Layout& layout, std::size_t s) const;
};

/// Equally many layers a stage, the remainder on the first ones.
std::vector<std::int32_t> uniform_cuts(int layers, std::size_t stages);

}  // namespace sluice

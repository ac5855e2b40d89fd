// How long a stage takes for each number of layers, with as little made again as memory asks for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "search/hpp/problem.hpp"

namespace sluice::hpp {

/// `heavy` of `layers` layers, the first ones, at level + 1, the others at `level`.
struct LayerMix {
  int level = 0;
  int heavy = 0;

  bool operator==(const LayerMix&) const = default;
};

struct StageTime {
  double ms = 0;
  LayerMix mix;
  double bytes = 0;
};

/// Bytes of one device at its fullest moment, of 1F1B with so many microbatches in flight.
double stage_bytes(const StageFigures& figures, int layers, int in_flight, LayerMix mix);

/// The least time that fits; ms is infinite where nothing does. `recompute`: levels beyond the
/// first may be taken. `bounded`: memory counts. Cost: O(levels + log(layers)).
StageTime stage_time(const StageFigures& figures, int layers, int in_flight, bool recompute,
                     bool bounded);

/// ms by layers, from 1 on, until nothing fits or the model ends.
using StageCurve = std::vector<double>;

/// Curves of a problem, each made once.
class StageTimes {
 public:
  explicit StageTimes(const Problem& problem) : problem_(problem) {}

  const StageFigures& figures(const StageShape& shape, std::int64_t micro_batch, bool first,
                              bool last);
  /// Sound until the object ends.
  const StageCurve& curve(const StageShape& shape, std::int64_t micro_batch, bool first, bool last,
                          int in_flight);

 private:
  // Type, tensor, samples of a group, edges: what the samples are of does not matter.
  using Key = std::tuple<int, int, std::int64_t, bool, bool>;
  struct Known {
    StageFigures figures;
    /// By microbatches in flight.
    std::vector<std::unique_ptr<StageCurve>> curves;
  };
  Known& known(const StageShape& shape, std::int64_t micro_batch, bool first, bool last);

  const Problem& problem_;
  std::map<Key, Known> known_;
};

}  // namespace sluice::hpp

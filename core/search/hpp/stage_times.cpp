#include "search/hpp/stage_times.hpp"

#include <algorithm>
#include <limits>

namespace sluice::hpp {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double mix_ms(const StageFigures& f, int layers, LayerMix mix) {
  const LayerLevel& light = f.levels[static_cast<std::size_t>(mix.level)];
  const double light_ms = light.first_ms + (layers - 1) * light.layer_ms;
  if (mix.heavy == 0) return light_ms;
  const LayerLevel& heavy = f.levels[static_cast<std::size_t>(mix.level) + 1];
  const double heavy_ms = heavy.first_ms + (layers - 1) * heavy.layer_ms;
  return light_ms + (heavy_ms - light_ms) * mix.heavy / layers;
}

}  // namespace

double stage_bytes(const StageFigures& f, int layers, int in_flight, LayerMix mix) {
  const LayerLevel& light = f.levels[static_cast<std::size_t>(mix.level)];
  const int plain = layers - mix.heavy;
  double kept = f.logits + plain * light.kept;
  // A backward begins with the last layer; what it has passed it has let go of.
  double working = std::max(f.forward_working, f.head_gradient);
  if (plain > 0) working = std::max(working, light.working - f.logits);
  if (mix.heavy > 0) {
    const LayerLevel& heavy = f.levels[static_cast<std::size_t>(mix.level) + 1];
    kept += mix.heavy * heavy.kept;
    working = std::max(working, heavy.working - f.logits - plain * light.kept);
  }
  return f.resident + layers * f.resident_layer +
         std::max(in_flight * kept + working, f.updating + layers * f.updating_layer);
}

StageTime stage_time(const StageFigures& f, int layers, int in_flight, bool recompute,
                     bool bounded) {
  const auto at = [&](LayerMix mix) {
    return StageTime{mix_ms(f, layers, mix), mix, stage_bytes(f, layers, in_flight, mix)};
  };
  const StageTime plain = at({});
  if (!bounded || plain.bytes <= f.room) return plain;
  StageTime best{kNever, {}, plain.bytes};
  if (!recompute) return best;
  const int mixed = f.whole < 0 ? static_cast<int>(f.levels.size()) : f.whole;
  for (int level = 0; level + 1 < mixed; ++level) {
    if (at({level, layers}).bytes > f.room) continue;
    // From here to there bytes are a fall and the largest of some slopes: they cross once.
    int low = 0;
    int high = layers;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (at({level, middle}).bytes <= f.room ? high : low) = middle;
    }
    best = at({level, high});
    break;
  }
  if (f.whole >= 0) {
    const StageTime whole = at({f.whole, 0});
    if (whole.bytes <= f.room && whole.ms < best.ms) best = whole;
  }
  return best;
}

StageTimes::Known& StageTimes::known(const StageShape& shape, std::int64_t micro_batch, bool first,
                                     bool last) {
  const std::int64_t samples = micro_batch / shape.data;
  const auto [at, made] = known_.try_emplace(Key{shape.type, shape.tensor, samples, first, last});
  if (made) at->second.figures = problem_.figures(shape, samples, first, last);
  return at->second;
}

const StageFigures& StageTimes::figures(const StageShape& shape, std::int64_t micro_batch,
                                        bool first, bool last) {
  return known(shape, micro_batch, first, last).figures;
}

const StageCurve& StageTimes::curve(const StageShape& shape, std::int64_t micro_batch, bool first,
                                    bool last, int in_flight) {
  Known& k = known(shape, micro_batch, first, last);
  const auto index = static_cast<std::size_t>(in_flight);
  if (k.curves.size() <= index) k.curves.resize(index + 1);
  if (!k.curves[index]) {
    auto curve = std::make_unique<StageCurve>();
    for (int n = 1; n <= problem_.layers; ++n) {
      const double ms =
          stage_time(k.figures, n, in_flight, problem_.recompute, problem_.bounded).ms;
      if (ms == kNever) break;
      // No more layers take less time: mixes are whole layers.
      curve->push_back(curve->empty() ? ms : std::max(ms, curve->back()));
    }
    k.curves[index] = std::move(curve);
  }
  return *k.curves[index];
}

}  // namespace sluice::hpp

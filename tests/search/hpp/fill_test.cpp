// Layers on stages, and the batch on pipelines: exact against trying everything.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "dice.hpp"
#include "search/hpp/split.hpp"
#include "search/hpp/template.hpp"

using namespace sluice;
using namespace sluice::hpp;
using namespace sluice_test;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Curves that do not fall, some of which end early: memory.
std::vector<StageCurve> random_curves(Dice& dice, int stages, int layers) {
  std::vector<StageCurve> out;
  for (int s = 0; s < stages; ++s) {
    StageCurve curve;
    double ms = dice.roll(0, 5);
    const int longest = dice.roll(0, 4) == 0 ? dice.roll(1, layers) : layers;
    for (int n = 1; n <= longest; ++n) {
      ms += dice.roll(1, 9);
      curve.push_back(ms);
    }
    out.push_back(curve);
  }
  return out;
}

double least_maximum(const std::vector<StageCurve>& curves, std::size_t stage, int layers) {
  if (stage == curves.size()) return layers == 0 ? 0 : kNever;
  double best = kNever;
  for (int n = 1; n <= std::min<int>(layers, static_cast<int>(curves[stage].size())); ++n) {
    const double rest = least_maximum(curves, stage + 1, layers - n);
    best = std::min(best, std::max(rest, curves[stage][static_cast<std::size_t>(n) - 1]));
  }
  return best;
}

Pipeline simple(std::int64_t micro_batch, double bottleneck, double fill) {
  Pipeline p;
  p.micro_batch = micro_batch;
  p.bottleneck_ms = bottleneck;
  p.fill_ms = fill;
  return p;
}

// The least time of the last to end, over every number of microbatches of each.
double best_split(const std::vector<Pipeline>& pipelines, std::size_t r, std::int64_t batch) {
  if (r == pipelines.size()) return batch == 0 ? 0 : kNever;
  double best = kNever;
  for (std::int64_t n = 0; n * pipelines[r].micro_batch <= batch; ++n) {
    const double rest = best_split(pipelines, r + 1, batch - n * pipelines[r].micro_batch);
    best = std::min(best, std::max(pipelines[r].time_ms(n), rest));
  }
  return best;
}

}  // namespace

TEST_SUITE("search/hpp") {
  TEST_CASE("layers one by one give the least maximum, as all cuts do, and as the plain program") {
    Dice dice(3);
    for (int i = 0; i < 500; ++i) {
      const int stages = dice.roll(1, 5);
      const int layers = dice.roll(stages, 12);
      const std::vector<StageCurve> curves = random_curves(dice, stages, layers);
      std::vector<const StageCurve*> pointers;
      for (const StageCurve& c : curves) pointers.push_back(&c);
      const double least = least_maximum(curves, 0, layers);
      for (const Fill fill : {Fill::Balanced, Fill::Exhaustive}) {
        const std::vector<int> found = fill_layers(pointers, {}, layers, fill);
        if (least == kNever) {
          CHECK(found.empty());
          continue;
        }
        REQUIRE(found.size() == curves.size());
        double most = 0;
        int all = 0;
        for (std::size_t s = 0; s < found.size(); ++s) {
          most = std::max(most, curves[s][static_cast<std::size_t>(found[s]) - 1]);
          all += found[s];
        }
        CHECK(most == least);
        CHECK(all == layers);
      }
    }
  }

  TEST_CASE("equal layers put the remainder first; by memory the largest remainder") {
    const StageCurve curve(40, 1);
    const std::vector<const StageCurve*> three(3, &curve);
    CHECK(fill_layers(three, {}, 40, Fill::Uniform) == std::vector<int>{14, 13, 13});
    CHECK(fill_layers(three, {64, 32, 32}, 40, Fill::ByMemory) == std::vector<int>{20, 10, 10});
    CHECK(fill_layers(three, {100, 1, 1}, 10, Fill::ByMemory) == std::vector<int>{8, 1, 1});
  }

  TEST_CASE("E7: the batch's split is as good as trying all of them, up to 3 pipelines and 64") {
    Dice dice(11);
    for (int i = 0; i < 300; ++i) {
      std::vector<Pipeline> pipelines;
      const int count = dice.roll(1, 3);
      for (int r = 0; r < count; ++r) {
        const double bottleneck = dice.roll(1, 20);
        pipelines.push_back(simple(1 << dice.roll(0, 2), bottleneck, bottleneck * dice.roll(1, 6)));
      }
      const std::int64_t batch = 4 * dice.roll(1, 16);
      std::vector<std::vector<Pipeline>> forms;
      for (const Pipeline& p : pipelines) forms.push_back({p});
      std::vector<const std::vector<Pipeline>*> pointers;
      for (const auto& f : forms) pointers.push_back(&f);
      const std::optional<Split> split = split_batch(pointers, batch);
      REQUIRE(split);
      CHECK(split->ms == doctest::Approx(best_split(pipelines, 0, batch)).epsilon(1e-12));
      CHECK(split->ms >= split_bound(pointers, batch) * (1 - 1e-12));
      std::int64_t all = 0;
      for (std::size_t r = 0; r < pipelines.size(); ++r)
        all += split->microbatches[r] * pipelines[r].micro_batch;
      CHECK(all == batch);
    }
  }

  TEST_CASE("a batch that no microbatches make is divided by nobody") {
    const std::vector<Pipeline> three{simple(3, 1, 2)};
    CHECK_FALSE(split_batch({&three}, 4));
    CHECK(split_batch({&three}, 9)->microbatches == std::vector<std::int64_t>{3});
  }

  TEST_CASE("a pipeline of two forms takes the one that does most by then") {
    // Quick to fill, or quick to go on.
    const std::vector<Pipeline> forms{simple(1, 1, 100), simple(1, 2, 4)};
    CHECK(split_batch({&forms}, 2)->form == std::vector<std::size_t>{1});
    CHECK(split_batch({&forms}, 1000)->form == std::vector<std::size_t>{0});
    CHECK(split_batch({&forms}, 1000)->ms == 100 + 999);
  }
}

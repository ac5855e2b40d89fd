// Sums of gradients across pipelines of different shape: who with whom, how much, how long.
#include "cost/gradient_groups.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "cost/transformer.hpp"
#include "dice.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

using Stage = GradientLayout::Stage;

// Stages with so many layers each and their tensor sizes, on devices from `device` on.
std::vector<Stage> pipeline(std::uint32_t& device, const std::vector<int>& layers,
                            const std::vector<int>& tensor, const std::vector<int>& data) {
  std::vector<Stage> out;
  int from = 0;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    Stage stage{
        .from = from, .layers = layers[s], .tensor = tensor[s], .data = data[s], .devices = {}};
    for (int d = 0; d < tensor[s] * data[s]; ++d) stage.devices.push_back(device++);
    from += layers[s];
    out.push_back(stage);
  }
  return out;
}

// 13B's layers, 12 h^2 + 13 h, gradients of 2 bytes, 12.5 GB/s, 20 us a message and a launch: the
// figures of the specification's worked example.
constexpr double kLayer = 12.0 * 5120 * 5120 + 13.0 * 5120;

double ms_of(const GradientLayout& layout, GradientSync sync) {
  constexpr int kTensors = 12;
  return gradient_sync_ms(
      gradient_groups(layout, sync, kTensors), 2, [](const GradientGroup& g, double bytes) {
        constexpr double kLaunch = 0.02;
        return kLaunch + all_reduce_ms(bytes, static_cast<int>(g.members.size()), {12.5e9},
                                       *time_from_ms(0.02));
      });
}

std::size_t most_collectives(const GradientLayout& layout, GradientSync sync) {
  std::size_t all = 0;
  for (const GradientGroup& g : gradient_groups(layout, sync, 12))
    all += static_cast<std::size_t>(g.collectives);
  return all;
}

GradientLayout symmetric() {
  GradientLayout out;
  out.parameters.assign(40, kLayer);
  std::uint32_t device = 0;
  for (int r = 0; r < 2; ++r) out.pipelines.push_back(pipeline(device, {20, 20}, {4, 4}, {1, 1}));
  return out;
}

GradientLayout asymmetric() {
  GradientLayout out;
  out.parameters.assign(40, kLayer);
  std::uint32_t device = 0;
  out.pipelines.push_back(pipeline(device, {24, 16}, {4, 4}, {1, 1}));
  out.pipelines.push_back(pipeline(device, {13, 13, 14}, {2, 4, 8}, {1, 1, 1}));
  return out;
}

GradientLayout random_layout(Dice& dice) {
  GradientLayout out;
  const int layers = dice.roll(3, 12);
  for (int l = 0; l < layers; ++l) out.parameters.push_back(dice.roll(1, 9));
  std::uint32_t device = 0;
  const int pipelines = dice.roll(2, 4);
  for (int r = 0; r < pipelines; ++r) {
    const int stages = dice.roll(1, std::min(4, layers));
    std::vector<int> share(static_cast<std::size_t>(stages), 1);
    for (int l = stages; l < layers; ++l)
      ++share[static_cast<std::size_t>(dice.roll(0, stages - 1))];
    std::vector<int> tensor;
    std::vector<int> data;
    for (int s = 0; s < stages; ++s) {
      tensor.push_back(1 << dice.roll(0, 3));
      data.push_back(dice.roll(1, 3));
    }
    out.pipelines.push_back(pipeline(device, share, tensor, data));
  }
  return out;
}

}  // namespace

TEST_SUITE("cost/gradient_groups") {
  TEST_CASE("E3, E4: the specification's two layouts, by its table") {
    // Symmetric: each pair sums 20 layers over 4; 2 (n - 1) / n is 1.
    CHECK(ms_of(symmetric(), GradientSync::Block) ==
          doctest::Approx(20 * kLayer / 4 * 2 / 12.5e9 * 1e3 + 3 * 0.02));
    CHECK(std::lround(ms_of(symmetric(), GradientSync::Block)) == 252);
    CHECK(most_collectives(symmetric(), GradientSync::Block) == 8);
    CHECK(most_collectives(symmetric(), GradientSync::Tensor) == 1920);
    CHECK(std::lround(ms_of(symmetric(), GradientSync::Tensor)) == 266);
    CHECK(std::lround(ms_of(asymmetric(), GradientSync::Block)) == 327);
    CHECK(most_collectives(asymmetric(), GradientSync::Block) == 20);
    CHECK(most_collectives(asymmetric(), GradientSync::Tensor) == 2592);
    CHECK(std::lround(ms_of(asymmetric(), GradientSync::Tensor)) == 346);
    CHECK(ms_of(asymmetric(), GradientSync::Device) == doctest::Approx(3844).epsilon(5e-4));
    CHECK(most_collectives(asymmetric(), GradientSync::Device) == 1);
    // Of the symmetric layout the table has 3,775 ms in one collective of all 16, but its two
    // halves share no layer: each sums its own 20.
    CHECK(std::lround(ms_of(symmetric(), GradientSync::Device)) ==
          std::lround(2.0 * 7 / 8 * 20 * kLayer * 2 / 12.5e9 * 1e3 + 15 * 0.02));
    CHECK(most_collectives(symmetric(), GradientSync::Device) == 2);
    for (const GradientLayout& l : {symmetric(), asymmetric()}) {
      CHECK(ms_of(l, GradientSync::Block) < ms_of(l, GradientSync::Tensor));
      CHECK(ms_of(l, GradientSync::Tensor) < ms_of(l, GradientSync::Device));
      // The milder reading pads to the largest of a stage number, not to the union of all.
      CHECK(ms_of(l, GradientSync::Aligned) < ms_of(l, GradientSync::Device));
    }
  }

  TEST_CASE(
      "E3: of 2,000 random layouts every part of every layer is summed once by who holds it") {
    Dice dice(7);
    for (int i = 0; i < 2000; ++i) {
      const GradientLayout layout = random_layout(dice);
      const auto groups = gradient_groups(layout, GradientSync::Block, 1);
      // What a device sums is what it holds, where somebody else holds it too: here everybody does,
      // as there are two pipelines or more.
      std::map<std::uint32_t, double> summed;
      for (const GradientGroup& g : groups) {
        CHECK(std::is_sorted(g.members.begin(), g.members.end()));
        for (const std::uint32_t d : g.members) summed[d] += g.parameters;
      }
      std::map<std::uint32_t, std::pair<std::size_t, int>> group_of;
      std::set<int> boundaries;
      int most_tensor = 1;
      for (std::size_t r = 0; r < layout.pipelines.size(); ++r) {
        int copy = 0;
        for (const Stage& s : layout.pipelines[r]) {
          boundaries.insert(s.from);
          most_tensor = std::max(most_tensor, s.tensor);
          double held = 0;
          for (int l = s.from; l < s.from + s.layers; ++l)
            held += layout.parameters[static_cast<std::size_t>(l)] / s.tensor;
          for (std::size_t d = 0; d < s.devices.size(); ++d) {
            CHECK(summed[s.devices[d]] == doctest::Approx(held));
            group_of[s.devices[d]] = {r, copy + static_cast<int>(d) / s.tensor};
          }
          copy += s.data;
        }
      }
      // One member of each pipeline's copy of the layers in it: no two of one stage's group.
      for (const GradientGroup& g : groups) {
        std::set<std::pair<std::size_t, int>> seen;
        for (const std::uint32_t d : g.members) CHECK(seen.insert(group_of[d]).second);
      }
      CHECK(groups.size() <= boundaries.size() * static_cast<std::size_t>(most_tensor));
      // One order for all: deepest layers first.
      CHECK(std::is_sorted(groups.begin(), groups.end(),
                           [](const GradientGroup& a, const GradientGroup& b) {
                             return a.first_layer > b.first_layer;
                           }));
      // The same bytes tensor by tensor, in more messages.
      double block = 0;
      double tensor = 0;
      for (const GradientGroup& g : groups)
        block += g.parameters * static_cast<double>(g.members.size());
      for (const GradientGroup& g : gradient_groups(layout, GradientSync::Tensor, 12))
        tensor += g.parameters * static_cast<double>(g.members.size());
      CHECK(block == doctest::Approx(tensor));
      CHECK(ms_of(layout, GradientSync::Block) <= ms_of(layout, GradientSync::Tensor));
    }
  }

  TEST_CASE("a part that nobody else holds is summed by nobody") {
    GradientLayout layout;
    layout.parameters = {4, 4};
    std::uint32_t device = 0;
    layout.pipelines.push_back(pipeline(device, {1, 1}, {2, 1}, {1, 2}));
    const auto groups = gradient_groups(layout, GradientSync::Block, 1);
    REQUIRE(groups.size() == 1);
    CHECK(groups.front().members == std::vector<std::uint32_t>{2, 3});
    CHECK(groups.front().parameters == 4);
    CHECK(gradient_groups(layout, GradientSync::None, 1).empty());
  }
}

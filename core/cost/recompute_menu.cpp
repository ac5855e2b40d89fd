#include "cost/recompute_menu.hpp"

#include "base/stable_order.hpp"
#include "cost/memory.hpp"

namespace sluice {
namespace {

// What is made again of one layer, as the stage's times and bytes have it.
MenuEntry entry_of(OperatorSet again, const ModelShape& model, const TransformerStage& stage,
                   const Device& device, const Calibration& calibration, Precision precision,
                   double samples, Bytes kept) {
  Recompute recompute{.kind = Recompute::Kind::Operators, .layers = {}};
  set_again(recompute, again, Recompute::kAllLayers);
  const PartTime backward =
      stage_time(OpPart::Backward, model, stage, device, calibration, samples, recompute);
  const StageMemory memory = stage_memory(model, stage, precision, samples, recompute, Bytes{0});
  return {again, backward.terms.recompute_ms,
          static_cast<double>((kept - memory.activation).value)};
}

}  // namespace

void set_again(Recompute& recompute, OperatorSet again, std::int64_t layers) {
  for (std::size_t o = 0; o < kOperators; ++o) {
    if ((again & bit(static_cast<Operator>(o))) != 0) recompute.layers[o] = layers;
  }
}

std::vector<MenuEntry> recompute_hull(const ModelShape& model, const TransformerStage& of,
                                      const Device& device, const Calibration& calibration,
                                      Precision precision, double samples) {
  TransformerStage stage = of;
  stage.layers = 1;
  stage.first = stage.last = false;
  const Bytes kept =
      stage_memory(model, stage, precision, samples, Recompute::None, Bytes{0}).activation;
  const auto made = [&](unsigned set) {
    return entry_of(static_cast<OperatorSet>(set), model, stage, device, calibration, precision,
                    samples, kept);
  };
  // Those that free nothing by themselves are made again where others need them.
  unsigned useful = 0;
  for (unsigned o = 0; o < kOperators; ++o) {
    if (made(1U << o).freed > 0) useful |= 1U << o;
  }
  std::vector<MenuEntry> all;
  for (unsigned set = useful;; set = (set - 1) & useful) {
    all.push_back(made(set));
    if (set == 0) break;
  }
  sort_stably(all, [](const MenuEntry& a, const MenuEntry& b) {
    return a.freed != b.freed ? a.freed < b.freed : a.extra_ms < b.extra_ms;
  });
  std::vector<MenuEntry> hull;
  for (const MenuEntry& e : all) {
    if (!hull.empty() && hull.back().freed == e.freed) continue;
    const auto above = [&] {
      const MenuEntry& b = hull.back();
      if (b.extra_ms >= e.extra_ms) return true;
      if (hull.size() < 2) return false;
      const MenuEntry& a = hull[hull.size() - 2];
      // Points on a line with their neighbours, but for rounding, add nothing.
      constexpr double kLine = 1 - 1e-9;
      return (b.extra_ms - a.extra_ms) * (e.freed - a.freed) >=
             kLine * (e.extra_ms - a.extra_ms) * (b.freed - a.freed);
    };
    while (!hull.empty() && above()) hull.pop_back();
    hull.push_back(e);
  }
  // What is free of charge is made again always, but for plans that shall make nothing again.
  if (hull.front().again != 0) hull.insert(hull.begin(), MenuEntry{});
  return hull;
}

std::vector<MenuEntry> recompute_menu(const ModelShape& model, const TransformerStage& stage,
                                      const Device& device, const Calibration& calibration,
                                      Precision precision, double samples) {
  std::vector<MenuEntry> out;
  for (const MenuEntry& e : recompute_hull(model, stage, device, calibration, precision, samples)) {
    if (out.empty() || (out.back().again & ~e.again) == 0) out.push_back(e);
  }
  return out;
}

}  // namespace sluice

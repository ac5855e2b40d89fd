// What is worth making again in a layer: bytes against time.
#pragma once

#include <vector>

#include "cost/transformer.hpp"
#include "model/calibration.hpp"
#include "model/machine.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// A layer that makes operators again.
struct MenuEntry {
  OperatorSet again = 0;
  /// More time of a backward than without, ms, and fewer bytes of a microbatch in flight.
  double extra_ms = 0;
  double freed = 0;

  bool operator==(const MenuEntry&) const = default;
};

/// Of all sets of operators of the stage's first layer those on the lower convex hull of time over
/// bytes freed, ascending; the first makes nothing again, each next one all that the one before it
/// does. (Between two of them, layers of both mix.) What an operator needs and nothing keeps is
/// made again with it. Cost: O(2^operators). Source: specification of the ETH planner, section 4.
std::vector<MenuEntry> recompute_menu(const ModelShape& model, const TransformerStage& stage,
                                      const Device& device, const Calibration& calibration,
                                      Precision precision, double samples);

/// The hull before sets that do not contain their predecessor are left out.
std::vector<MenuEntry> recompute_hull(const ModelShape& model, const TransformerStage& stage,
                                      const Device& device, const Calibration& calibration,
                                      Precision precision, double samples);

/// Makes the set again in the first `layers` layers of a stage, in the place of what it says of
/// these operators.
void set_again(Recompute& recompute, OperatorSet again, std::int64_t layers);

}  // namespace sluice

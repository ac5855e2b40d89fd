// Orders written out as text: "F0@0 F1@0 B0@0 (F2@0|B1@0)" for each rank.
#pragma once

#include <string>

#include "base/result.hpp"
#include "model/scenario.hpp"
#include "schedule/order.hpp"

namespace sluice {

/// Reads an order and checks it (check_order). Without a placement stage s is on rank s mod ranks.
/// With several pipes a microbatch belongs to the pipe whose ranks its operations stand on.
/// `ranks` is how many there are; the order must have a list for each. Diagnostics, below `path`:
/// order.syntax, and those of check_order.
Result<Order> parse_order(const OrderText& text, int ranks, int microbatches,
                          const std::string& path);

}  // namespace sluice

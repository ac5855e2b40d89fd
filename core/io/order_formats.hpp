// Orders in the formats people already have: PyTorch's pipelining CSV and the text of the
// catalogue.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/scenario.hpp"
#include "schedule/order.hpp"

namespace sluice {

/// PyTorch's compute-only CSV: one line a rank, a cell for each operation: `0F3` is stage 0,
/// forward, microbatch 3; `(0F7;7B3)OVERLAP_F_B` an overlapped cell. Diagnostics: order.format, as
/// it carries neither several pipes nor slices.
Result<std::string> pytorch_csv(const Order& order);

/// An order as one reads it from a file: what a scenario would say, and its microbatches.
struct ImportedOrder {
  OrderText text;
  int microbatches = 0;
  Order order;
};

/// Reads PyTorch's CSV (blank cells, and cells that only communicate, are left out) or lines of the
/// catalogue's text, one a rank, and checks it. Placement is read off the order: a stage is where
/// its operations stand. Diagnostics with line and column: order.syntax, order.wrong_rank (a stage
/// on two ranks), and those of check_order. Cost: O(text).
Result<ImportedOrder> import_order(std::string_view text);

/// `schedule:` with that order, as YAML to paste under `pipeline:`.
std::string order_yaml(const ImportedOrder& imported);

}  // namespace sluice

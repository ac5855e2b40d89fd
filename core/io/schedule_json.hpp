// Schedules and orders as text and JSON.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schedule/plan.hpp"

namespace sluice {

/// `sluice schedules --json`: every schedule with its constraints and source.
std::string schedules_json();

/// `sluice order --json` for a static order: {"schedule", "ranks", "microbatches", "chunks",
/// "placement", "pipe_of_microbatch", "order"}.
std::string order_json(const Plan& plan);

struct OrderRequest {
  std::string name;
  int ranks = 1;
  int microbatches = 1;
};

/// The order of a schedule for equal stages. Diagnostics: reference.schedule, limit.*,
/// schedule.constraint (a policy has no fixed order).
Result<Plan> order_of(const OrderRequest& request);

/// The same from a JSON text {"name", "ranks", "microbatches"}, answered as JSON (the refusal
/// document on error).
std::string order_from_json(const std::string& request);

}  // namespace sluice

// Schedules and orders as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  /// `chunks` among them.
  Parameters parameters;
};

/// Values of a parameter from "3", "true", "4,4,5" or "[4, 4, 5]", or one of its own words; nothing
/// when it is none of these.
std::optional<std::vector<double>> parameter_values(std::string_view name, std::string_view text);

/// The order of a schedule for equal stages. Diagnostics: reference.schedule, limit.*,
/// schedule.parameter, schedule.constraint (also: a policy has no fixed order).
Result<Plan> order_of(const OrderRequest& request);

/// The same from a JSON text {"name", "ranks", "microbatches", "chunks", "parameters"}, answered as
/// JSON; with "format": "pytorch" as {"text"}. {"import": text} reads an order instead
/// (io/order_formats) and answers {"ranks", "microbatches", "order", "yaml"}. On error the refusal
/// document.
std::string order_from_json(const std::string& request);

}  // namespace sluice

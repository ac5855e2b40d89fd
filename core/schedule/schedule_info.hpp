// What a schedule says of itself: names, parameters, constraints, and how to make it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schedule/order.hpp"
#include "schedule/policy.hpp"

namespace sluice {

/// Mean times of one stage in ms, as a schedule that looks at costs sees them.
struct StageMeans {
  double forward_ms = 1;
  double backward_ms = 2;
  double input_grad_ms = 1;
  double weight_grad_ms = 1;
};

/// Values by name: one number, or one for each rank.
using Parameters = std::vector<std::pair<std::string, std::vector<double>>>;

struct ScheduleRequest {
  int ranks = 1;
  /// Of all batches together where the schedule never drains.
  int microbatches = 1;
  /// Batches that they make up.
  int batches = 1;
  /// Stages that a rank holds; 0 when the schedule is to decide.
  int chunks = 0;
  Parameters parameters;
  /// One entry a stage of the schedule's placement; empty means equal stages.
  std::vector<StageMeans> costs;
  /// Mean time of a transfer between two ranks.
  double transfer_ms = 0;

  /// The values of a parameter; null when it is not given.
  [[nodiscard]] const std::vector<double>* values(std::string_view name) const;
  /// A whole number (or 0 and 1 for a switch).
  [[nodiscard]] int number(std::string_view name, int otherwise) const;
  [[nodiscard]] StageMeans cost_of(int stage) const;
};

enum class ParameterType : std::uint8_t { Integer, Boolean, NumberOrList, Choice };

struct ParameterInfo {
  std::string_view name;
  ParameterType type = ParameterType::Integer;
  /// As text, in words where it depends on the request.
  std::string_view otherwise = "";
  double least = 1;
  double most = 1e6;
  std::string_view doc = "";
  /// Of a Choice; its value is the number of one of them.
  std::span<const std::string_view> choices = {};

  /// The value that a word means, or nothing.
  [[nodiscard]] std::optional<double> value_of(std::string_view word) const;
};

/// Which version of the weights a pass reads.
enum class WeightsRead : std::uint8_t {
  /// The newest there is.
  Newest,
  /// A forward the newest, the backward what its forward has read.
  Stashed,
  /// Both that which was the newest an update ago.
  OneBehind,
};

/// A condition that a schedule puts on its request. `code` is stable, `text` says what must hold.
struct Constraint {
  std::string_view code;
  std::string_view text;
  bool (*holds)(const ScheduleRequest&) = nullptr;
};

/// One of `order`, `rules` and `choose` is set; none where the order is found for a scenario's
/// times.
struct ScheduleInfo {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view family;
  /// One line on what it is for.
  std::string_view doc;
  std::vector<ParameterInfo> parameters;
  std::vector<Constraint> constraints;
  /// At least; more where the ranks decide it (Plan::weight_copies).
  int weight_copies = 1;
  bool split_backward = false;
  bool synchronous = true;
  WeightsRead reads = WeightsRead::Newest;
  std::string_view source;
  /// Which rank holds which stage; null is one stage a rank. Costs are not known to it.
  Placement (*placement)(const ScheduleRequest&) = nullptr;
  /// A fixed order. The constraints hold and costs fit the placement. Diagnostics:
  /// schedule.constraint, where only the search itself finds that the request cannot be met.
  Result<Order> (*order)(const ScheduleRequest&, const Placement&) = nullptr;
  /// A policy as rules.
  std::vector<std::string_view> rules;
  /// A choice between other schedules.
  std::string_view (*choose)(const ScheduleRequest&) = nullptr;
};

}  // namespace sluice

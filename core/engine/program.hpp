// A plan, its costs and the machine, compiled for the event loop: flat tables, every look-up done,
// every fixed duration an integer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "cost/costs.hpp"
#include "cost/network.hpp"
#include "model/scenario.hpp"
#include "schedule/plan.hpp"

namespace sluice {

/// Duration of one kind of operation on one stage.
struct OpTime {
  std::int64_t fixed_ps = 0;
  bool noisy = false;
  DurationModel model;
  /// Hash of the device's id.
  std::uint64_t key = 0;
};

inline constexpr std::uint32_t kNoLink = 0xFFFFFFFFU;

/// How the output of a stage reaches its neighbour: over a link, or at once on the same device.
struct Hop {
  std::uint32_t link = kNoLink;
  std::uint32_t to_device = 0;
  std::int64_t wire_ps = 0;
  std::int64_t latency_ps = 0;
  bool noisy = false;
};

/// One transfer of an all-reduce round.
struct CollectiveHop {
  std::uint32_t link = 0;
  std::int64_t wire_ps = 0;
};

struct Program {
  SimulationSection simulation;
  FailureSection failure;
  Plan plan;
  std::vector<StageMeans> means;
  Machine machine;

  /// Entry stage * kComputeKinds + kind.
  std::vector<OpTime> times;
  /// By stage; the last stage has no forward hop, the first no backward hop.
  std::vector<Hop> forward_hop;
  std::vector<Hop> backward_hop;
  std::vector<std::uint32_t> device_of_rank;
  /// Ranks of each device, ascending: entries first_rank[d] .. first_rank[d + 1].
  std::vector<std::uint32_t> ranks_of_device;
  std::vector<std::uint32_t> first_rank;

  /// Distinct devices in the order of their first stage, and that stage.
  std::vector<std::uint32_t> stage_devices;
  std::vector<std::uint16_t> first_stage;

  bool updates = false;
  std::int64_t accumulation_steps = 1;
  DurationModel update;
  std::optional<DurationModel> barrier;
  /// The transfers of one round, and how many rounds; none when nothing is reduced.
  std::vector<CollectiveHop> collective;
  std::uint32_t collective_rounds = 0;

  /// Payloads, for who reports them: of one stage boundary, and of one transfer of a collective.
  Bytes boundary;
  Bytes collective_bytes;

  /// Rows one batch adds when nothing fails.
  std::uint64_t rows_per_batch = 0;
  std::uint64_t operations_per_batch = 0;
};

/// Compiles. Diagnostics: link.missing, limit.time (a run that could pass 100 days),
/// limit.operations, schedule.constraint; warning optimizer.gradient.no_replicas goes to `notes`.
Result<Program> compile(const Scenario& scenario, const Network& network, const Costs& costs,
                        Plan plan, Diagnostics& notes);

}  // namespace sluice

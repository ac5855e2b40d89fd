// A plan, its costs and the machine, compiled for the event loop: flat tables, every look-up done,
// every fixed duration an integer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "cost/costs.hpp"
#include "cost/network.hpp"
#include "engine/components.hpp"
#include "engine/pace.hpp"
#include "model/scenario.hpp"
#include "schedule/plan.hpp"

namespace sluice {

/// Kinds with a duration of their own: F, B, I, W and the overlapped cell.
inline constexpr int kTimedKinds = 5;

/// Duration of one kind of operation on one stage.
struct OpTime {
  /// An overlapped cell without a time of its own: it takes the sum of its halves.
  bool sum = false;
  std::int64_t fixed_ps = 0;
  /// How much of it a straggler's constant factor makes.
  std::int64_t slow_ps = 0;
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
  /// Its link has a pace that changes.
  bool varies = false;
  /// How long a blocking send holds its rank after it is posted.
  std::int64_t held_ps = 0;
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

  /// Entry stage * kTimedKinds + kind; of one slice.
  std::vector<OpTime> times;
  /// By stage: more for the forward of a step's first microbatch.
  std::vector<std::int64_t> first_extra_ps;
  /// By stage: paid when its rank turns to it from another stage, or begins a batch with it.
  std::vector<std::int64_t> gather_ps;
  /// By stage; the last stage of a pipe has no forward hop, the first no backward hop.
  std::vector<Hop> forward_hop;
  std::vector<Hop> backward_hop;
  std::vector<std::uint32_t> device_of_rank;
  /// Ranks of each device, ascending: entries first_rank[d] .. first_rank[d + 1].
  std::vector<std::uint32_t> ranks_of_device;
  std::vector<std::uint32_t> first_rank;

  /// Distinct devices in the order of their first stage, and that stage.
  std::vector<std::uint32_t> stage_devices;
  std::vector<std::uint16_t> first_stage;

  /// None without failures.
  std::vector<FailureComponent> components;
  Paces paces;

  bool updates = false;
  /// Each rank updates between its own operations (Order::updates); there is no phase for it.
  bool own_updates = false;
  /// Of one update of own_updates: gradients of each stage copy, and the part of a rank's update
  /// that one of its stages makes.
  std::uint32_t gradients_per_update = 1;
  double update_share = 1;
  /// By device: its entry of `update`.
  std::vector<std::uint32_t> update_slot;
  std::int64_t accumulation_steps = 1;
  /// By entry of `stage_devices`.
  std::vector<DurationModel> update;
  std::optional<DurationModel> barrier;
  CallCosts calls;
  /// A reduction between the ranks of the first and the last stage, once both have done a step.
  struct Tied {
    std::uint32_t first_rank = 0;
    std::uint32_t last_rank = 0;
    /// Both directions at the same time.
    std::uint32_t links[2] = {kNoLink, kNoLink};
    std::int64_t duration_ps = 0;
  };
  std::optional<Tied> tied;
  /// Gradients that ranks of several pipelines sum, in the order in which each takes part in its
  /// own.
  struct Sum {
    std::vector<std::uint32_t> ranks;
    /// The stage of each whose gradients they are; with own_updates.
    std::vector<std::uint16_t> stages;
    /// The ring that joins them.
    std::vector<std::uint32_t> links;
    std::int64_t duration_ps = 0;
    /// That each of the ranks sends; with own_updates.
    Bytes bytes;
  };
  std::vector<Sum> sums;
  /// The transfers of one round, and how many rounds; none when nothing is reduced.
  std::vector<CollectiveHop> collective;
  std::uint32_t collective_rounds = 0;

  /// Payloads, for who reports them: of one stage boundary (of one slice), and of one transfer of a
  /// collective.
  Bytes boundary;
  /// Where pipes have microbatches of different size.
  std::vector<Bytes> boundary_of_pipe;
  Bytes collective_bytes;

  /// Rows one batch adds when nothing fails.
  std::uint64_t rows_per_batch = 0;
  std::uint64_t operations_per_batch = 0;
  [[nodiscard]] Bytes boundary_of(std::size_t stage) const {
    return boundary_of_pipe.empty()
               ? boundary
               : boundary_of_pipe[stage / static_cast<std::size_t>(plan.placement.stages())];
  }
  /// Plays of the order (or policy): batches, over those that one play covers.
  std::uint32_t plays = 1;
};

/// Compiles. Diagnostics: link.missing, limit.time (a run that could pass 100 days),
/// limit.operations, schedule.constraint; warning optimizer.gradient.no_replicas goes to `notes`.
Result<Program> compile(const Scenario& scenario, const Network& network, const Costs& costs,
                        Plan plan, Diagnostics& notes);

}  // namespace sluice

// The physics options: each is read by one layer, and a `physics` name is only a bundle of them.
#pragma once

#include <cstdint>

namespace sluice {

enum class Physics : std::uint8_t { Sluice, Hops };

/// Read by cost/: how a device turns a stage into durations.
enum class CostModel : std::uint8_t { Roofline, HopsRoofline };
/// Read by schedule/: what the names 1f1b, gpipe, zero_bubble and hetero_* mean.
enum class Policies : std::uint8_t { StaticOrders, Hops };
/// Read by engine/: how transfers on one directed link share it.
enum class LinkShare : std::uint8_t { Fair, Fifo, PerPairAtStart };
/// Read by engine/: among whom gradients are reduced.
enum class AllReduceOver : std::uint8_t { Replicas, Stages };
/// Read by metrics/: where the time that throughput divides by ends.
enum class ThroughputUntil : std::uint8_t { WorkEnd, LastBackward };
/// Read by cost/ and metrics/: what memory holds.
enum class MemoryModel : std::uint8_t { Hops };
/// Read by io/: what happens when a device's memory does not hold its stages.
enum class Capacity : std::uint8_t { Warn, Enforce, Error };
/// Read by engine/: whether an outage interrupts what runs or only delays what would start.
enum class FailureEffect : std::uint8_t { Interrupt, DelayStarts };
/// Read by engine/: how long a transfer takes. Shared: latency and bandwidth, contending;
/// Bandwidth: without contention; Latency: the link's latency alone.
enum class Transfers : std::uint8_t { Shared, Bandwidth, Latency };
/// Read by engine/: what a transfer holds up. Async: nothing. InOrder: each rank sends and receives
/// one thing at a time, in the order of its operations. Blocking: a rank computes nothing while it
/// sends. Rendezvous: nor until the receiver is ready for just this. Calls: blocking calls of a
/// framework, which pair what is sent to and received from one rank, cost host time and may leave
/// part of a message in buffers.
enum class Communication : std::uint8_t { Async, InOrder, Blocking, Rendezvous, Calls };

struct Options {
  CostModel cost_model = CostModel::Roofline;
  Policies policies = Policies::StaticOrders;
  LinkShare link_share = LinkShare::Fair;
  /// Read by cost/: whether presets' locality penalties scale compute, memory and transfers.
  bool locality_penalty = false;
  AllReduceOver allreduce_over = AllReduceOver::Replicas;
  ThroughputUntil throughput_until = ThroughputUntil::WorkEnd;
  MemoryModel memory_model = MemoryModel::Hops;
  Capacity capacity = Capacity::Warn;
  FailureEffect failure_effect = FailureEffect::Interrupt;

  bool operator==(const Options&) const = default;
};

/// The bundle that a `physics` name stands for.
Options bundle(Physics physics);

}  // namespace sluice

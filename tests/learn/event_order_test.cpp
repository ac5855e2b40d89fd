// The replay of a table against the order in which devices really compute. C2, C4, C9 of
// convergence.md; P5, P7, P8 of paci.md; F026 of the acceptance facts of schedules.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "learn/arms.hpp"
#include "learn/event_replay.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

constexpr std::uint32_t kStages = 8;
constexpr std::uint32_t kMicrobatches = 96;
constexpr double kRate = 0.02;

// An arm and its events, both in momentum SGD on the residual network.
EventReplay events(const learn::ArmSpec& arm, std::uint32_t per_update) {
  return EventReplay(arm.model, arm.optimizer, arm.seed, arm.table.microbatches, per_update);
}

}  // namespace

TEST_SUITE("learn/event_order") {
  TEST_CASE("C2: 1F1B with a flush, K = 8: events and table give the same bits") {
    const auto arm = mlp_arm(sync(kStages, kMicrobatches, 8), kRate, 3);
    EventReplay replay = events(arm, 8);
    Queues queues(kStages);
    for (std::uint32_t first = 0; first < kMicrobatches; first += 8) append_1f1b(queues, first, 8);
    REQUIRE(replay.run(queues));
    CHECK(replay.seen() == arm.table);
    CHECK(replay.weights_hash() == trained(arm).weights_hash());
  }

  TEST_CASE("C2, P7, C9, P5: PACI: one version of the weights is what the table says, bit by bit") {
    for (const std::uint32_t k : {1U, 2U, 3U, 8U}) {
      const auto arm = mlp_arm(paci(kStages, kMicrobatches, k), kRate / 8 * k, 4);
      // The events hold one copy of each stage's weights; nothing else could be read.
      EventReplay replay = events(arm, k);
      Queues queues(kStages);
      append_1f1b(queues, 0, kMicrobatches);
      REQUIRE(replay.run(queues));
      CHECK(replay.seen() == arm.table);
      CHECK(replay.weights_hash() == trained(arm).weights_hash());
    }
  }

  TEST_CASE("P1: PACI's drift is at most ceil((D-1-s)/K), its mean (D-1-s)/K") {
    for (std::uint32_t stages = 1; stages <= 16; stages += 3) {
      for (std::uint32_t k = 1; k < 40; k += 3) {
        const VersionTable t = paci(stages, stages + 3 * k, k);
        for (std::uint32_t s = 0; s < stages; ++s) {
          const std::uint32_t ahead = stages - 1 - s;
          std::uint32_t most = 0;
          std::uint32_t sum = 0;
          // K consecutive microbatches after the start: every phase once.
          for (std::uint32_t i = ahead; i < ahead + k; ++i) {
            const std::uint32_t drift = t.backward[t.at(i, s)] - t.forward[t.at(i, s)];
            most = std::max(most, drift);
            sum += drift;
          }
          CHECK(most == (ahead + k - 1) / k);
          CHECK(sum == ahead);
        }
      }
    }
  }

  TEST_CASE("C4, P8: PACI that flushes after each K microbatches is synchronous, bit by bit") {
    const auto arm = mlp_arm(sync(kStages, kMicrobatches, 12), kRate, 5);
    EventReplay replay = events(arm, 12);
    for (std::uint32_t first = 0; first < kMicrobatches; first += 12) {
      Queues queues(kStages);
      append_1f1b(queues, first, 12);
      REQUIRE(replay.run(queues));
    }
    CHECK(replay.seen() == arm.table);
    CHECK(replay.weights_hash() == trained(arm).weights_hash());
    // One flush: the table of PACI with K = N is that of the synchronous schedule.
    CHECK(paci(kStages, 12, 12) == sync(kStages, 12, 12));
  }

  TEST_CASE("F026: GPipe and 1F1B read one version and are never behind") {
    const auto arm = mlp_arm(sync(kStages, 32, 8), kRate, 6);
    for (const bool gpipe : {true, false}) {
      EventReplay replay = events(arm, 8);
      Queues queues(kStages);
      for (std::uint32_t first = 0; first < 32; first += 8)
        gpipe ? append_gpipe(queues, first, 8) : append_1f1b(queues, first, 8);
      REQUIRE(replay.run(queues));
      CHECK(replay.seen().forward == replay.seen().update);
      CHECK(replay.seen().backward == replay.seen().update);
      CHECK(replay.weights_hash() == trained(arm).weights_hash());
    }
  }

  TEST_CASE("AMDP mismatches (1 - 1/(2D))/K of all passes, 0.75/K for D = 4") {
    for (const std::uint32_t stages : {4U, 8U, 12U}) {
      for (const std::uint32_t rounds : {1U, 2U, 4U}) {
        // All iterations but the first, before which there was no update.
        const std::uint32_t k = stages * rounds;
        const VersionTable t = amdp(stages, 3 * k, rounds);
        double behind = 0;
        for (std::size_t at = std::size_t{k} * stages; at < t.forward.size(); ++at) {
          const std::uint32_t drift = t.backward[at] - t.forward[at];
          CHECK(drift <= 1);
          behind += drift;
        }
        const double share = behind / (2.0 * k * stages);
        const double stated = stages == 4 ? 0.75 : 1.0 - 1.0 / (2.0 * stages);
        CHECK(share == doctest::Approx(stated / rounds));
      }
    }
  }
}

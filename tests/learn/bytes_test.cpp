// C8 of convergence.md: same seed, same bytes, on every target. The hashes below were made once and
// hold for all of them; a change needs a reason.
#include <doctest/doctest.h>

#include <cstdint>

#include "base/compat.hpp"
#include "base/hash.hpp"
#include "learn/arms.hpp"

using namespace sluice;
using namespace sluice_test;
using learn::ArmSpec;
using learn::OptimizerKind;

namespace {

ArmSpec arm_of(const learn::ModelSpec& model, OptimizerKind kind, std::uint32_t microbatches) {
  ArmSpec arm = mlp_arm(paci(model.stages, microbatches, 4), 0.01, 42);
  arm.model = model;
  arm.optimizer.kind = kind;
  arm.optimizer.clip = 1;
  arm.test_every = microbatches / 2;
  return arm;
}

// Of weights and losses.
std::uint64_t outcome(const ArmSpec& arm) {
  const learn::Training training = trained(arm);
  Hasher hash;
  hash.add(training.weights_hash());
  for (const learn::LossPoint& point : training.curve()) {
    hash.add(point.samples);
    hash.add(bit_cast<std::uint64_t>(point.train));
    hash.add(bit_cast<std::uint64_t>(point.test));
  }
  return hash.value();
}

}  // namespace

TEST_SUITE("learn/bytes") {
  TEST_CASE("C8: the same seed gives the same bytes, another seed others") {
    ArmSpec arm = arm_of(learn::char_mlp_model(8), OptimizerKind::Momentum, 64);
    const std::uint64_t once = outcome(arm);
    CHECK(outcome(arm) == once);
    arm.seed = 43;
    CHECK(outcome(arm) != once);
  }

  TEST_CASE("C8: every target computes these bytes") {
    struct Golden {
      learn::ModelSpec model;
      OptimizerKind kind;
      std::uint32_t microbatches;
      std::uint64_t hash;
    };
    const Golden all[] = {
        {learn::char_mlp_model(8), OptimizerKind::Momentum, 64, 0x6DE6C21390B52DB2ULL},
        {learn::char_mlp_model(3), OptimizerKind::AdamW, 64, 0xC55D8C32610B8442ULL},
        {learn::char_mlp_model(3), OptimizerKind::NAdam, 64, 0x2E43146DE7B69C5CULL},
        {learn::linear_model(3), OptimizerKind::Sgd, 64, 0xE4841E43CF8903D9ULL},
        {learn::transformer_model(2), OptimizerKind::Muon, 8, 0x0FF5B971C9E49098ULL},
    };
    for (const Golden& golden : all)
      CHECK(outcome(arm_of(golden.model, golden.kind, golden.microbatches)) == golden.hash);
  }
}

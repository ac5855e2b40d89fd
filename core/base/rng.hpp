// Counter-based random numbers: a draw is a pure function of the seed and of what it is for, never
// of when it is asked. So results do not depend on event order, and two schedules of one scenario
// face the same noise.
#pragma once

#include <array>
#include <cstdint>

namespace sluice {

/// What a draw is for; part of its key. Values are fixed: changing one changes every seeded result.
enum class Purpose : std::uint32_t {
  Compute = 1,
  Transfer = 2,
  Update = 3,
  Barrier = 4,
  Failure = 5,
  AllReduce = 6,
  Calibration = 7,
  Life = 8,
  Pace = 9,
  StepLength = 10,
  Search = 11,
  Learning = 12,
};

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// Philox4x32-10. Known answer: all-zero counter and key give 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
/// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11.
constexpr PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53ULL;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57ULL;
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = kMultiplier0 * counter[0];
    const std::uint64_t b = kMultiplier1 * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

/// Key of one draw: the seed, the purpose, the entity (hash of its id) and which of its draws it
/// is.
struct DrawKey {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::Compute;
  std::uint64_t entity = 0;
  std::uint32_t microbatch = 0;
  std::uint32_t number = 0;
};

/// The 128 random bits of `key`. `extra` numbers further blocks of the same draw (rejection, large
/// sums).
constexpr PhiloxBlock draw(const DrawKey& key, std::uint32_t extra = 0) {
  // 160 bits of name go into 128 bits of counter: the entity is already a hash, so folding the
  // small fields into its upper half keeps distinct draws distinct but for a collision of 64-bit
  // hashes.
  const auto purpose = static_cast<std::uint32_t>(key.purpose);
  const PhiloxBlock counter{
      static_cast<std::uint32_t>(key.entity),
      static_cast<std::uint32_t>(key.entity >> 32) ^ (purpose * 0x9E3779B1U) ^ (extra << 20),
      key.microbatch, key.number};
  return philox(counter,
                {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
}

/// Uniform in [0, 1) with 53 bits, from two words.
constexpr double uniform01(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>(((static_cast<std::uint64_t>(high) << 32) | low) >> 11) * 0x1p-53;
}

}  // namespace sluice

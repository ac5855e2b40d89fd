// One hash for everything that is compared across machines: a multiply-xor chain over fixed-width
// fields, little end first. Not for untrusted keys in tables; for identity and for keys of random
// draws.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

/// Final mixer of splitmix64: every input bit reaches every output bit.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Accumulates 64-bit words in order; equal sequences give equal values on every platform.
class Hasher {
 public:
  constexpr void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9FB21C651E98DF25ULL;
    state_ ^= state_ >> 28;
  }
  constexpr void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    std::uint64_t word = 0;
    int filled = 0;
    for (const char c : text) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << (8 * filled);
      if (++filled == 8) {
        add(word);
        word = 0;
        filled = 0;
      }
    }
    if (filled > 0) add(word);
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return mix64(state_); }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

/// 64-bit hash of a name: the key under which an entity draws its random numbers.
constexpr std::uint64_t hash_text(std::string_view text) {
  Hasher h;
  h.add(text);
  return h.value();
}

}  // namespace sluice

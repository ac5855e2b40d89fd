// The text that the character models learn: made up by a fixed random grammar, so that nothing has
// to be shipped or loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::learn {

inline constexpr std::size_t kVocabulary = 32;

/// Characters are numbers below kVocabulary.
struct Corpus {
  std::vector<std::uint8_t> train;
  /// From the same source, with no character in common.
  std::vector<std::uint8_t> test;
};

/// A Markov source of second order: the next character depends on the last one and on the one
/// before it modulo 3, with few likely successors each. Always the same text. Cost: a few ms.
Corpus make_corpus();

}  // namespace sluice::learn

// What the character models share: where samples are in the text, and when a run of them is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/det_math.hpp"
#include "base/hash.hpp"
#include "learn/batch.hpp"
#include "learn/corpus.hpp"
#include "learn/draws.hpp"

namespace sluice::learn {

/// Where sample `index` begins, uniform below `places`; a function of seed and index alone.
inline std::size_t sample_place(std::uint64_t seed, std::uint32_t index, std::size_t places) {
  const double u = uniform(learning_draw(seed, hash_text("sample"), index, 0));
  return static_cast<std::size_t>(u * static_cast<double>(places));
}

template <class T>
void begin_batch(Batch<T>& batch, std::uint32_t samples) {
  batch.samples = samples;
  batch.tokens.clear();
  batch.targets.clear();
}

/// Samples first .. first + count - 1 of a text, each from its place; `copy` adds one to the batch.
template <class T, class Copy>
void load_samples(const std::vector<std::uint8_t>& text, std::size_t context, std::uint64_t seed,
                  std::uint32_t first, std::uint32_t count, Batch<T>& batch, const Copy& copy) {
  begin_batch(batch, count);
  for (std::uint32_t k = 0; k < count; ++k)
    copy(text, sample_place(seed, first + k, text.size() - context), batch);
}

/// The same of `all` samples that are spread evenly over a text.
template <class T, class Copy>
void load_spread(const std::vector<std::uint8_t>& text, std::size_t context, std::uint32_t all,
                 std::uint32_t first, std::uint32_t count, Batch<T>& batch, const Copy& copy) {
  begin_batch(batch, count);
  const std::size_t stride = (text.size() - context) / all;
  for (std::uint32_t k = 0; k < count; ++k) copy(text, (first + k) * stride, batch);
}

/// Twice the loss of who says every character with the same probability.
inline double hopeless_characters() {
  return 2 * det::log(static_cast<double>(kVocabulary));
}

}  // namespace sluice::learn

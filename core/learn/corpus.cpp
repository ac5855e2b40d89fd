#include "learn/corpus.hpp"

#include "base/hash.hpp"
#include "learn/draws.hpp"

namespace sluice::learn {
namespace {

constexpr std::uint64_t kCorpusSeed = 1;
constexpr std::size_t kTrainLength = 60'000;
constexpr std::size_t kTestLength = 4'200;
// Classes of the character before the last.
constexpr std::size_t kClasses = 3;

// Entry (class * kVocabulary + last) * kVocabulary + next: probability of `next` or one below it.
std::vector<double> successors() {
  std::vector<double> table(kClasses * kVocabulary * kVocabulary);
  for (std::size_t row = 0; row < kClasses * kVocabulary; ++row) {
    double* cumulative = table.data() + row * kVocabulary;
    double sum = 0;
    for (std::size_t c = 0; c < kVocabulary; ++c) {
      const double u =
          uniform(learning_draw(kCorpusSeed, hash_text("successor"),
                                static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(c)));
      // u^24: a few of the 32 take nearly all, as letters in words do.
      const double u2 = u * u;
      const double u4 = u2 * u2;
      const double u8 = u4 * u4;
      sum += u8 * u8 * u8;
      cumulative[c] = sum;
    }
    for (std::size_t c = 0; c < kVocabulary; ++c) cumulative[c] /= sum;
  }
  return table;
}

std::vector<std::uint8_t> text(const std::vector<double>& table, std::uint64_t stream,
                               std::size_t length) {
  std::vector<std::uint8_t> out{0, 1};
  out.reserve(length);
  while (out.size() < length) {
    const std::size_t row = (out[out.size() - 2] % kClasses) * kVocabulary + out.back();
    const double* cumulative = table.data() + row * kVocabulary;
    const double u =
        uniform(learning_draw(kCorpusSeed, stream, static_cast<std::uint32_t>(out.size()), 0));
    std::uint8_t next = 0;
    while (next + 1U < kVocabulary && u >= cumulative[next]) ++next;
    out.push_back(next);
  }
  return out;
}

}  // namespace

Corpus make_corpus() {
  const std::vector<double> table = successors();
  return {.train = text(table, hash_text("train"), kTrainLength),
          .test = text(table, hash_text("test"), kTestLength)};
}

}  // namespace sluice::learn

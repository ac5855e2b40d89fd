#include "learn/char_mlp.hpp"

#include <algorithm>
#include <cmath>

#include "learn/char_samples.hpp"
#include "learn/kernels.hpp"

namespace sluice::learn {
namespace {

constexpr std::size_t kEmbedding = 12;
constexpr std::uint32_t kTestSamples = 1024;

// Spreads of the first weights. Source: convergence.md, section 5 (its prototype).
constexpr double kTableSpread = 0.3;
constexpr double kDownSpread = 0.5;

double fan_in(std::size_t rows) {
  return 1.0 / std::sqrt(static_cast<double>(rows));
}

}  // namespace

template <class T>
CharMlp<T>::CharMlp(const ModelSpec& spec)
    : width_(spec.width),
      hidden_(std::size_t{2} * spec.width),
      context_(spec.context),
      gathered_(spec.context * kEmbedding),
      corpus_(make_corpus()),
      stages_(spec.stages),
      places_(spec.stages) {
  for (std::uint32_t s = 0; s < spec.stages; ++s) {
    StageParameters& parts = stages_[s];
    Places& at = places_[s];
    if (first(s)) {
      at.table = parts.add({.name = "table",
                            .kind = ParameterKind::Embedding,
                            .rows = kVocabulary,
                            .columns = kEmbedding,
                            .spread = kTableSpread});
      at.mix = parts.add(
          {.name = "mix", .rows = gathered_, .columns = width_, .spread = fan_in(gathered_)});
    }
    at.up = parts.add({.name = "up", .rows = width_, .columns = hidden_, .spread = fan_in(width_)});
    at.down = parts.add({.name = "down",
                         .rows = hidden_,
                         .columns = width_,
                         .spread = kDownSpread * fan_in(hidden_)});
    if (last(s)) {
      at.head = parts.add({.name = "head",
                           .kind = ParameterKind::Embedding,
                           .rows = width_,
                           .columns = kVocabulary,
                           .spread = fan_in(width_)});
    }
  }
}

template <class T>
std::size_t CharMlp<T>::kept(std::uint32_t stage) const {
  return (first(stage) ? gathered_ : 0) + 1 + width_ + hidden_ +
         (last(stage) ? width_ + kVocabulary : 0);
}

template <class T>
std::size_t CharMlp<T>::workspace(std::uint32_t samples) const {
  const std::size_t turned = width_ * std::max({hidden_, gathered_, kVocabulary});
  return samples * (2 * width_ + hidden_ + gathered_ + kVocabulary) + turned;
}

template <class T>
std::uint32_t CharMlp<T>::test_samples() const {
  return kTestSamples;
}

template <class T>
double CharMlp<T>::hopeless() const {
  return hopeless_characters();
}

template <class T>
void CharMlp<T>::load(std::uint64_t seed, std::uint32_t first, std::uint32_t count,
                      Batch<T>& batch) const {
  load_samples(
      corpus_.train, context_, seed, first, count, batch,
      [this](const auto& text, std::size_t place, Batch<T>& into) { copy(text, place, into); });
}

template <class T>
void CharMlp<T>::load_test(std::uint32_t first, std::uint32_t count, Batch<T>& batch) const {
  load_spread(
      corpus_.test, context_, kTestSamples, first, count, batch,
      [this](const auto& text, std::size_t place, Batch<T>& into) { copy(text, place, into); });
}

template <class T>
void CharMlp<T>::copy(const std::vector<std::uint8_t>& text, std::size_t place,
                      Batch<T>& batch) const {
  for (std::size_t c = 0; c < context_; ++c) batch.tokens.push_back(text[place + c]);
  batch.targets.push_back(text[place + context_]);
}

template <class T>
double CharMlp<T>::forward(std::uint32_t stage, const Batch<T>& batch, const T* x, const T* weights,
                           T* kept, T* y, Workspace<T>& work) const {
  const std::size_t n = batch.samples;
  const Places& at = places_[stage];
  Parts<T> parts(kept);
  if (first(stage)) {
    T* gathered = parts.take(n * gathered_);
    T* mixed = work.take(n * width_);
    embed(weights + at.table, batch.tokens.data(), n * context_, kEmbedding, gathered);
    linear<T>(gathered, weights + at.mix, n, gathered_, width_, mixed);
    x = mixed;
  }
  T* inverse = parts.take(n);
  T* normed = parts.take(n * width_);
  T* hidden = parts.take(n * hidden_);
  if (last(stage)) y = parts.take(n * width_);
  rms_norm(x, n, width_, normed, inverse);
  linear<T>(normed, weights + at.up, n, width_, hidden_, hidden);
  relu(hidden, n * hidden_);
  std::copy_n(x, n * width_, y);
  linear<T>(hidden, weights + at.down, n, hidden_, width_, y, Into::Add);
  if (!last(stage)) return 0;
  T* logits = parts.take(n * kVocabulary);
  linear<T>(y, weights + at.head, n, width_, kVocabulary, logits);
  return cross_entropy(logits, batch.targets.data(), n, kVocabulary);
}

template <class T>
void CharMlp<T>::backward(std::uint32_t stage, const Batch<T>& batch, const T* dy, const T* kept,
                          const T* weights, T* dx, T* gradient, Workspace<T>& work) const {
  const std::size_t n = batch.samples;
  const Places& at = places_[stage];
  Parts<const T> parts(kept);
  const T* gathered = first(stage) ? parts.take(n * gathered_) : nullptr;
  const T* inverse = parts.take(n);
  const T* normed = parts.take(n * width_);
  const T* hidden = parts.take(n * hidden_);
  T* turned = work.take(width_ * std::max({hidden_, gathered_, kVocabulary}));
  if (last(stage)) {
    const T* out = parts.take(n * width_);
    T* dlogits = work.take(n * kVocabulary);
    T* dout = work.take(n * width_);
    cross_entropy_input(parts.take(n * kVocabulary), batch.targets.data(), n, kVocabulary, dlogits);
    linear_weights<T>(out, dlogits, n, width_, kVocabulary, gradient + at.head);
    linear_input<T>(dlogits, weights + at.head, n, width_, kVocabulary, dout, turned);
    dy = dout;
  }
  T* dhidden = work.take(n * hidden_);
  linear_weights<T>(hidden, dy, n, hidden_, width_, gradient + at.down);
  linear_input<T>(dy, weights + at.down, n, hidden_, width_, dhidden, turned);
  relu_input(hidden, n * hidden_, dhidden);
  linear_weights<T>(normed, dhidden, n, width_, hidden_, gradient + at.up);
  T* dnormed = work.take(n * width_);
  linear_input<T>(dhidden, weights + at.up, n, width_, hidden_, dnormed, turned);
  std::copy_n(dy, n * width_, dx);
  rms_norm_input(dnormed, normed, inverse, n, width_, dx, Into::Add);
  if (!first(stage)) return;
  T* dgathered = work.take(n * gathered_);
  linear_weights<T>(gathered, dx, n, gathered_, width_, gradient + at.mix);
  linear_input<T>(dx, weights + at.mix, n, gathered_, width_, dgathered, turned);
  std::fill_n(gradient + at.table, kVocabulary * kEmbedding, T(0));
  embed_weights(dgathered, batch.tokens.data(), n * context_, kEmbedding, gradient + at.table);
}

template class CharMlp<float>;
template class CharMlp<double>;

}  // namespace sluice::learn

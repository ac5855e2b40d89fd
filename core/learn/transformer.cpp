#include "learn/transformer.hpp"

#include <algorithm>
#include <cmath>

#include "learn/char_samples.hpp"
#include "learn/kernels.hpp"

namespace sluice::learn {
namespace {

constexpr std::uint32_t kTestSamples = 32;
// Spread of embeddings. Source: assumption; that of the prototype's character model, halved since
// two are added.
constexpr double kEmbeddingSpread = 0.15;
// The branches of a block add up over stages; each begins at half.
constexpr double kBranch = 0.5;

}  // namespace

template <class T>
Transformer<T>::Transformer(const ModelSpec& spec)
    : width_(spec.width),
      hidden_(std::size_t{4} * spec.width),
      context_(spec.context),
      heads_(spec.heads),
      corpus_(make_corpus()),
      stages_(spec.stages),
      places_(spec.stages) {
  for (std::uint32_t s = 0; s < spec.stages; ++s) {
    StageParameters& parts = stages_[s];
    Places& at = places_[s];
    const auto table = [&](const char* name, std::size_t rows) {
      return parts.add({.name = name,
                        .kind = ParameterKind::Embedding,
                        .rows = rows,
                        .columns = width_,
                        .spread = kEmbeddingSpread});
    };
    const auto gains = [&](const char* name) {
      return parts.add(
          {.name = name, .kind = ParameterKind::Vector, .rows = 1, .columns = width_, .mean = 1});
    };
    const auto matrix = [&](const char* name, std::size_t in, std::size_t out, double scale) {
      return parts.add({.name = name,
                        .rows = in,
                        .columns = out,
                        .spread = scale / std::sqrt(static_cast<double>(in))});
    };
    if (first(s)) {
      at.token = table("token", kVocabulary);
      at.position = table("position", context_);
    }
    at.gain_attention = gains("gain attention");
    at.query = matrix("query", width_, width_, 1);
    at.key = matrix("key", width_, width_, 1);
    at.value = matrix("value", width_, width_, 1);
    at.out = matrix("out", width_, width_, kBranch);
    at.gain_mlp = gains("gain mlp");
    at.up = matrix("up", width_, hidden_, 1);
    at.down = matrix("down", hidden_, width_, kBranch);
    if (last(s)) {
      at.gain_head = gains("gain head");
      at.head = parts.add({.name = "head",
                           .kind = ParameterKind::Embedding,
                           .rows = width_,
                           .columns = kVocabulary,
                           .spread = 1.0 / std::sqrt(static_cast<double>(width_))});
    }
  }
}

template <class T>
template <class U>
auto Transformer<T>::norm_parts(Parts<U>& parts, std::size_t rows) const -> Norm<U> {
  U* inverse = parts.take(rows);
  U* plain = parts.take(rows * width_);
  return {inverse, plain, parts.take(rows * width_)};
}

template <class T>
template <class U>
auto Transformer<T>::kept_parts(std::uint32_t stage, std::uint32_t samples, U* kept) const
    -> Kept<U> {
  const std::size_t rows = samples * context_;
  Parts<U> parts(kept);
  Kept<U> out{};
  out.before_attention = norm_parts(parts, rows);
  out.q = parts.take(rows * width_);
  out.k = parts.take(rows * width_);
  out.v = parts.take(rows * width_);
  out.probabilities = parts.take(samples * attention_shape().kept());
  out.mixed = parts.take(rows * width_);
  out.before_mlp = norm_parts(parts, rows);
  out.rise = parts.take(rows * hidden_);
  out.bend = parts.take(rows * hidden_);
  out.hidden = parts.take(rows * hidden_);
  if (last(stage)) {
    out.before_head = norm_parts(parts, rows);
    out.says = parts.take(rows * kVocabulary);
  }
  return out;
}

template <class T>
std::size_t Transformer<T>::kept(std::uint32_t stage) const {
  const std::size_t norm = 1 + 2 * width_;
  return attention_shape().kept() +
         context_ * (2 * norm + 4 * width_ + 3 * hidden_ + (last(stage) ? norm + kVocabulary : 0));
}

template <class T>
std::size_t Transformer<T>::workspace(std::uint32_t samples) const {
  const std::size_t turned = width_ * std::max(hidden_, kVocabulary);
  return samples * context_ * (6 * width_ + hidden_ + kVocabulary) + turned +
         samples * attention_shape().workspace();
}

template <class T>
std::uint32_t Transformer<T>::test_samples() const {
  return kTestSamples;
}

template <class T>
double Transformer<T>::hopeless() const {
  return hopeless_characters();
}

template <class T>
void Transformer<T>::load(std::uint64_t seed, std::uint32_t first, std::uint32_t count,
                          Batch<T>& batch) const {
  load_samples(
      corpus_.train, context_, seed, first, count, batch,
      [this](const auto& text, std::size_t place, Batch<T>& into) { copy(text, place, into); });
}

template <class T>
void Transformer<T>::load_test(std::uint32_t first, std::uint32_t count, Batch<T>& batch) const {
  load_spread(
      corpus_.test, context_, kTestSamples, first, count, batch,
      [this](const auto& text, std::size_t place, Batch<T>& into) { copy(text, place, into); });
}

template <class T>
void Transformer<T>::copy(const std::vector<std::uint8_t>& text, std::size_t place,
                          Batch<T>& batch) const {
  for (std::size_t c = 0; c < context_; ++c) {
    batch.tokens.push_back(text[place + c]);
    batch.targets.push_back(text[place + c + 1]);
  }
}

template <class T>
void Transformer<T>::norm(const T* x, const T* gains, std::size_t rows, const Norm<T>& out) const {
  rms_norm(x, rows, width_, out.plain, out.inverse);
  gain(out.plain, gains, rows, width_, out.scaled);
}

template <class T>
void Transformer<T>::norm_input(const Norm<const T>& kept, const T* gains, std::size_t rows, T* dy,
                                T* dgains, T* dx) const {
  gain_weights(kept.plain, dy, rows, width_, dgains);
  gain(dy, gains, rows, width_, dy);
  rms_norm_input(dy, kept.plain, kept.inverse, rows, width_, dx, Into::Add);
}

template <class T>
void Transformer<T>::attention_forward(const Places& at, std::uint32_t samples, const T* weights,
                                       const Kept<T>& kept, Workspace<T>& work) const {
  const std::size_t rows = samples * context_;
  const T* in = kept.before_attention.scaled;
  linear<T>(in, weights + at.query, rows, width_, width_, kept.q);
  linear<T>(in, weights + at.key, rows, width_, width_, kept.k);
  linear<T>(in, weights + at.value, rows, width_, width_, kept.v);
  const AttentionShape shape = attention_shape();
  for (std::size_t b = 0; b < samples; ++b) {
    const std::size_t from = b * boundary();
    attention<T>(shape, kept.q + from, kept.k + from, kept.v + from,
                 kept.probabilities + b * shape.kept(), kept.mixed + from, work);
  }
}

template <class T>
double Transformer<T>::forward(std::uint32_t stage, const Batch<T>& batch, const T* x,
                               const T* weights, T* kept, T* y, Workspace<T>& work) const {
  const std::size_t rows = batch.samples * context_;
  const Places& at = places_[stage];
  const Kept<T> keep = kept_parts(stage, batch.samples, kept);
  T* sum = work.take(rows * width_);
  if (first(stage)) {
    embed(weights + at.token, batch.tokens.data(), rows, width_, sum);
    for (std::size_t b = 0; b < batch.samples; ++b)
      for (std::size_t k = 0; k < boundary(); ++k)
        sum[b * boundary() + k] += weights[at.position + k];
  } else {
    std::copy_n(x, rows * width_, sum);
  }
  norm(sum, weights + at.gain_attention, rows, keep.before_attention);
  attention_forward(at, batch.samples, weights, keep, work);
  linear<T>(keep.mixed, weights + at.out, rows, width_, width_, sum, Into::Add);
  norm(sum, weights + at.gain_mlp, rows, keep.before_mlp);
  linear<T>(keep.before_mlp.scaled, weights + at.up, rows, width_, hidden_, keep.rise);
  gelu(keep.rise, rows * hidden_, keep.hidden, keep.bend);
  linear<T>(keep.hidden, weights + at.down, rows, hidden_, width_, sum, Into::Add);
  if (!last(stage)) {
    std::copy_n(sum, rows * width_, y);
    return 0;
  }
  norm(sum, weights + at.gain_head, rows, keep.before_head);
  linear<T>(keep.before_head.scaled, weights + at.head, rows, width_, kVocabulary, keep.says);
  return cross_entropy(keep.says, batch.targets.data(), rows, kVocabulary);
}

template <class T>
void Transformer<T>::attention_backward(const Places& at, std::uint32_t samples,
                                        const Kept<const T>& kept, const T* weights, T* dx,
                                        T* gradient, T* turned, Workspace<T>& work) const {
  const std::size_t rows = samples * context_;
  T* dmixed = work.take(rows * width_);
  T* dq = work.take(rows * width_);
  T* dk = work.take(rows * width_);
  T* dv = work.take(rows * width_);
  linear_weights<T>(kept.mixed, dx, rows, width_, width_, gradient + at.out);
  linear_input<T>(dx, weights + at.out, rows, width_, width_, dmixed, turned);
  const AttentionShape shape = attention_shape();
  for (std::size_t b = 0; b < samples; ++b) {
    const std::size_t from = b * boundary();
    attention_input<T>(shape, kept.q + from, kept.k + from, kept.v + from,
                       kept.probabilities + b * shape.kept(), dmixed + from, dq + from, dk + from,
                       dv + from, work);
  }
  const T* in = kept.before_attention.scaled;
  linear_weights<T>(in, dq, rows, width_, width_, gradient + at.query);
  linear_weights<T>(in, dk, rows, width_, width_, gradient + at.key);
  linear_weights<T>(in, dv, rows, width_, width_, gradient + at.value);
  T* din = dmixed;
  linear_input<T>(dq, weights + at.query, rows, width_, width_, din, turned);
  linear_input<T>(dk, weights + at.key, rows, width_, width_, din, turned, Into::Add);
  linear_input<T>(dv, weights + at.value, rows, width_, width_, din, turned, Into::Add);
  norm_input(kept.before_attention, weights + at.gain_attention, rows, din,
             gradient + at.gain_attention, dx);
}

template <class T>
void Transformer<T>::backward(std::uint32_t stage, const Batch<T>& batch, const T* dy,
                              const T* kept, const T* weights, T* dx, T* gradient,
                              Workspace<T>& work) const {
  const std::size_t rows = batch.samples * context_;
  const Places& at = places_[stage];
  const Kept<const T> keep = kept_parts(stage, batch.samples, kept);
  T* turned = work.take(width_ * std::max(hidden_, kVocabulary));
  T* dnormed = work.take(rows * width_);
  if (last(stage)) {
    T* dlogits = work.take(rows * kVocabulary);
    cross_entropy_input(keep.says, batch.targets.data(), rows, kVocabulary, dlogits);
    linear_weights<T>(keep.before_head.scaled, dlogits, rows, width_, kVocabulary,
                      gradient + at.head);
    linear_input<T>(dlogits, weights + at.head, rows, width_, kVocabulary, dnormed, turned);
    std::fill_n(dx, rows * width_, T(0));
    norm_input(keep.before_head, weights + at.gain_head, rows, dnormed, gradient + at.gain_head,
               dx);
  } else {
    std::copy_n(dy, rows * width_, dx);
  }
  T* dhidden = work.take(rows * hidden_);
  linear_weights<T>(keep.hidden, dx, rows, hidden_, width_, gradient + at.down);
  linear_input<T>(dx, weights + at.down, rows, hidden_, width_, dhidden, turned);
  gelu_input(keep.rise, keep.bend, rows * hidden_, dhidden);
  linear_weights<T>(keep.before_mlp.scaled, dhidden, rows, width_, hidden_, gradient + at.up);
  linear_input<T>(dhidden, weights + at.up, rows, width_, hidden_, dnormed, turned);
  norm_input(keep.before_mlp, weights + at.gain_mlp, rows, dnormed, gradient + at.gain_mlp, dx);
  attention_backward(at, batch.samples, keep, weights, dx, gradient, turned, work);
  if (!first(stage)) return;
  std::fill_n(gradient + at.token, kVocabulary * width_, T(0));
  embed_weights(dx, batch.tokens.data(), rows, width_, gradient + at.token);
  std::fill_n(gradient + at.position, boundary(), T(0));
  for (std::size_t b = 0; b < batch.samples; ++b)
    for (std::size_t k = 0; k < boundary(); ++k)
      gradient[at.position + k] += dx[b * boundary() + k];
}

template class Transformer<float>;
template class Transformer<double>;

}  // namespace sluice::learn

#include "learn/linear_chain.hpp"

#include <algorithm>
#include <cmath>

#include "learn/kernels.hpp"

namespace sluice::learn {
namespace {

constexpr std::uint64_t kTeacherSeed = 1;
constexpr std::uint32_t kTestSamples = 256;
// A loss so many times the first one does not come back.
constexpr double kHopelessGrowth = 1e6;

}  // namespace

template <class T>
LinearChain<T>::LinearChain(const ModelSpec& spec)
    : quadratic_(spec.kind == ModelKind::Quadratic),
      width_(spec.width),
      inputs_(quadratic_ ? 1 : spec.width),
      curvature_(static_cast<T>(spec.curvature)),
      stages_(spec.stages) {
  const double spread = 1.0 / std::sqrt(static_cast<double>(width_));
  for (StageParameters& parts : stages_) {
    parts.add({.name = "matrix",
               .rows = inputs_,
               .columns = width_,
               .mean = quadratic_ ? 1.0 : 0.0,
               .spread = quadratic_ ? 0.0 : spread});
  }
  if (quadratic_) return;
  std::vector<T> matrix(width_ * width_);
  std::vector<T> product(width_ * width_);
  teacher_.resize(width_ * width_);
  stages_[0].initialise(kTeacherSeed, spec.stages, teacher_.data());
  for (std::uint32_t s = 1; s < spec.stages; ++s) {
    stages_[s].initialise(kTeacherSeed, spec.stages + s, matrix.data());
    linear<T>(teacher_.data(), matrix.data(), width_, width_, width_, product.data());
    teacher_.swap(product);
  }
}

template <class T>
std::size_t LinearChain<T>::kept(std::uint32_t stage) const {
  return (stage == 0 ? inputs_ : width_) + (last(stage) ? width_ : 0);
}

template <class T>
std::size_t LinearChain<T>::workspace(std::uint32_t samples) const {
  return std::size_t{2} * samples * width_ + width_ * width_;
}

template <class T>
std::uint32_t LinearChain<T>::test_samples() const {
  return quadratic_ ? 1 : kTestSamples;
}

template <class T>
double LinearChain<T>::hopeless() const {
  return kHopelessGrowth * static_cast<double>(curvature_) * static_cast<double>(width_);
}

template <class T>
void LinearChain<T>::load(std::uint64_t seed, std::uint32_t first, std::uint32_t count,
                          Batch<T>& batch) const {
  fill(seed, hash_text("sample"), first, count, batch);
}

template <class T>
void LinearChain<T>::load_test(std::uint32_t first, std::uint32_t count, Batch<T>& batch) const {
  fill(kTeacherSeed, hash_text("test"), first, count, batch);
}

template <class T>
void LinearChain<T>::fill(std::uint64_t seed, std::uint64_t stream, std::uint32_t first,
                          std::uint32_t count, Batch<T>& batch) const {
  batch.samples = count;
  batch.inputs.assign(count * inputs_, T(1));
  batch.wanted.assign(count * width_, T(0));
  if (quadratic_) return;
  for (std::uint32_t k = 0; k < count; ++k) {
    for (std::size_t c = 0; c < width_; ++c) {
      batch.inputs[k * width_ + c] = static_cast<T>(
          normal(learning_draw(seed, stream, first + k, static_cast<std::uint32_t>(c))));
    }
  }
  linear<T>(batch.inputs.data(), teacher_.data(), count, width_, width_, batch.wanted.data());
}

template <class T>
double LinearChain<T>::forward(std::uint32_t stage, const Batch<T>& batch, const T* x,
                               const T* weights, T* kept, T* y, Workspace<T>& work) const {
  const std::size_t n = batch.samples;
  const std::size_t in = stage == 0 ? inputs_ : width_;
  Parts<T> parts(kept);
  T* input = parts.take(n * in);
  std::copy_n(stage == 0 ? batch.inputs.data() : x, n * in, input);
  if (!last(stage)) {
    linear<T>(input, weights, n, in, width_, y);
    return 0;
  }
  T* missing = parts.take(n * width_);
  T* out = work.take(n * width_);
  linear<T>(input, weights, n, in, width_, out);
  for (std::size_t k = 0; k < n * width_; ++k) missing[k] = out[k] - batch.wanted[k];
  const T squares = dot(missing, missing, n * width_);
  return 0.5 * static_cast<double>(curvature_) * static_cast<double>(squares) /
         static_cast<double>(n);
}

template <class T>
void LinearChain<T>::backward(std::uint32_t stage, const Batch<T>& batch, const T* dy,
                              const T* kept, const T* weights, T* dx, T* gradient,
                              Workspace<T>& work) const {
  const std::size_t n = batch.samples;
  const std::size_t in = stage == 0 ? inputs_ : width_;
  Parts<const T> parts(kept);
  const T* input = parts.take(n * in);
  if (last(stage)) {
    const T* missing = parts.take(n * width_);
    T* dout = work.take(n * width_);
    const T share = static_cast<T>(n);
    for (std::size_t k = 0; k < n * width_; ++k) dout[k] = curvature_ * missing[k] / share;
    dy = dout;
  }
  linear_weights<T>(input, dy, n, in, width_, gradient);
  if (stage > 0) linear_input<T>(dy, weights, n, in, width_, dx, work.take(in * width_));
}

template class LinearChain<float>;
template class LinearChain<double>;

}  // namespace sluice::learn

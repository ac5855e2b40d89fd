// Linear models: a chain of one matrix a stage that learns another such chain, and the quadratic of
// known curvature, which is the same with one stage, one row and a constant input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/batch.hpp"
#include "learn/model_spec.hpp"
#include "learn/parameters.hpp"
#include "learn/workspace.hpp"

namespace sluice::learn {

/// Loss: curvature / 2 times the squared error, summed over columns, averaged over samples. The
/// quadratic wants zero, so its gradient is curvature times its weights, exactly. The members are
/// those of every model; model.hpp says what they mean.
template <class T>
class LinearChain {
 public:
  explicit LinearChain(const ModelSpec& spec);

  [[nodiscard]] const std::vector<StageParameters>& stages() const { return stages_; }
  [[nodiscard]] std::size_t boundary() const { return width_; }
  [[nodiscard]] std::size_t kept(std::uint32_t stage) const;
  [[nodiscard]] std::size_t workspace(std::uint32_t samples) const;
  [[nodiscard]] std::uint32_t test_samples() const;
  [[nodiscard]] double hopeless() const;

  void load(std::uint64_t seed, std::uint32_t first, std::uint32_t count, Batch<T>& batch) const;
  void load_test(std::uint32_t first, std::uint32_t count, Batch<T>& batch) const;
  double forward(std::uint32_t stage, const Batch<T>& batch, const T* x, const T* weights, T* kept,
                 T* y, Workspace<T>& work) const;
  void backward(std::uint32_t stage, const Batch<T>& batch, const T* dy, const T* kept,
                const T* weights, T* dx, T* gradient, Workspace<T>& work) const;

 private:
  [[nodiscard]] bool last(std::uint32_t stage) const { return stage + 1 == stages_.size(); }
  void fill(std::uint64_t seed, std::uint64_t stream, std::uint32_t first, std::uint32_t count,
            Batch<T>& batch) const;

  bool quadratic_;
  std::size_t width_;
  /// Columns of the first stage's input.
  std::size_t inputs_;
  T curvature_;
  std::vector<StageParameters> stages_;
  /// The product of the teacher's matrices.
  std::vector<T> teacher_;
};

}  // namespace sluice::learn

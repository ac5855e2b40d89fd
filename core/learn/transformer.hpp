// A small transformer: one block a stage, x + attention(norm(x)), then x + gelu(norm(x) U) V; the
// embeddings belong to the first stage, the last norm, the head and the loss to the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/attention.hpp"
#include "learn/batch.hpp"
#include "learn/corpus.hpp"
#include "learn/model_spec.hpp"
#include "learn/parameters.hpp"
#include "learn/workspace.hpp"

namespace sluice::learn {

/// A norm is RMS with gains. The members are those of every model; model.hpp says what they mean.
template <class T>
class Transformer {
 public:
  explicit Transformer(const ModelSpec& spec);

  [[nodiscard]] const std::vector<StageParameters>& stages() const { return stages_; }
  [[nodiscard]] std::size_t boundary() const { return context_ * width_; }
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
  struct Places {
    std::size_t token = 0;
    std::size_t position = 0;
    std::size_t gain_attention = 0;
    std::size_t query = 0;
    std::size_t key = 0;
    std::size_t value = 0;
    std::size_t out = 0;
    std::size_t gain_mlp = 0;
    std::size_t up = 0;
    std::size_t down = 0;
    std::size_t gain_head = 0;
    std::size_t head = 0;
  };
  /// A norm's output before and after its gains, and its factors.
  template <class U>
  struct Norm {
    U* inverse;
    U* plain;
    U* scaled;
  };
  template <class U>
  struct Kept {
    Norm<U> before_attention;
    U* q;
    U* k;
    U* v;
    U* probabilities;
    U* mixed;
    Norm<U> before_mlp;
    U* rise;
    U* bend;
    U* hidden;
    Norm<U> before_head;
    U* says;
  };

  [[nodiscard]] bool first(std::uint32_t stage) const { return stage == 0; }
  [[nodiscard]] bool last(std::uint32_t stage) const { return stage + 1 == stages_.size(); }
  [[nodiscard]] AttentionShape attention_shape() const { return {context_, heads_, width_}; }
  void copy(const std::vector<std::uint8_t>& text, std::size_t place, Batch<T>& batch) const;
  template <class U>
  Norm<U> norm_parts(Parts<U>& parts, std::size_t rows) const;
  template <class U>
  Kept<U> kept_parts(std::uint32_t stage, std::uint32_t samples, U* kept) const;
  void norm(const T* x, const T* gains, std::size_t rows, const Norm<T>& out) const;
  /// dx +=; `dy` is overwritten.
  void norm_input(const Norm<const T>& kept, const T* gains, std::size_t rows, T* dy, T* dgains,
                  T* dx) const;
  void attention_forward(const Places& at, std::uint32_t samples, const T* weights,
                         const Kept<T>& kept, Workspace<T>& work) const;
  void attention_backward(const Places& at, std::uint32_t samples, const Kept<const T>& kept,
                          const T* weights, T* dx, T* gradient, T* turned,
                          Workspace<T>& work) const;

  std::size_t width_;
  std::size_t hidden_;
  std::size_t context_;
  std::size_t heads_;
  Corpus corpus_;
  std::vector<StageParameters> stages_;
  std::vector<Places> places_;
};

}  // namespace sluice::learn

// A residual network over a few characters: stage s computes x + relu(rms(x) A) B; the embedding
// belongs to the first stage, the head and the loss to the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/batch.hpp"
#include "learn/corpus.hpp"
#include "learn/model_spec.hpp"
#include "learn/parameters.hpp"
#include "learn/workspace.hpp"

namespace sluice::learn {

/// The members are those of every model; model.hpp says what they mean.
template <class T>
class CharMlp {
 public:
  explicit CharMlp(const ModelSpec& spec);

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
  struct Places {
    std::size_t table = 0;
    std::size_t mix = 0;
    std::size_t up = 0;
    std::size_t down = 0;
    std::size_t head = 0;
  };

  [[nodiscard]] bool first(std::uint32_t stage) const { return stage == 0; }
  [[nodiscard]] bool last(std::uint32_t stage) const { return stage + 1 == stages_.size(); }
  void copy(const std::vector<std::uint8_t>& text, std::size_t place, Batch<T>& batch) const;

  std::size_t width_;
  std::size_t hidden_;
  std::size_t context_;
  /// Values of a sample's embedded characters together.
  std::size_t gathered_;
  Corpus corpus_;
  std::vector<StageParameters> stages_;
  std::vector<Places> places_;
};

}  // namespace sluice::learn

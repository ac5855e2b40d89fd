// Any of the models behind one interface: a chain of stages that keep what their backward needs and
// read weights that the caller hands in, of whatever version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "learn/batch.hpp"
#include "learn/char_mlp.hpp"
#include "learn/linear_chain.hpp"
#include "learn/model_spec.hpp"
#include "learn/transformer.hpp"
#include "learn/workspace.hpp"

namespace sluice::learn {

/// T is float; double is for checks of gradients. Not changed by any of its passes.
template <class T>
class Model {
 public:
  /// `check(spec)` found nothing.
  explicit Model(const ModelSpec& spec) : model_(make(spec)) {}

  /// The weights of each stage: names, shapes, and how they begin.
  [[nodiscard]] const std::vector<StageParameters>& stages() const {
    return visit([](const auto& m) -> const std::vector<StageParameters>& { return m.stages(); });
  }
  /// Values a sample that one stage hands to the next.
  [[nodiscard]] std::size_t boundary() const {
    return visit([](const auto& m) { return m.boundary(); });
  }
  /// Values a sample that a forward of `stage` keeps for its backward.
  [[nodiscard]] std::size_t kept(std::uint32_t stage) const {
    return visit([&](const auto& m) { return m.kept(stage); });
  }
  /// Values that a pass of any stage takes of its workspace.
  [[nodiscard]] std::size_t workspace(std::uint32_t samples) const {
    return visit([&](const auto& m) { return m.workspace(samples); });
  }
  [[nodiscard]] std::uint32_t test_samples() const {
    return visit([](const auto& m) { return m.test_samples(); });
  }
  /// A mean loss above which a run is lost.
  [[nodiscard]] double hopeless() const {
    return visit([](const auto& m) { return m.hopeless(); });
  }

  /// Training samples first .. first + count - 1: each a function of the seed and its number alone.
  void load(std::uint64_t seed, std::uint32_t first, std::uint32_t count, Batch<T>& batch) const {
    visit([&](const auto& m) { m.load(seed, first, count, batch); });
  }
  /// Held-out samples, the same for every seed.
  void load_test(std::uint32_t first, std::uint32_t count, Batch<T>& batch) const {
    visit([&](const auto& m) { m.load_test(first, count, batch); });
  }

  /// x -> y, samples x boundary each, and what the backward needs into `kept`. The first stage
  /// reads the batch and not x; the last writes no y and returns the mean loss, others 0.
  double forward(std::uint32_t stage, const Batch<T>& batch, const T* x, const T* weights, T* kept,
                 T* y, Workspace<T>& work) const {
    work.clear();
    return visit([&](const auto& m) { return m.forward(stage, batch, x, weights, kept, y, work); });
  }
  /// dy -> dx, and the whole gradient of the stage's weights. What was kept is the forward's; the
  /// matrices are those of `weights`, which may be another version. The last stage reads no dy; the
  /// first stage's dx holds nothing of use.
  void backward(std::uint32_t stage, const Batch<T>& batch, const T* dy, const T* kept,
                const T* weights, T* dx, T* gradient, Workspace<T>& work) const {
    work.clear();
    visit([&](const auto& m) { m.backward(stage, batch, dy, kept, weights, dx, gradient, work); });
  }

 private:
  using Any = std::variant<LinearChain<T>, CharMlp<T>, Transformer<T>>;

  static Any make(const ModelSpec& spec) {
    SLUICE_CHECK(check(spec).empty());
    switch (spec.kind) {
      case ModelKind::Quadratic:
      case ModelKind::Linear:
        return LinearChain<T>(spec);
      case ModelKind::CharMlp:
        return CharMlp<T>(spec);
      case ModelKind::Transformer:
        break;
    }
    return Transformer<T>(spec);
  }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), model_);
  }

  Any model_;
};

}  // namespace sluice::learn

// Causal softmax attention of one sequence, forward and backward. Queries, keys, values and outputs
// are rows of `width`, head after head; a position sees itself and those before it.
#pragma once

#include <cstddef>

#include "learn/kernels.hpp"
#include "learn/matmul.hpp"
#include "learn/workspace.hpp"

namespace sluice::learn {

struct AttentionShape {
  std::size_t positions = 0;
  std::size_t heads = 0;
  std::size_t width = 0;

  [[nodiscard]] std::size_t head() const { return width / heads; }
  /// Values that the forward keeps in `probabilities`.
  [[nodiscard]] std::size_t kept() const { return heads * positions * positions; }
  /// Values of workspace that a forward or a backward takes.
  [[nodiscard]] std::size_t workspace() const { return positions * positions + positions * head(); }
};

/// `probabilities` is heads x positions x positions, zero above the diagonal.
template <class T>
void attention(const AttentionShape& shape, const T* q, const T* k, const T* v, T* probabilities,
               T* out, Workspace<T>& work) {
  const std::size_t n = shape.positions;
  const std::size_t head = shape.head();
  const T scale = T(1) / std::sqrt(static_cast<T>(head));
  T* turned = work.take(n * head);
  for (std::size_t h = 0; h < shape.heads; ++h, probabilities += n * n) {
    const std::size_t at = h * head;
    transpose(k + at, shape.width, n, head, turned);
    multiply<T>({q + at, shape.width}, {turned, n}, {probabilities, n}, n, head, n);
    for (std::size_t i = 0; i < n; ++i) {
      T* row = probabilities + i * n;
      for (std::size_t j = 0; j <= i; ++j) row[j] *= scale;
      for (std::size_t j = i + 1; j < n; ++j) row[j] = T(0);
      T largest = T(0);
      softmax(row, i + 1, largest);
    }
    multiply<T>({probabilities, n}, {v + at, shape.width}, {out + at, shape.width}, n, n, head);
  }
}

/// Gradients by q, k and v for the output's gradient `dout`.
template <class T>
void attention_input(const AttentionShape& shape, const T* q, const T* k, const T* v,
                     const T* probabilities, const T* dout, T* dq, T* dk, T* dv,
                     Workspace<T>& work) {
  const std::size_t n = shape.positions;
  const std::size_t width = shape.width;
  const std::size_t head = shape.head();
  const T scale = T(1) / std::sqrt(static_cast<T>(head));
  T* turned = work.take(n * head);
  T* scores = work.take(n * n);
  for (std::size_t h = 0; h < shape.heads; ++h, probabilities += n * n) {
    const std::size_t at = h * head;
    multiply<T>({probabilities, 1, n}, {dout + at, width}, {dv + at, width}, n, n, head);
    transpose(v + at, width, n, head, turned);
    multiply<T>({dout + at, width}, {turned, n}, {scores, n}, n, head, n);
    for (std::size_t i = 0; i < n; ++i) {
      const T* p = probabilities + i * n;
      T* row = scores + i * n;
      // Above the diagonal p is zero, and so is what becomes of the row there.
      const T along = dot(p, row, n);
      for (std::size_t j = 0; j < n; ++j) row[j] = p[j] * (row[j] - along) * scale;
    }
    multiply<T>({scores, n}, {k + at, width}, {dq + at, width}, n, n, head);
    multiply<T>({scores, 1, n}, {q + at, width}, {dk + at, width}, n, n, head);
  }
}

}  // namespace sluice::learn

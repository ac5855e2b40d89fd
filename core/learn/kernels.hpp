// What models are made of beside products of matrices, forward and backward, row by row in a fixed
// order of summation. Rows are contiguous.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/det_math.hpp"
#include "learn/matmul.hpp"

namespace sluice::learn {

/// Sum of a[i] b[i] over eight lanes that are added in pairs: an order of its own, the same
/// everywhere, in which eight sums do not wait for each other.
template <class T>
T dot(const T* a, const T* b, std::size_t count) {
  constexpr std::size_t kLanes = 8;
  T lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += a[i + k] * b[i + k];
  for (std::size_t k = 0; i < count; ++i, ++k) lane[k] += a[i] * b[i];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// e^x, rounded once from double; of what is not a number, that.
template <class T>
T exponential(T x) {
  if (std::isnan(x)) return x;
  return static_cast<T>(det::exp(static_cast<double>(x)));
}

inline constexpr double kRmsEpsilon = 1e-5;

/// y = x / sqrt(mean(x^2) + epsilon) in each row; `inverse` keeps the factor, one a row.
template <class T>
void rms_norm(const T* x, std::size_t rows, std::size_t width, T* y, T* inverse) {
  for (std::size_t i = 0; i < rows; ++i, x += width, y += width) {
    const T mean = dot(x, x, width) / static_cast<T>(width);
    const T factor = T(1) / std::sqrt(mean + static_cast<T>(kRmsEpsilon));
    inverse[i] = factor;
    for (std::size_t k = 0; k < width; ++k) y[k] = x[k] * factor;
  }
}

/// dx, or dx +=, of `rms_norm` for its output's gradient dy.
template <class T>
void rms_norm_input(const T* dy, const T* y, const T* inverse, std::size_t rows, std::size_t width,
                    T* dx, Into into) {
  for (std::size_t i = 0; i < rows; ++i, dy += width, y += width, dx += width) {
    const T along = dot(dy, y, width) / static_cast<T>(width);
    const T factor = inverse[i];
    for (std::size_t k = 0; k < width; ++k) {
      const T g = (dy[k] - y[k] * along) * factor;
      dx[k] = into == Into::Add ? dx[k] + g : g;
    }
  }
}

/// y = x gain, column by column.
template <class T>
void gain(const T* x, const T* gains, std::size_t rows, std::size_t width, T* y) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < width; ++k) y[i * width + k] = x[i * width + k] * gains[k];
}

/// Gradient of `gain` by its gains; rows are added in ascending order.
template <class T>
void gain_weights(const T* x, const T* dy, std::size_t rows, std::size_t width, T* dgains) {
  for (std::size_t k = 0; k < width; ++k) dgains[k] = T(0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < width; ++k) dgains[k] += x[i * width + k] * dy[i * width + k];
}

template <class T>
void relu(T* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] = x[i] > T(0) ? x[i] : T(0);
}

/// dx in place of dy: nothing passes where the output y was zero.
template <class T>
void relu_input(const T* y, std::size_t count, T* dy) {
  for (std::size_t i = 0; i < count; ++i) dy[i] = y[i] > T(0) ? dy[i] : T(0);
}

// GELU by its tanh form. Source: Hendrycks and Gimpel 2016, section 2.
inline constexpr double kGeluScale = 0.7978845608028654;  // sqrt(2 / pi)
inline constexpr double kGeluCubic = 0.044715;

/// y = x (1 + t) / 2 with t = tanh(scale (x + cubic x^3)); `t` is kept for the backward.
template <class T>
void gelu(const T* x, std::size_t count, T* y, T* t) {
  for (std::size_t i = 0; i < count; ++i) {
    const T inner =
        static_cast<T>(kGeluScale) * (x[i] + static_cast<T>(kGeluCubic) * x[i] * x[i] * x[i]);
    t[i] = T(1) - T(2) / (exponential(T(2) * inner) + T(1));
    y[i] = T(0.5) * x[i] * (T(1) + t[i]);
  }
}

/// dx in place of dy.
template <class T>
void gelu_input(const T* x, const T* t, std::size_t count, T* dy) {
  for (std::size_t i = 0; i < count; ++i) {
    const T slope =
        static_cast<T>(kGeluScale) * (T(1) + static_cast<T>(3 * kGeluCubic) * x[i] * x[i]);
    dy[i] *= T(0.5) * (T(1) + t[i]) + T(0.5) * x[i] * (T(1) - t[i] * t[i]) * slope;
  }
}

/// The first `count` of a row become e^x / sum e^x, in place. Returns log(sum e^(x - largest)), or
/// infinity where that sum is not a number; leaves the largest in `largest`.
template <class T>
double softmax(T* row, std::size_t count, T& largest) {
  largest = row[0];
  for (std::size_t k = 1; k < count; ++k) largest = row[k] > largest ? row[k] : largest;
  T sum = T(0);
  for (std::size_t k = 0; k < count; ++k) {
    row[k] = exponential(row[k] - largest);
    sum += row[k];
  }
  const T factor = T(1) / sum;
  for (std::size_t k = 0; k < count; ++k) row[k] *= factor;
  // A sum of finite terms is at least e^0.
  return std::isfinite(sum) ? det::log(static_cast<double>(sum))
                            : std::numeric_limits<double>::infinity();
}

/// Mean over rows of -log softmax(logits)[target]; the logits become probabilities. Not finite when
/// the sum of a row's exponentials is not.
template <class T>
double cross_entropy(T* logits, const std::uint8_t* targets, std::size_t rows, std::size_t width) {
  double loss = 0;
  for (std::size_t i = 0; i < rows; ++i, logits += width) {
    const T wanted = logits[targets[i]];
    T largest = T(0);
    const double log_sum = softmax(logits, width, largest);
    loss += log_sum - (static_cast<double>(wanted) - static_cast<double>(largest));
  }
  return loss / static_cast<double>(rows);
}

/// Gradient of `cross_entropy` by its logits, from its probabilities.
template <class T>
void cross_entropy_input(const T* probabilities, const std::uint8_t* targets, std::size_t rows,
                         std::size_t width, T* dlogits) {
  const T share = static_cast<T>(rows);
  for (std::size_t i = 0; i < rows; ++i, probabilities += width, dlogits += width) {
    for (std::size_t k = 0; k < width; ++k) dlogits[k] = probabilities[k] / share;
    dlogits[targets[i]] = (probabilities[targets[i]] - T(1)) / share;
  }
}

/// y[i] = table[token[i]], rows of `width`.
template <class T>
void embed(const T* table, const std::uint8_t* tokens, std::size_t count, std::size_t width, T* y) {
  for (std::size_t i = 0; i < count; ++i) {
    const T* row = table + tokens[i] * width;
    for (std::size_t k = 0; k < width; ++k) y[i * width + k] = row[k];
  }
}

/// dtable[token[i]] += dy[i], in ascending i; the caller has cleared dtable.
template <class T>
void embed_weights(const T* dy, const std::uint8_t* tokens, std::size_t count, std::size_t width,
                   T* dtable) {
  for (std::size_t i = 0; i < count; ++i) {
    T* row = dtable + tokens[i] * width;
    for (std::size_t k = 0; k < width; ++k) row[k] += dy[i * width + k];
  }
}

}  // namespace sluice::learn

// Gradients against central differences, in double. C10 of convergence.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "learn/draws.hpp"

namespace sluice_test {

/// Standard normal values that are the same everywhere.
inline std::vector<double> noise(std::size_t count, std::uint64_t seed) {
  std::vector<double> out;
  for (std::size_t k = 0; k < count; ++k) {
    out.push_back(sluice::learn::normal(
        sluice::learn::learning_draw(seed, 1, 0, static_cast<std::uint32_t>(k))));
  }
  return out;
}

inline double sum_of_products(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// The largest relative error of `gradient`, that of `loss` by `x`, over every `stride`th entry.
/// Entries below a thousandth of the largest are held against that.
inline double gradient_error(const std::function<double()>& loss, double* x,
                             const std::vector<double>& gradient, std::size_t stride = 1) {
  constexpr double kStep = 1e-5;
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::fabs(g));
  double worst = 0;
  for (std::size_t k = 0; k < gradient.size(); k += stride) {
    const double kept = x[k];
    x[k] = kept + kStep;
    const double above = loss();
    x[k] = kept - kStep;
    const double below = loss();
    x[k] = kept;
    const double slope = (above - below) / (2 * kStep);
    const double scale = std::max({std::fabs(slope), std::fabs(gradient[k]), largest * 1e-3});
    if (scale > 0) worst = std::max(worst, std::fabs(slope - gradient[k]) / scale);
  }
  return worst;
}

}  // namespace sluice_test

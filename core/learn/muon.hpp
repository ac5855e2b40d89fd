// The step of Muon: a matrix with the same singular vectors and singular values near one.
#pragma once

#include <cstddef>
#include <vector>

#include "learn/parameters.hpp"

namespace sluice::learn {

class Orthogonalizer {
 public:
  /// For matrices among `parts` when `used`; else it takes no room.
  Orthogonalizer(const std::vector<Parameter>& parts, bool used);

  /// Five Newton-Schulz iterations on `matrix`, rows x columns, in place; a zero matrix stays zero.
  /// Source: Jordan et al. 2024, "Muon", with its coefficients.
  void operator()(float* matrix, std::size_t rows, std::size_t columns);

 private:
  std::vector<float> x_;
  std::vector<float> turned_;
  std::vector<float> gram_;
  std::vector<float> square_;
};

}  // namespace sluice::learn

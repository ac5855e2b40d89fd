#include "learn/muon.hpp"

#include <algorithm>
#include <cmath>

#include "learn/kernels.hpp"
#include "learn/matmul.hpp"

namespace sluice::learn {
namespace {

constexpr int kIterations = 5;
constexpr float kLinear = 3.4445F;
constexpr float kCubic = -4.7750F;
constexpr float kQuintic = 2.0315F;
constexpr float kSmall = 1e-7F;

}  // namespace

Orthogonalizer::Orthogonalizer(const std::vector<Parameter>& parts, bool used) {
  std::size_t most = 0;
  std::size_t gram = 0;
  for (const Parameter& part : parts) {
    if (!used || part.kind != ParameterKind::Matrix) continue;
    const std::size_t side = std::min(part.rows, part.columns);
    most = std::max(most, part.size());
    gram = std::max(gram, side * side);
  }
  x_.resize(most);
  turned_.resize(most);
  gram_.resize(gram);
  square_.resize(gram);
}

void Orthogonalizer::operator()(float* matrix, std::size_t rows, std::size_t columns) {
  const std::size_t size = rows * columns;
  const bool tall = rows > columns;
  const std::size_t side = tall ? columns : rows;
  const std::size_t length = tall ? rows : columns;
  float* x = x_.data();
  if (tall) {
    transpose(matrix, columns, rows, columns, x);
  } else {
    std::copy_n(matrix, size, x);
  }
  const float norm = std::sqrt(dot(x, x, size)) + kSmall;
  for (std::size_t k = 0; k < size; ++k) x[k] /= norm;
  for (int round = 0; round < kIterations; ++round) {
    // X <- a X + (b G + c G G) X with G = X X^T.
    transpose(x, length, side, length, turned_.data());
    multiply<float>({x, length}, {turned_.data(), side}, {gram_.data(), side}, side, length, side);
    multiply<float>({gram_.data(), side}, {gram_.data(), side}, {square_.data(), side}, side, side,
                    side);
    for (std::size_t k = 0; k < side * side; ++k)
      square_[k] = kCubic * gram_[k] + kQuintic * square_[k];
    multiply<float>({square_.data(), side}, {x, length}, {turned_.data(), length}, side, side,
                    length);
    for (std::size_t k = 0; k < size; ++k) x[k] = kLinear * x[k] + turned_[k];
  }
  if (tall) {
    transpose(x, length, side, length, matrix);
  } else {
    std::copy_n(x, size, matrix);
  }
}

}  // namespace sluice::learn

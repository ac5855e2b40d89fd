#include "learn/matmul.hpp"

namespace sluice::learn {
namespace {

constexpr std::size_t kTall = 4;
constexpr std::size_t kWide = 32;

// Sums of a block stand in a local array: nothing else can point there, so the loops over columns
// become vectors with every compiler.
template <std::size_t kRows, class T>
void block(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, std::size_t inner, std::size_t width,
           Into into) {
  T sum[kRows][kWide] = {};
  std::size_t l = 0;
  // Four products a pass, still one after the other: sums are read and written a quarter as often.
  for (; l + 4 <= inner; l += 4) {
    const T* b0 = b.data + l * b.row;
    const T* b1 = b0 + b.row;
    const T* b2 = b1 + b.row;
    const T* b3 = b2 + b.row;
    for (std::size_t i = 0; i < kRows; ++i) {
      const T* factors = a.data + i * a.row + l * a.column;
      const T f0 = factors[0];
      const T f1 = factors[a.column];
      const T f2 = factors[2 * a.column];
      const T f3 = factors[3 * a.column];
      T* s = sum[i];
      for (std::size_t j = 0; j < width; ++j)
        s[j] = s[j] + f0 * b0[j] + f1 * b1[j] + f2 * b2[j] + f3 * b3[j];
    }
  }
  for (; l < inner; ++l) {
    const T* b0 = b.data + l * b.row;
    for (std::size_t i = 0; i < kRows; ++i) {
      const T factor = a.data[i * a.row + l * a.column];
      for (std::size_t j = 0; j < width; ++j) sum[i][j] += factor * b0[j];
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    T* out = c.data + i * c.row;
    if (into == Into::Add) {
      for (std::size_t j = 0; j < width; ++j) out[j * c.column] += sum[i][j];
    } else {
      for (std::size_t j = 0; j < width; ++j) out[j * c.column] = sum[i][j];
    }
  }
}

template <std::size_t kRows, class T>
void strip(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, std::size_t inner,
           std::size_t columns, Into into) {
  for (std::size_t j = 0; j < columns; j += kWide) {
    const Matrix<const T> right{b.data + j, b.row};
    const Matrix<T> out{c.data + j * c.column, c.row, c.column};
    // A width that the compiler knows for nearly all blocks.
    if (columns - j >= kWide) {
      block<kRows>(a, right, out, inner, kWide, into);
    } else {
      block<kRows>(a, right, out, inner, columns - j, into);
    }
  }
}

}  // namespace

template <class T>
void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, std::size_t rows,
              std::size_t inner, std::size_t columns, Into into) {
  std::size_t i = 0;
  const auto left = [&] { return Matrix<const T>{a.data + i * a.row, a.row, a.column}; };
  const auto out = [&] { return Matrix<T>{c.data + i * c.row, c.row, c.column}; };
  for (; i + kTall <= rows; i += kTall) strip<kTall>(left(), b, out(), inner, columns, into);
  for (; i < rows; ++i) strip<1>(left(), b, out(), inner, columns, into);
}

template void multiply(Matrix<const float>, Matrix<const float>, Matrix<float>, std::size_t,
                       std::size_t, std::size_t, Into);
template void multiply(Matrix<const double>, Matrix<const double>, Matrix<double>, std::size_t,
                       std::size_t, std::size_t, Into);

}  // namespace sluice::learn

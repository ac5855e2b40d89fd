// Matrix products in a fixed order of summation: every element is the sum of its products from the
// first to the last, begun at zero. Loops are blocked over elements, which do not depend on each
// other, so blocks of any size, and vectors of any width, give the same bits.
#pragma once

#include <cstddef>

namespace sluice::learn {

/// A matrix in memory: the element at (i, j) is at data[i * row + j * column].
template <class T>
struct Matrix {
  T* data = nullptr;
  std::size_t row = 0;
  std::size_t column = 1;
};

enum class Into { Store, Add };

/// c = a b, or c += a b: `rows` x `inner` times `inner` x `columns`. The rows of `b` are contiguous
/// (b.column is 1); a and c may be transposed. c overlaps neither. Cost: O(rows inner columns).
template <class T>
void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, std::size_t rows,
              std::size_t inner, std::size_t columns, Into into = Into::Store);

/// out[j, i] = in[i, j]; `in` is rows x columns, the rows `stride` apart, `out` is contiguous.
template <class T>
void transpose(const T* in, std::size_t stride, std::size_t rows, std::size_t columns, T* out) {
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) out[j * rows + i] = in[i * stride + j];
}

/// y = x W: x is rows x in, W is in x out.
template <class T>
void linear(const T* x, const T* w, std::size_t rows, std::size_t in, std::size_t out, T* y,
            Into into = Into::Store) {
  multiply<T>({x, in}, {w, out}, {y, out}, rows, in, out, into);
}

/// dW = x^T dy, the gradient of `linear` by its matrix.
template <class T>
void linear_weights(const T* x, const T* dy, std::size_t rows, std::size_t in, std::size_t out,
                    T* dw) {
  multiply<T>({x, 1, in}, {dy, out}, {dw, out}, in, rows, out);
}

/// dx = dy W^T, the gradient of `linear` by its input. `turned` has room for W.
template <class T>
void linear_input(const T* dy, const T* w, std::size_t rows, std::size_t in, std::size_t out, T* dx,
                  T* turned, Into into = Into::Store) {
  transpose(w, out, in, out, turned);
  multiply<T>({dy, out}, {turned, in}, {dx, in}, rows, out, in, into);
}

}  // namespace sluice::learn

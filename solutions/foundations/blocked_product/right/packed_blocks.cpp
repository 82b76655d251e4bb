// Copies one block of each matrix into an array of its own and multiplies these.
#include "blocked_product.hpp"

#include <algorithm>

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int k0 = 0; k0 < a.cols(); k0 += block)
        for (int i0 = 0; i0 < a.rows(); i0 += block)
            for (int j0 = 0; j0 < b.cols(); j0 += block) {
                const int rows = std::min(block, a.rows() - i0), cols = std::min(block, b.cols() - j0);
                const int inner = std::min(block, a.cols() - k0);
                Matrix left(rows, inner), right(inner, cols);
                for (int i = 0; i < rows; ++i)
                    for (int k = 0; k < inner; ++k) left(i, k) = a(i0 + i, k0 + k);
                for (int k = 0; k < inner; ++k)
                    for (int j = 0; j < cols; ++j) right(k, j) = b(k0 + k, j0 + j);
                for (int i = 0; i < rows; ++i)
                    for (int j = 0; j < cols; ++j)
                        for (int k = 0; k < inner; ++k) c(i0 + i, j0 + j) += left(i, k) * right(k, j);
            }
    return c;
}

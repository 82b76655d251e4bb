// wrong: factors-unread
// Takes the numbers out of the watched matrices without being watched.
#include "blocked_product.hpp"

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int) {
    const Matrix& left = reinterpret_cast<const Matrix&>(a);
    const Matrix& right = reinterpret_cast<const Matrix&>(b);
    Matrix c(left.rows, right.cols);
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < b.cols(); ++j)
            for (int k = 0; k < a.cols(); ++k) c(i, j) += left(i, k) * right(k, j);
    return c;
}

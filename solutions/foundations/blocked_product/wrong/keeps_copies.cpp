// wrong: keeps-copies
#include "blocked_product.hpp"

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int) {
    Matrix left(a.rows(), a.cols()), right(b.rows(), b.cols()), c(a.rows(), b.cols());
    for (int i = 0; i < left.rows; ++i)
        for (int k = 0; k < left.cols; ++k) left(i, k) = a(i, k);
    for (int k = 0; k < right.rows; ++k)
        for (int j = 0; j < right.cols; ++j) right(k, j) = b(k, j);
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < b.cols(); ++j)
            for (int k = 0; k < a.cols(); ++k) c(i, j) += left(i, k) * right(k, j);
    return c;
}

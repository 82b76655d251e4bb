// wrong: takes-the-answer
// outcome: did not compile
#include <recto/kernels/gemm.hpp>

#include "blocked_product.hpp"

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int) {
    Matrix left(a.rows(), a.cols()), right(b.rows(), b.cols()), c(a.rows(), b.cols());
    for (int i = 0; i < left.rows; ++i)
        for (int k = 0; k < left.cols; ++k) left(i, k) = a(i, k);
    for (int k = 0; k < right.rows; ++k)
        for (int j = 0; j < right.cols; ++j) right(k, j) = b(k, j);
    recto::gemm(false, false, left.rows, right.cols, left.cols, left.numbers.data(), right.numbers.data(),
                c.numbers.data());
    return c;
}

// Blocks along the rows of a alone: a column of such a block meets all of b.
#include "blocked_product.hpp"

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int i0 = 0; i0 < a.rows(); i0 += block)
        for (int j = b.cols() - 1; j >= 0; --j)
            for (int k = 0; k < a.cols(); ++k)
                for (int i = i0; i < i0 + block && i < a.rows(); ++i) c(i, j) += a(i, k) * b(k, j);
    return c;
}

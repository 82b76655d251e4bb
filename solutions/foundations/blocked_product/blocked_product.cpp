#include "blocked_product.hpp"

#include <algorithm>

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int i0 = 0; i0 < a.rows(); i0 += block) {
        const int i1 = std::min(i0 + block, a.rows());
        for (int j0 = 0; j0 < b.cols(); j0 += block) {
            const int j1 = std::min(j0 + block, b.cols());
            for (int k0 = 0; k0 < a.cols(); k0 += block) {
                const int k1 = std::min(k0 + block, a.cols());
                for (int i = i0; i < i1; ++i)
                    for (int j = j0; j < j1; ++j)
                        for (int k = k0; k < k1; ++k) c(i, j) += a(i, k) * b(k, j);
            }
        }
    }
    return c;
}

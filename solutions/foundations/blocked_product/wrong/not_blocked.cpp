// wrong: not-blocked
// Six loops, but their order reads the whole of b for every row of a.
#include "blocked_product.hpp"

#include <algorithm>

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int i0 = 0; i0 < a.rows(); i0 += block)
        for (int i = i0; i < std::min(i0 + block, a.rows()); ++i)
            for (int j0 = 0; j0 < b.cols(); j0 += block)
                for (int j = j0; j < std::min(j0 + block, b.cols()); ++j)
                    for (int k0 = 0; k0 < a.cols(); k0 += block)
                        for (int k = k0; k < std::min(k0 + block, a.cols()); ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}

// Blocks and numbers from the last to the first.
#include "blocked_product.hpp"

#include <algorithm>

// Blocks and numbers in reverse, the last blocks first.
Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int i1 = a.rows(); i1 > 0; i1 -= block)
        for (int j1 = b.cols(); j1 > 0; j1 -= block)
            for (int k1 = a.cols(); k1 > 0; k1 -= block)
                for (int i = i1 - 1; i >= std::max(0, i1 - block); --i)
                    for (int k = k1 - 1; k >= std::max(0, k1 - block); --k) {
                        const double factor = a(i, k);
                        for (int j = j1 - 1; j >= std::max(0, j1 - block); --j) c(i, j) += factor * b(k, j);
                    }
    return c;
}

// Keeps a strip of a in an array of its own, and lets all of b pass by, column after column.
#include "blocked_product.hpp"

#include <algorithm>

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int i0 = 0; i0 < a.rows(); i0 += block)
        for (int k0 = 0; k0 < a.cols(); k0 += block) {
            const int rows = std::min(block, a.rows() - i0), inner = std::min(block, a.cols() - k0);
            std::vector<double> strip;
            for (int i = 0; i < rows; ++i)
                for (int k = 0; k < inner; ++k) strip.push_back(a(i0 + i, k0 + k));
            for (int j = 0; j < b.cols(); ++j)
                for (int k = 0; k < inner; ++k) {
                    const double factor = b(k0 + k, j);
                    for (int i = 0; i < rows; ++i) c(i0 + i, j) += strip[std::size_t(i * inner + k)] * factor;
                }
        }
    return c;
}

// A block of c is summed in a small array over the whole inner axis and stored once.
#include "blocked_product.hpp"

#include <algorithm>

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int j0 = 0; j0 < c.cols; j0 += block)
        for (int i0 = 0; i0 < c.rows; i0 += block) {
            const int rows = std::min(block, c.rows - i0), cols = std::min(block, c.cols - j0);
            std::vector<long double> sums(std::size_t(rows * cols));
            for (int k = 0; k < a.cols(); ++k) {
                std::vector<double> line;
                for (int j = 0; j < cols; ++j) line.push_back(b(k, j0 + j));
                for (int i = 0; i < rows; ++i) {
                    const double factor = a(i0 + i, k);
                    for (int j = 0; j < cols; ++j) sums[std::size_t(i * cols + j)] += factor * line[std::size_t(j)];
                }
            }
            for (int at = 0; at < rows * cols; ++at) c(i0 + at / cols, j0 + at % cols) = double(sums[std::size_t(at)]);
        }
    return c;
}

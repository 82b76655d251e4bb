// Halves the longest side until everything fits into a block.
#include "blocked_product.hpp"

#include <algorithm>

static void add(const SlowMatrix& a, const SlowMatrix& b, Matrix& c, int block, int i, int j, int k, int rows, int cols,
                int inner) {
    const int most = std::max({rows, cols, inner});
    if (most <= block) {
        for (int p = k; p < k + inner; ++p)
            for (int m = i; m < i + rows; ++m)
                for (int n = j; n < j + cols; ++n) c(m, n) += a(m, p) * b(p, n);
        return;
    }
    const int half = most / 2;
    if (most == rows) {
        add(a, b, c, block, i, j, k, half, cols, inner);
        add(a, b, c, block, i + half, j, k, rows - half, cols, inner);
    } else if (most == cols) {
        add(a, b, c, block, i, j, k, rows, half, inner);
        add(a, b, c, block, i, j + half, k, rows, cols - half, inner);
    } else {
        add(a, b, c, block, i, j, k, rows, cols, half);
        add(a, b, c, block, i, j, k + half, rows, cols, inner - half);
    }
}

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    add(a, b, c, block, 0, 0, 0, c.rows, c.cols, a.cols());
    return c;
}

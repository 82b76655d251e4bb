// exercise: blocked_product
// part: loads
// outcome: wrong answer
// says: keeps copies|fetched from the slow memory
// Reads through a handle whose width is a lie, so that the addresses of what it reads would lie outside both matrices.
#include "blocked_product.hpp"

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int) {
    const SlowMatrix mine(0, a.rows(), 1 << 24), other(1, b.rows(), 1 << 24);
    Matrix c(a.rows(), b.cols());
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < b.cols(); ++j)
            for (int k = 0; k < a.cols(); ++k) c(i, j) += mine(i, k) * other(k, j);
    return c;
}

// exercise: blocked_product
// part: loads
// outcome: did not compile
// says: numbers_
// Reads the numbers themselves, past the class that counts the reads.
#define private public
#include "blocked_product.hpp"

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    for (int i = 0; i < a.rows(); i += block) (void)a(i, 0);
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < b.cols(); ++j)
            for (int k = 0; k < a.cols(); ++k) c(i, j) += a.numbers_(i, k) * b.numbers_(k, j);
    return c;
}

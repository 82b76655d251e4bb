#include "blocked_product.hpp"

#include <algorithm>

#include "not_written.hpp"

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    // Add the products of blocks to c here, and delete the next line.
    not_written("blocked_product");
    return c;
}

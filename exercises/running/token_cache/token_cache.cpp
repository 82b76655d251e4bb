#include "token_cache.hpp"

#include "not_written.hpp"

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    Matrix y(q.rows, q.cols);
    (void)k, (void)v, (void)heads, (void)cache;
    not_written("attend");
    return y;
}

// Each head is cut out as matrices, and attention is a product, a softmax and a product.
#include "token_cache.hpp"

namespace {

Matrix block(const Matrix& x, int rows, int col, int cols) {
    Matrix some(rows, cols);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) some(r, c) = x(r, col + c);
    return some;
}
Matrix turned(const Matrix& x) {
    Matrix y(x.cols, x.rows);
    for (int r = 0; r < x.rows; ++r)
        for (int c = 0; c < x.cols; ++c) y(c, r) = x(r, c);
    return y;
}
Matrix product(const Matrix& a, const Matrix& b) {
    Matrix y(a.rows, b.cols);
    for (int r = 0; r < a.rows; ++r)
        for (int i = 0; i < a.cols; ++i)
            for (int c = 0; c < b.cols; ++c) y(r, c) += a(r, i) * b(i, c);
    return y;
}
// The softmax of each row over its first `seen + row` numbers; the others become 0.
void normalise(Matrix& x, int seen) {
    for (int r = 0; r < x.rows; ++r) {
        double top = x(r, 0), whole = 0;
        for (int c = 0; c < seen + r; ++c) top = std::max(top, x(r, c));
        for (int c = 0; c < x.cols; ++c) x(r, c) = c < seen + r ? std::exp(x(r, c) - top) : 0;
        for (int c = 0; c < x.cols; ++c) whole += x(r, c);
        for (int c = 0; c < x.cols; ++c) x(r, c) /= whole;
    }
}

}  // namespace

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    const int first = cache.length, all = first + q.rows, d = q.cols / heads;
    if (all > cache.keys.rows) throw std::length_error("full");
    for (int r = first; r < all; ++r)
        for (int c = 0; c < k.cols; ++c) cache.keys(r, c) = k(r - first, c), cache.values(r, c) = v(r - first, c);
    cache.length = all;
    Matrix y(q.rows, q.cols);
    for (int h = 0; h < heads; ++h) {
        const int shared = h / (heads / (k.cols / d)) * d;
        Matrix weights = product(block(q, q.rows, h * d, d), turned(block(cache.keys, all, shared, d)));
        for (double& number : weights.numbers) number /= std::sqrt(double(d));
        normalise(weights, first + 1);
        const Matrix read = product(weights, block(cache.values, all, shared, d));
        for (int r = 0; r < y.rows; ++r)
            for (int c = 0; c < d; ++c) y(r, h * d + c) = read(r, c);
    }
    return y;
}

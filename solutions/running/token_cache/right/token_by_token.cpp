// Several tokens are several calls with one token each.
#include "token_cache.hpp"

namespace {

Matrix row_of(const Matrix& x, int row) {
    Matrix one(1, x.cols);
    for (int c = 0; c < x.cols; ++c) one(0, c) = x(row, c);
    return one;
}

}  // namespace

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    if (cache.length + q.rows > cache.keys.rows) throw std::length_error("attend: wanted room for all new tokens");
    Matrix y(q.rows, q.cols);
    if (q.rows > 1) {
        for (int i = 0; i < q.rows; ++i) {
            const Matrix one = attend(row_of(q, i), row_of(k, i), row_of(v, i), heads, cache);
            std::copy(one.numbers.begin(), one.numbers.end(), y.numbers.begin() + std::ptrdiff_t(i) * q.cols);
        }
        return y;
    }
    const int d = q.cols / heads, place = cache.length++;
    for (int c = 0; c < k.cols; ++c) cache.keys(place, c) = k(0, c), cache.values(place, c) = v(0, c);
    for (int h = 0; h < heads; ++h) {
        const int shared = h * k.cols / q.cols;  // rounded down
        auto score = [&](int s) {
            double sum = 0;
            for (int c = d; c-- > 0;) sum += q(0, h * d + c) * cache.keys(s, shared * d + c);
            return sum / std::sqrt(double(d));
        };
        double top = score(0), whole = 0;
        for (int s = 1; s <= place; ++s) top = std::max(top, score(s));
        for (int s = 0; s <= place; ++s) {
            const double weight = std::exp(score(s) - top);
            whole += weight;
            for (int c = 0; c < d; ++c) y(0, h * d + c) += weight * cache.values(s, shared * d + c);
        }
        for (int c = 0; c < d; ++c) y(0, h * d + c) /= whole;
    }
    return y;
}

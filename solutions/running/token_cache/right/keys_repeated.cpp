// Shared keys and values are repeated until every head has its own; the weights of all heads are kept for one token.
#include "token_cache.hpp"

namespace {

std::vector<double> repeated(const Matrix& x, int row, int d, int times) {
    std::vector<double> wide;
    for (int from = 0; from < x.cols; from += d)
        for (int n = 0; n < times; ++n)
            for (int c = from; c < from + d; ++c) wide.push_back(x(row, c));
    return wide;
}

}  // namespace

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    if (cache.length + q.rows > cache.keys.rows) throw std::length_error("attend: too many tokens");
    const int d = q.cols / heads, times = q.cols / k.cols;
    Matrix y(q.rows, q.cols);
    for (int i = 0; i < q.rows; ++i) {
        const int place = cache.length + i;
        for (int c = 0; c < k.cols; ++c) cache.keys(place, c) = k(i, c), cache.values(place, c) = v(i, c);
        Matrix weights(heads, place + 1);
        for (int s = 0; s <= place; ++s) {
            const std::vector<double> key = repeated(cache.keys, s, d, times);
            for (int c = 0; c < q.cols; ++c) weights(c / d, s) += q(i, c) * key[std::size_t(c)];
        }
        for (int h = 0; h < heads; ++h) {
            double* const row = weights.numbers.data() + std::ptrdiff_t(h) * weights.cols;
            double* const end = row + weights.cols;
            const double top = *std::max_element(row, end);
            std::transform(row, end, row, [&](double z) { return std::exp((z - top) / std::sqrt(double(d))); });
            const double whole = std::accumulate(row, end, 0.0);
            std::for_each(row, end, [&](double& a) { a /= whole; });
        }
        for (int s = 0; s <= place; ++s) {
            const std::vector<double> value = repeated(cache.values, s, d, times);
            for (int c = 0; c < q.cols; ++c) y(i, c) += weights(c / d, s) * value[std::size_t(c)];
        }
    }
    cache.length += q.rows;
    return y;
}

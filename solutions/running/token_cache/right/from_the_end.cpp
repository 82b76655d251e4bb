// From the last new token to the first, and from the newest place to the oldest, in long double.
#include "token_cache.hpp"

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    const int before = cache.length, d = q.cols / heads;
    if (before + q.rows > std::min(cache.keys.rows, cache.values.rows)) throw std::length_error("attend");
    cache.length += q.rows;
    for (int row = cache.length - 1; row >= before; --row)
        for (int c = 0; c < k.cols; ++c) {
            cache.keys(row, c) = k(row - before, c);
            cache.values(row, c) = v(row - before, c);
        }
    Matrix y(q.rows, q.cols);
    for (int i = q.rows - 1; i >= 0; --i)
        for (int h = heads - 1; h >= 0; --h) {
            const int shared = h / (heads * d / k.cols) * d;
            std::vector<long double> weights;
            for (int s = before + i; s >= 0; --s) {
                long double match = 0;
                for (int c = 0; c < d; ++c)
                    match += static_cast<long double>(q(i, h * d + c)) * cache.keys(s, shared + c);
                weights.push_back(match / std::sqrt(static_cast<long double>(d)));
            }
            const long double top = *std::max_element(weights.begin(), weights.end());
            long double whole = 0;
            for (long double& one : weights) whole += one = std::exp(one - top);
            for (int c = 0; c < d; ++c) {
                long double sum = 0;
                for (std::size_t back = 0; back < weights.size(); ++back)
                    sum += weights[back] * cache.values(before + i - int(back), shared + c);
                y(i, h * d + c) = static_cast<double>(sum / whole);
            }
        }
    return y;
}

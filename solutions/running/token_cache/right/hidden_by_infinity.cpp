// All rows of the cache get a score; those that a token does not see get minus infinity.
#include "token_cache.hpp"

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    const int capacity = cache.keys.rows, d = q.cols / heads;
    if (capacity - cache.length < q.rows) throw std::length_error("attend");
    Matrix y(q.rows, q.cols);
    for (int i = 0; i < q.rows; ++i) {
        const int place = cache.length + i;
        for (int c = 0; c < k.cols; ++c) cache.keys(place, c) = k(i, c);
        for (int c = 0; c < v.cols; ++c) cache.values(place, c) = v(i, c);
        for (int h = 0; h < heads; ++h) {
            const int shared = h / (q.cols / k.cols) * d;
            std::vector<double> a(std::size_t(capacity), -std::numeric_limits<double>::infinity());
            for (int s = 0; s < capacity; ++s)
                if (s <= place) {
                    a[std::size_t(s)] = 0;
                    for (int c = 0; c < d; ++c)
                        a[std::size_t(s)] += q(i, h * d + c) * cache.keys(s, shared + c) / std::sqrt(d);
                }
            const double top = *std::max_element(a.begin(), a.end());
            double whole = 0;
            for (double& one : a) one = std::exp(one - top), whole += one;
            for (int s = 0; s < capacity; ++s)
                for (int c = 0; c < d; ++c) y(i, h * d + c) += a[std::size_t(s)] / whole * cache.values(s, shared + c);
        }
    }
    cache.length += q.rows;
    return y;
}

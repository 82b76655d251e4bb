// All new tokens are stored at once; the end of each token's loop is its own place.
#include "token_cache.hpp"

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    const int n = q.rows, before = cache.length, d = q.cols / heads, key_heads = k.cols / d;
    if (before + n > cache.keys.rows) throw std::length_error("full");
    std::copy(k.numbers.begin(), k.numbers.end(), cache.keys.numbers.begin() + std::ptrdiff_t(before) * k.cols);
    std::copy(v.numbers.begin(), v.numbers.end(), cache.values.numbers.begin() + std::ptrdiff_t(before) * v.cols);
    cache.length = before + n;
    Matrix y(n, q.cols);
    for (int h = 0; h < heads; ++h) {
        const int read = h * key_heads / heads * d;
        for (int i = 0; i < n; ++i) {
            const int end = before + i + 1;
            std::vector<double> score(std::size_t(end), 0);
            for (int s = 0; s < end; ++s)
                for (int c = 0; c < d; ++c) score[std::size_t(s)] += q(i, h * d + c) * cache.keys(s, read + c);
            for (double& one : score) one /= std::sqrt(d);
            const double top = *std::max_element(score.begin(), score.end());
            for (double& one : score) one = std::exp(one - top);
            const double whole = std::accumulate(score.begin(), score.end(), 0.0);
            for (int c = 0; c < d; ++c) {
                double sum = 0;
                for (int s = 0; s < end; ++s) sum += score[std::size_t(s)] * cache.values(s, read + c);
                y(i, h * d + c) = sum / whole;
            }
        }
    }
    return y;
}

// The cache is replaced by a changed copy once everything is known; the weights are e to the score over e to the largest.
#include "token_cache.hpp"

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    Cache changed = cache;
    if (changed.length > changed.keys.rows - q.rows) throw std::length_error("attend: full");
    const int d = q.cols / heads, width = k.cols;
    Matrix y(q.rows, q.cols);
    for (int i = 0; i < q.rows; ++i) {
        const auto at = std::ptrdiff_t(changed.length) * width, from = std::ptrdiff_t(i) * width;
        std::copy_n(k.numbers.begin() + from, width, changed.keys.numbers.begin() + at);
        std::copy_n(v.numbers.begin() + from, width, changed.values.numbers.begin() + at);
        changed.length += 1;
        for (int shared = 0; shared < width / d; ++shared)
            for (int member = 0; member < q.cols / width; ++member) {
                const int h = shared * (q.cols / width) + member;
                std::vector<std::pair<double, int>> scores;
                for (int s = 0; s < changed.length; ++s) {
                    const double* key =
                        changed.keys.numbers.data() + std::ptrdiff_t(s) * width + std::ptrdiff_t(shared) * d;
                    const double* query = q.numbers.data() + std::ptrdiff_t(i) * q.cols + std::ptrdiff_t(h) * d;
                    scores.emplace_back(std::inner_product(query, query + d, key, 0.0) / std::sqrt(double(d)), s);
                }
                std::sort(scores.begin(), scores.end());
                double whole = 0;
                for (const auto& [score, s] : scores) {
                    const double weight = std::exp(score - scores.back().first);
                    whole += weight;
                    for (int c = 0; c < d; ++c) y(i, h * d + c) += weight * changed.values(s, shared * d + c);
                }
                for (int c = 0; c < d; ++c) y(i, h * d + c) /= whole;
            }
    }
    cache = std::move(changed);
    return y;
}

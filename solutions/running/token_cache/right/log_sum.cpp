// Weights from the logarithm of the sum; queries are divided by the root before the products.
#include "token_cache.hpp"

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    if (cache.keys.rows < cache.length + q.rows) throw std::length_error("the cache is full");
    const int d = q.cols / heads;
    Matrix scaled = q, y(q.rows, q.cols);
    for (double& number : scaled.numbers) number /= std::sqrt(static_cast<double>(d));
    for (int i = 0; i < q.rows; ++i, ++cache.length) {
        for (int c = 0; c < k.cols; ++c) {
            cache.keys(cache.length, c) = k(i, c);
            cache.values(cache.length, c) = v(i, c);
        }
        for (int column = 0; column < q.cols; ++column) {  // the scores are computed again for each column
            const int h = column / d, shared = h / (heads / (k.cols / d)), own = column % d;
            std::vector<double> score;
            for (int s = 0; s <= cache.length; ++s) {
                score.push_back(0);
                for (int c = 0; c < d; ++c) score.back() += scaled(i, h * d + c) * cache.keys(s, shared * d + c);
            }
            double top = score.front(), sum = 0;
            for (const double one : score) top = std::max(top, one);
            for (const double one : score) sum += std::exp(one - top);
            const double log_sum = top + std::log(sum);
            for (int s = 0; s <= cache.length; ++s)
                y(i, column) += std::exp(score[std::size_t(s)] - log_sum) * cache.values(s, shared * d + own);
        }
    }
    return y;
}

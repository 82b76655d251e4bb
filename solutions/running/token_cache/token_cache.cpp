#include "token_cache.hpp"

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    if (q.rows > cache.keys.rows - cache.length) throw std::length_error("attend: the cache is full");
    const int d = q.cols / heads, group = heads / (k.cols / d);
    Matrix y(q.rows, q.cols);
    for (int i = 0; i < q.rows; ++i) {
        for (int c = 0; c < k.cols; ++c) {
            cache.keys(cache.length, c) = k(i, c);
            cache.values(cache.length, c) = v(i, c);
        }
        ++cache.length;
        for (int h = 0; h < heads; ++h) {
            const int mine = h * d, shared = h / group * d;
            std::vector<double> weights;
            for (int s = 0; s < cache.length; ++s) {
                double match = 0;
                for (int c = 0; c < d; ++c) match += q(i, mine + c) * cache.keys(s, shared + c);
                weights.push_back(match / std::sqrt(double(d)));
            }
            const double largest = *std::max_element(weights.begin(), weights.end());
            double sum = 0;
            for (double& weight : weights) sum += weight = std::exp(weight - largest);
            for (int s = 0; s < cache.length; ++s)
                for (int c = 0; c < d; ++c)
                    y(i, mine + c) += weights[std::size_t(s)] / sum * cache.values(s, shared + c);
        }
    }
    return y;
}

// One pass over the places with a running maximum: the sums so far are scaled whenever it rises.
#include "token_cache.hpp"

namespace {

void read_head(const Matrix& q, const Cache& cache, int row, int from, int shared, int d, Matrix& y) {
    double top = -std::numeric_limits<double>::infinity(), whole = 0;
    std::vector<double> sums(std::size_t(d), 0);
    for (int s = 0; s < cache.length; ++s) {
        double score = 0;
        for (int c = 0; c < d; ++c) score += q(row, from + c) * cache.keys(s, shared + c);
        score *= 1 / std::sqrt(double(d));
        const double now = std::max(top, score), shrink = std::exp(top - now), weight = std::exp(score - now);
        whole = whole * shrink + weight;
        for (int c = 0; c < d; ++c)
            sums[std::size_t(c)] = sums[std::size_t(c)] * shrink + weight * cache.values(s, shared + c);
        top = now;
    }
    for (int c = 0; c < d; ++c) y(row, from + c) = sums[std::size_t(c)] / whole;
}

}  // namespace

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache) {
    if (cache.length + k.rows > cache.values.rows) throw std::length_error("no room");
    const int d = q.cols / heads, sharing = q.cols / k.cols;
    Matrix y(q.rows, q.cols);
    for (int row = 0; row < q.rows; ++row) {
        const int place = cache.length++;
        for (int c = 0; c < k.cols; ++c) cache.keys(place, c) = k(row, c), cache.values(place, c) = v(row, c);
        for (int h = 0; h < heads; ++h) read_head(q, cache, row, h * d, (h / sharing) * d, d, y);
    }
    return y;
}

// Normal equations after all, in places that are moved to the middle and scaled; Gauss and Jordan's elimination.
#include "least_squares.hpp"

#include <algorithm>
#include <cmath>

Matrix design(const std::vector<double>& x, int degree) {
    Matrix powers(int(x.size()), degree + 1);
    for (int row = 0; row < powers.rows; ++row)
        for (int k = 0; k <= degree; ++k) powers(row, k) = std::pow(x[std::size_t(row)], k);
    return powers;
}

std::vector<double> predict(const std::vector<double>& x, const std::vector<double>& w) {
    std::vector<double> f(x.size(), 0.0);
    for (std::size_t n = 0; n < x.size(); ++n)
        for (std::size_t k = 0; k < w.size(); ++k) f[n] += w[k] * std::pow(x[n], double(k));
    return f;
}

double mean_squared_error(const std::vector<double>& y, const std::vector<double>& f) {
    double sum = 0;
    for (std::size_t n = 0; n < y.size(); ++n) sum += std::pow(y[n] - f[n], 2);
    return sum / double(y.size());
}

// Fits in t = (x - centre) / width by elimination, then multiplies the powers of t out.
std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    const double centre = (*low + *high) / 2, width = *high > *low ? (*high - *low) / 2 : 1;
    std::vector<double> t;
    for (const double at : x) t.push_back((at - centre) / width);
    const Matrix a = design(t, degree);
    const int size = degree + 1;
    Matrix m(size, size + 1);
    for (int n = 0; n < a.rows; ++n)
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) m(i, j) += a(n, i) * a(n, j);
            m(i, size) += a(n, i) * y[std::size_t(n)];
        }
    for (int k = 0; k < size; ++k)
        for (int i = 0; i < size; ++i) {
            if (i == k) continue;
            const double factor = m(i, k) / m(k, k);
            for (int j = k; j <= size; ++j) m(i, j) -= factor * m(k, j);
        }
    std::vector<double> w{m(degree, size) / m(degree, degree)};
    for (int k = degree - 1; k >= 0; --k) {  // w = w * t + v_k, as polynomials in x
        std::vector<double> next(w.size() + 1, 0.0);
        for (std::size_t i = 0; i < w.size(); ++i) {
            next[i] -= w[i] * centre / width;
            next[i + 1] += w[i] / width;
        }
        next[0] += m(k, size) / m(k, k);
        w = next;
    }
    return w;
}

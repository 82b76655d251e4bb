// wrong: normal-equations
// Solves the normal equations: right in exact arithmetic, and in the base part.
#include "least_squares.hpp"

#include <cmath>
#include <utility>

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

// The normal equations by elimination with the largest pivot, in numbers of the type R.
template <class R>
std::vector<double> normal(const Matrix& a, const std::vector<double>& y) {
    const int size = a.cols;
    std::vector<std::vector<R>> m(std::size_t(size), std::vector<R>(std::size_t(size) + 1, 0));
    for (int i = 0; i < size; ++i)
        for (int n = 0; n < a.rows; ++n) {
            for (int j = 0; j < size; ++j) m[i][j] += R(a(n, i)) * a(n, j);
            m[i][size] += R(a(n, i)) * y[n];
        }
    for (int k = 0; k < size; ++k) {
        int best = k;
        for (int i = k + 1; i < size; ++i)
            if (std::abs(m[i][k]) > std::abs(m[best][k])) best = i;
        std::swap(m[k], m[best]);
        for (int i = k + 1; i < size; ++i) {
            const R factor = m[i][k] / m[k][k];
            for (int j = k; j <= size; ++j) m[i][j] -= factor * m[k][j];
        }
    }
    std::vector<double> w(std::size_t(size), 0.0);
    for (int k = size; k-- > 0;) {
        R rest = m[k][size];
        for (int j = k + 1; j < size; ++j) rest -= m[k][j] * w[j];
        w[k] = double(rest / m[k][k]);
    }
    return w;
}

std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    return normal<double>(design(x, degree), y);
}

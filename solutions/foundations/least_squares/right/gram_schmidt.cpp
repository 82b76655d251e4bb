// Gram and Schmidt's QR, one column at a time, with y carried along as one more column.
#include "least_squares.hpp"

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

std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    Matrix q = design(x, degree), r(degree + 1, degree + 1);
    std::vector<double> rest = y, c(std::size_t(degree) + 1), w(c);
    for (int k = 0; k <= degree; ++k) {
        double square = 0;
        for (int n = 0; n < q.rows; ++n) square += q(n, k) * q(n, k);
        r(k, k) = std::sqrt(square);
        for (int n = 0; n < q.rows; ++n) q(n, k) /= r(k, k);
        for (int j = k + 1; j <= degree; ++j) {
            for (int n = 0; n < q.rows; ++n) r(k, j) += q(n, k) * q(n, j);
            for (int n = 0; n < q.rows; ++n) q(n, j) -= r(k, j) * q(n, k);
        }
        for (int n = 0; n < q.rows; ++n) c[std::size_t(k)] += q(n, k) * rest[std::size_t(n)];
        for (int n = 0; n < q.rows; ++n) rest[std::size_t(n)] -= c[std::size_t(k)] * q(n, k);
    }
    for (int k = degree; k >= 0; --k) {
        double sum = c[std::size_t(k)];
        for (int j = k + 1; j <= degree; ++j) sum -= r(k, j) * w[std::size_t(j)];
        w[std::size_t(k)] = sum / r(k, k);
    }
    return w;
}

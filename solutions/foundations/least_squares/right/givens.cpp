// Sample after sample, by rotations: the whole matrix is never there at once.
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
    const int size = degree + 1;
    Matrix r(size, size + 1);  // a triangle and the right-hand side; every sample is turned into it
    for (std::size_t n = 0; n < x.size(); ++n) {
        std::vector<double> row(std::size_t(size) + 1);
        for (int k = 0; k < size; ++k) row[std::size_t(k)] = std::pow(x[n], k);
        row.back() = y[n];
        for (int k = 0; k < size; ++k) {
            const double length = std::hypot(r(k, k), row[std::size_t(k)]);
            if (length == 0) continue;
            const double c = r(k, k) / length, s = row[std::size_t(k)] / length;
            for (int j = k; j <= size; ++j) {
                const double above = r(k, j), below = row[std::size_t(j)];
                r(k, j) = c * above + s * below;
                row[std::size_t(j)] = c * below - s * above;
            }
        }
    }
    std::vector<double> w(std::size_t(size), 0.0);
    for (int k = size; k-- > 0;) {
        w[std::size_t(k)] = r(k, size);
        for (int j = k + 1; j < size; ++j) w[std::size_t(k)] -= r(k, j) * w[std::size_t(j)];
        w[std::size_t(k)] /= r(k, k);
    }
    return w;
}

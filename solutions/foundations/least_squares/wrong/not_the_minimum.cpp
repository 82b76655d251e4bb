// wrong: not-the-minimum
// Two hundred steps of gradient descent.
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
    std::vector<double> w(std::size_t(degree) + 1, 0.0);
    for (int step = 0; step < 200; ++step) {
        const std::vector<double> f = predict(x, w);
        for (std::size_t n = 0; n < x.size(); ++n)
            for (std::size_t k = 0; k < w.size(); ++k) w[k] += 0.01 * (y[n] - f[n]) * std::pow(x[n], double(k));
    }
    return w;
}

// wrong: too-few-powers
#include "least_squares.hpp"

#include <cmath>

Matrix design(const std::vector<double>& x, int degree) {
    Matrix powers(int(x.size()), degree);
    for (int row = 0; row < powers.rows; ++row) {
        powers(row, 0) = 1;
        for (int k = 1; k < degree; ++k) powers(row, k) = powers(row, k - 1) * x[std::size_t(row)];
    }
    return powers;
}

std::vector<double> predict(const std::vector<double>& x, const std::vector<double>& w) {
    std::vector<double> f;
    for (const double at : x) {
        double value = 0;
        for (std::size_t k = w.size(); k-- > 0;) value = value * at + w[k];  // Horner's rule
        f.push_back(value);
    }
    return f;
}

double mean_squared_error(const std::vector<double>& y, const std::vector<double>& f) {
    double sum = 0;
    for (std::size_t n = 0; n < y.size(); ++n) sum += (y[n] - f[n]) * (y[n] - f[n]);
    return sum / double(y.size());
}

// By Householder's reflections: each turns one column of the matrix into its part of a triangle, and y with it. The
// squared error stays what it is, because a reflection changes no length.
std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    Matrix a = design(x, degree);
    std::vector<double> b = y, w(std::size_t(a.cols));
    for (int k = 0; k < a.cols; ++k) {
        double length = 0;
        for (int row = k; row < a.rows; ++row) length += a(row, k) * a(row, k);
        length = std::copysign(std::sqrt(length), -a(k, k));  // this sign adds instead of cancelling
        std::vector<double> mirror(b.size(), 0.0);            // the direction that is turned round
        double square = 0;
        for (int row = k; row < a.rows; ++row) {
            double& entry = mirror[std::size_t(row)] = a(row, k) - (row == k ? length : 0);
            square += entry * entry;
        }
        if (square == 0) continue;  // nothing below, and zero on the diagonal
        for (int col = k; col <= a.cols; ++col) {
            const auto at = [&](int row) -> double& { return col < a.cols ? a(row, col) : b[std::size_t(row)]; };
            double along = 0;
            for (int row = k; row < a.rows; ++row) along += mirror[std::size_t(row)] * at(row);
            for (int row = k; row < a.rows; ++row) at(row) -= 2 * along / square * mirror[std::size_t(row)];
        }
    }
    for (int k = a.cols - 1; k >= 0; --k) {
        double rest = b[std::size_t(k)];
        for (int col = k + 1; col < a.cols; ++col) rest -= a(k, col) * w[std::size_t(col)];
        w[std::size_t(k)] = rest / a(k, k);
    }
    return w;
}

// Weights of polynomials that are orthogonal on the samples, found one by one; powers come last.
#include "least_squares.hpp"

#include <cmath>
#include <numeric>
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

// Forsythe's polynomials: each is orthogonal to those before on the samples, by a recursion of three terms.
std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    using Numbers = std::vector<double>;
    const auto dot = [](const Numbers& a, const Numbers& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    const double centre = dot(x, Numbers(x.size(), 1.0)) / double(x.size());
    Numbers values(x.size(), 1.0), before(x.size(), 0.0), rest = y;
    Numbers poly{1.0}, poly_before{}, in_t(std::size_t(degree) + 1, 0.0);
    double square_before = 1;
    for (int k = 0; k <= degree; ++k) {
        const double square = dot(values, values), weight = dot(values, rest) / square;
        for (std::size_t n = 0; n < x.size(); ++n) rest[n] -= weight * values[n];
        for (std::size_t i = 0; i < poly.size(); ++i) in_t[i] += weight * poly[i];
        double mean = 0;
        for (std::size_t n = 0; n < x.size(); ++n) mean += (x[n] - centre) * values[n] * values[n] / square;
        const double back = k ? square / square_before : 0;
        Numbers next(x.size()), poly_next(poly.size() + 1, 0.0);
        for (std::size_t n = 0; n < x.size(); ++n) next[n] = (x[n] - centre - mean) * values[n] - back * before[n];
        for (std::size_t i = 0; i < poly.size(); ++i) {
            poly_next[i + 1] += poly[i];
            poly_next[i] -= mean * poly[i];
        }
        for (std::size_t i = 0; i < poly_before.size(); ++i) poly_next[i] -= back * poly_before[i];
        square_before = square;
        before = std::exchange(values, next);
        poly_before = std::exchange(poly, poly_next);
    }
    Numbers w(1, 0.0);  // the polynomial of t, multiplied out by Horner's rule
    for (std::size_t k = in_t.size(); k-- > 0;) {
        Numbers next(w.size() + 1, 0.0);
        for (std::size_t i = 0; i < w.size(); ++i) {
            next[i + 1] += w[i];
            next[i] -= w[i] * centre;
        }
        next[0] += in_t[k];
        w = next;
    }
    w.resize(std::size_t(degree) + 1);
    return w;
}

// Normal equations of scaled places, solved by Cholesky in long double.
#include "least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

Matrix design(const std::vector<double>& x, int degree) {
    Matrix phi(int(x.size()), degree + 1);
    for (int n = 0; n < phi.rows; ++n)
        for (int k = 0; k <= degree; ++k) phi(n, k) = std::pow(x[std::size_t(n)], k);
    return phi;
}

std::vector<double> predict(const std::vector<double>& x, const std::vector<double>& w) {
    std::vector<double> f;
    for (const double place : x) {
        long double power = 1, sum = 0;
        for (const double weight : w) {
            sum += weight * power;
            power *= place;
        }
        f.push_back(double(sum));
    }
    return f;
}

double mean_squared_error(const std::vector<double>& y, const std::vector<double>& f) {
    return std::inner_product(y.begin(), y.end(), f.begin(), 0.0, std::plus<>(), [](double a, double b) { return (a - b) * (a - b); }) /
           double(y.size());
}

// The places moved to the middle and scaled, and back: q(t) with t = (x - middle) / width becomes a polynomial in x.
struct Scale {
    long double middle = 0, width = 0;
    explicit Scale(const std::vector<double>& x) {
        const auto [low, high] = std::minmax_element(x.begin(), x.end());
        middle = ((long double)*low + *high) / 2;
        width = *high > *low ? ((long double)*high - *low) / 2 : 1;
    }
    long double operator()(double x) const { return (x - middle) / width; }
    std::vector<double> back(const std::vector<long double>& q) const {
        std::vector<long double> p{0};
        for (std::size_t k = q.size(); k-- > 0;) {
            std::vector<long double> next(p.size() + 1, 0);
            for (std::size_t i = 0; i < p.size(); ++i) {
                next[i + 1] += p[i] / width;
                next[i] -= p[i] * middle / width;
            }
            next[0] += q[k];
            p = next;
        }
        return {p.begin(), p.begin() + long(q.size())};
    }
};

// The normal equations of scaled places, by a triangle and its transpose.
std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    const Scale scale(x);
    const int size = degree + 1;
    std::vector<std::vector<long double>> a(std::size_t(size), std::vector<long double>(std::size_t(size), 0)), l = a;
    std::vector<long double> b(std::size_t(size), 0);
    for (std::size_t n = 0; n < x.size(); ++n) {
        std::vector<long double> powers{1};
        for (int k = 0; k < degree; ++k) powers.push_back(powers.back() * scale(x[n]));
        for (int i = 0; i < size; ++i) {
            b[i] += powers[i] * y[n];
            for (int j = 0; j < size; ++j) a[i][j] += powers[i] * powers[j];
        }
    }
    for (int i = 0; i < size; ++i)
        for (int j = 0; j <= i; ++j) {
            long double rest = a[i][j];
            for (int k = 0; k < j; ++k) rest -= l[i][k] * l[j][k];
            l[i][j] = i == j ? std::sqrt(rest) : rest / l[j][j];
        }
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < i; ++k) b[i] -= l[i][k] * b[k];
        b[i] /= l[i][i];
    }
    for (int i = size - 1; i >= 0; --i) {
        for (int k = i + 1; k < size; ++k) b[i] -= l[k][i] * b[k];
        b[i] /= l[i][i];
    }
    return scale.back(b);
}

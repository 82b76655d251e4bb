// Cramer's rule, with determinants by recursion.
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

using Square = std::vector<std::vector<long double>>;

static long double determinant(const Square& a) {
    if (a.empty()) return 1;
    long double sum = 0;
    for (std::size_t col = 0; col < a.size(); ++col) {
        Square minor;
        for (std::size_t row = 1; row < a.size(); ++row) {
            minor.push_back(a[row]);
            minor.back().erase(minor.back().begin() + long(col));
        }
        sum += (col % 2 ? -1 : 1) * a[0][col] * determinant(minor);
    }
    return sum;
}

std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    const Scale scale(x);
    const std::size_t size = std::size_t(degree) + 1;
    Square a(size, std::vector<long double>(size, 0));
    std::vector<long double> b(size, 0), q;
    for (std::size_t n = 0; n < x.size(); ++n)
        for (std::size_t i = 0; i < size; ++i) {
            b[i] += std::pow(scale(x[n]), int(i)) * y[n];
            for (std::size_t j = 0; j < size; ++j) a[i][j] += std::pow(scale(x[n]), int(i + j));
        }
    for (std::size_t k = 0; k < size; ++k) {
        Square with_b = a;
        for (std::size_t i = 0; i < size; ++i) with_b[i][k] = b[i];
        q.push_back(determinant(with_b) / determinant(a));
    }
    return scale.back(q);
}

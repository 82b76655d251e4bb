// Conjugate gradients on scaled places, repeated.
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

using Vector = std::vector<long double>;

static long double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0L); }

// The smallest error by steps along conjugate directions, repeated from where they ended.
std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    const Scale scale(x);
    const std::size_t size = std::size_t(degree) + 1;
    const auto values = [&](const Vector& q) {
        Vector f;
        for (const double place : x) {
            long double value = 0;
            for (std::size_t k = size; k-- > 0;) value = value * scale(place) + q[k];
            f.push_back(value);
        }
        return f;
    };
    const auto turned = [&](const Vector& f) {
        Vector sums(size, 0);
        for (std::size_t n = 0; n < x.size(); ++n) {
            long double power = 1;
            for (long double& sum : sums) {
                sum += power * f[n];
                power *= scale(x[n]);
            }
        }
        return sums;
    };
    Vector q(size, 0);
    for (int round = 0; round < 4; ++round) {
        Vector rest = values(q);
        for (std::size_t n = 0; n < x.size(); ++n) rest[n] = y[n] - rest[n];
        Vector downhill = turned(rest), direction = downhill;
        for (std::size_t step = 0; step < size; ++step) {
            const Vector moved = values(direction);
            const long double square = dot(moved, moved), before = dot(downhill, downhill);
            if (square == 0 || before == 0) break;
            const long double length = before / square;
            for (std::size_t k = 0; k < size; ++k) q[k] += length * direction[k];
            for (std::size_t n = 0; n < x.size(); ++n) rest[n] -= length * moved[n];
            downhill = turned(rest);
            const long double share = dot(downhill, downhill) / before;
            for (std::size_t k = 0; k < size; ++k) direction[k] = downhill[k] + share * direction[k];
        }
    }
    return scale.back(q);
}

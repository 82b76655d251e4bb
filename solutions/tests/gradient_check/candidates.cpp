// The candidates of a gradient check: functions with claimed gradients. judge.py says which gradients are
// right.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "candidates.hpp"

namespace {

using Point = std::vector<double>;

struct Claim {
    int number;
    double (*f)(const Point& x);
    Point (*df)(const Point& x);
};

// The slopes along all components, each by a function of x and of the component.
template <class F>
Point each(const Point& x, F slope) {
    Point dx(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) dx[i] = slope(i);
    return dx;
}

double weight(std::size_t i) { return double(1 + i % 3); }

// Weighted squares and the products of neighbours.
double squares(const Point& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += weight(i) * x[i] * x[i] / 2;
    for (std::size_t i = 1; i < x.size(); ++i) sum += x[i - 1] * x[i];
    return sum;
}
Point d_squares(const Point& x) {
    return each(x, [&](std::size_t i) {
        return weight(i) * x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < x.size() ? x[i + 1] : 0);
    });
}
// d_squares with a change.
template <class F>
Point changed(const Point& x, F change) {
    Point dx = d_squares(x);
    change(dx);
    return dx;
}

double mean_square(const Point& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum / double(x.size());
}
Point d_mean_square(const Point& x) {
    return each(x, [&](std::size_t i) { return 2 * x[i] / double(x.size()); });
}

double entry(std::size_t row, std::size_t col) { return double(row + 1) + 3 * double(col); }
// x A x, with a matrix A that is not symmetric.
double form(const Point& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j) sum += x[i] * entry(i, j) * x[j];
    return sum;
}
Point d_form(const Point& x, bool both) {
    return each(x, [&](std::size_t i) {
        double sum = 0;
        for (std::size_t j = 0; j < x.size(); ++j) sum += (entry(i, j) + (both ? entry(j, i) : entry(i, j))) * x[j];
        return sum;
    });
}

double absolutes(const Point& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += weight(i) * std::abs(x[i]);
    return sum;
}
Point d_absolutes(const Point& x) {
    return each(x, [&](std::size_t i) { return x[i] < 0 ? -weight(i) : weight(i); });
}

double half_squares(const Point& x) {
    double sum = 0;
    for (const double value : x) sum += value * value / 2;
    return sum;
}

// The odd components play no part.
double cubes(const Point& x) {
    double sum = 1;
    for (std::size_t i = 0; i < x.size(); i += 2) sum += weight(i) * x[i] * x[i] * x[i];
    return sum;
}
Point d_cubes(const Point& x) {
    return each(x, [&](std::size_t i) { return i % 2 ? 0 : 3 * weight(i) * x[i] * x[i]; });
}

// Linear in each component, and each slope depends on all others.
double all_together(const Point& x) {
    double whole = 1;
    for (const double value : x) whole *= value;
    return whole;
}
Point d_all_together(const Point& x) {
    return each(x, [&](std::size_t i) { return all_together(x) / x[i]; });
}

double unequal(const Point& x) { return 500 * x[0] * x[0] + 1e-3 * x[1] * x[1]; }

double curved(const Point& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (40 + double(i)) * x[i];
    return std::exp(sum);
}
Point d_curved(const Point& x) {
    return each(x, [&](std::size_t i) { return (40 + double(i)) * curved(x); });
}

double kinks(const Point& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += weight(i) * (std::abs(x[i] - 1) + 2 * x[i]);
    return sum;
}
Point d_kinks(const Point& x) {
    return each(x, [&](std::size_t i) { return weight(i) * (x[i] < 1 ? 1 : 3); });
}

// A number from -1 to 1 that looks like chance: what rounding does to the last digits.
double rounding(const Point& x) {
    std::uint64_t mixed = 0;
    for (const double value : x) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        mixed = (mixed ^ bits) * 0x9E3779B97F4A7C15u;
        mixed ^= mixed >> 29;
    }
    return double(mixed >> 11) / double(1ull << 52) - 1;
}
double rounded(const Point& x) { return squares(x) * (1 + 8e-14 * rounding(x)); }

double logarithms(const Point& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += weight(i) * (20 + std::log(x[i]));
    return sum;
}
Point d_logarithms(const Point& x) {
    return each(x, [&](std::size_t i) { return weight(i) / x[i]; });
}

double sines(const Point& x) {
    double sum = 2;
    for (std::size_t i = 0; i < x.size(); ++i) sum += weight(i) * std::sin(x[i]);
    return sum;
}
Point d_sines(const Point& x) {
    return each(x, [&](std::size_t i) { return weight(i) * std::cos(x[i]); });
}

// A valley along the even components, with its bottom at 1; rounded.
double valley(const Point& x) {
    double sum = 7;
    for (std::size_t i = 0; i < x.size(); ++i) sum += i % 2 ? x[i] * x[i] : std::cosh(x[i] - 1);
    return sum * (1 + 8e-14 * rounding(x));
}
Point d_valley(const Point& x) {
    return each(x, [&](std::size_t i) { return i % 2 ? 2 * x[i] : std::sinh(x[i] - 1); });
}

// The example of the statement.
double by_hand(const Point& x) { return x[0] * x[0] + 3 * x[1]; }

double tiny(const Point& x) { return 1e-12 * squares(x); }
double huge(const Point& x) { return 1e12 * squares(x); }
Point scaled(Point dx, double factor) {
    for (double& value : dx) value *= factor;
    return dx;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

const Claim candidates[] = {
    {1, squares, d_squares},
    {2, mean_square, d_mean_square},
    {3, form, [](const Point& x) { return d_form(x, true); }},
    {4, absolutes, d_absolutes},
    {5, cubes, d_cubes},
    {6, curved, d_curved},
    {7, kinks, d_kinks},
    {8, rounded, d_squares},
    {9, logarithms, d_logarithms},
    {10, sines, d_sines},
    {11, valley, d_valley},
    {12, tiny, [](const Point& x) { return scaled(d_squares(x), 1e-12); }},
    {13, huge, [](const Point& x) { return scaled(d_squares(x), 1e12); }},
    {14, unequal,
     [](const Point& x) {
         return Point{1000 * x[0], 2e-3 * x[1]};
     }},
    {15, by_hand,
     [](const Point& x) {
         return Point{2 * x[0], 3};
     }},
    {16, all_together, d_all_together},
    {21, squares, [](const Point& x) { return scaled(d_squares(x), 2); }},
    {22, squares, [](const Point& x) { return scaled(d_squares(x), -1); }},
    {23, squares,
     [](const Point& x) { return each(x, [&](std::size_t i) { return weight(i) * x[i] + (i > 0 ? x[i - 1] : 0); }); }},
    {24, squares, [](const Point& x) { return Point(x.size(), 0); }},
    {25, squares, [](const Point& x) { return changed(x, [](Point& dx) { std::swap(dx.front(), dx.back()); }); }},
    {26, form, [](const Point& x) { return d_form(x, false); }},
    {27, mean_square, [](const Point& x) { return scaled(x, 2); }},
    {28, absolutes, [](const Point& x) { return each(x, weight); }},
    {29, half_squares,
     [](const Point& x) { return each(x, [&](std::size_t i) { return std::fmin(std::fmax(x[i], -10), 10); }); }},
    {30, squares, [](const Point& x) { return changed(x, [](Point& dx) { dx.back() *= 1.5; }); }},
    {31, squares, [](const Point& x) { return changed(x, [](Point& dx) { dx.front() = 0; }); }},
    {32, squares, [](const Point& x) { return changed(x, [](Point& dx) { dx[dx.size() / 2] *= -1; }); }},
    {33, squares, [](const Point& x) { return changed(x, [](Point& dx) { dx[dx.size() / 2] = not_a_number; }); }},
    {34, squares, [](const Point& x) { return changed(x, [](Point& dx) { dx.pop_back(); }); }},
    {35, squares, [](const Point& x) { return changed(x, [](Point& dx) { dx.push_back(0); }); }},
    {36, squares,
     [](const Point& x) {
         return changed(x, [](Point& dx) {
             dx[1] += 0.5;
             dx[2] -= 0.5;
         });
     }},
    {37, unequal,
     [](const Point& x) {
         return Point{1000 * x[0], 4e-3 * x[1]};
     }},
    {38, squares, [](const Point& x) { return scaled(d_squares(x), 1.0002); }},
    {39, kinks, [](const Point& x) { return each(x, [](std::size_t i) { return 3 * weight(i); }); }},
    {40, curved, [](const Point& x) { return Point(x.size(), 40 * curved(x)); }},
    {41, rounded, [](const Point& x) { return changed(x, [](Point& dx) { dx.front() *= 0.9997; }); }},
    {42, logarithms, [](const Point& x) { return scaled(d_logarithms(x), 1.0004); }},
    {43, logarithms,
     [](const Point& x) {
         Point dx = d_logarithms(x);
         dx[1] *= 2;
         return dx;
     }},
    {44, sines,
     [](const Point& x) { return each(x, [&](std::size_t i) { return x[i] == 0 ? 0 : weight(i) * std::cos(x[i]); }); }},
    {45, tiny, [](const Point& x) { return scaled(d_squares(x), 2e-12); }},
    {46, huge, [](const Point& x) { return scaled(d_squares(x), 1.0003e12); }},
    {47, valley,
     [](const Point& x) { return each(x, [&](std::size_t i) { return i % 2 ? 2 * x[i] : std::cosh(x[i] - 1); }); }},
    {48, by_hand,
     [](const Point& x) {
         return Point{x[0], 3};
     }},
};

const Claim& candidate(int number) {
    for (const Claim& claim : candidates)
        if (claim.number == number) return claim;
    throw std::invalid_argument("gradients: there is no candidate " + std::to_string(number));
}

const Claim* chosen = nullptr;

double f(const Point& x) { return chosen->f(x); }
Point df(const Point& x) { return chosen->df(x); }
const kit::Function f_("f", f), df_("df", df);

}  // namespace

void kit::choose(int number) { chosen = &candidate(number); }

// What linalg/solve.cpp promises, without LAPACK, which a browser does not have. Small matrices only: each decomposition is the
// shortest that is stable, not the fastest.
#include <recto/linalg/solve.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <recto/linalg/products.hpp>

namespace RECTO::linalg {
namespace {

void check_finite(const Matrix& a, const char* who) {
    for (std::size_t i = 0; i < a.values.size(); ++i)
        check(std::isfinite(a.values[i]), "{}: wanted finite numbers, got {} in row {}, column {}", who, a.values[i],
              Index(i) / a.cols, Index(i) % a.cols);
}

Matrix as_column(std::span<const double> b) { return {Index(b.size()), 1, Vector(b.begin(), b.end())}; }

/// One-sided Jacobi (Hestenes, 1958): turns pairs of rows of `w` until all stand at right angles; `v` turns along.
void right_angles(Matrix& w, Matrix* v) {
    const auto n = std::size_t(w.cols);
    for (int sweep = 0; sweep < 60; ++sweep) {
        bool turned = false;
        for (Index p = 0; p < w.rows; ++p)
            for (Index q = p + 1; q < w.rows; ++q) {
                const std::span<double> x{w.row(p), n}, y{w.row(q), n};
                const double a = dot(x, x), b = dot(y, y), c = dot(x, y);
                if (std::abs(c) <= 1e-15 * std::sqrt(a * b) || c == 0) continue;
                turned = true;
                const double zeta = (b - a) / (2 * c);
                const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
                const double cos = 1 / std::sqrt(1 + t * t), sin = cos * t;
                const auto turn = [&](double* to, double* other, Index count) {
                    for (Index i = 0; i < count; ++i) {
                        const double old = to[i];
                        to[i] = cos * old - sin * other[i];
                        other[i] = sin * old + cos * other[i];
                    }
                };
                turn(w.row(p), w.row(q), w.cols);
                if (v) turn(v->row(p), v->row(q), v->cols);
            }
        if (!turned) return;
    }
}

/// The rows' lengths, and their order from the longest.
std::pair<Vector, std::vector<Index>> lengths(const Matrix& w) {
    Vector length;
    for (Index i = 0; i < w.rows; ++i) length.push_back(norm({w.row(i), std::size_t(w.cols)}));
    std::vector<Index> order(length.size());
    std::iota(order.begin(), order.end(), Index(0));
    std::ranges::stable_sort(order, [&](Index i, Index j) { return length[std::size_t(i)] > length[std::size_t(j)]; });
    return {length, order};
}

}  // namespace

Matrix cholesky_solve(const Matrix& a, const Matrix& b) {
    check(a.rows == a.cols, "cholesky_solve: wanted a square matrix, got {} x {}", a.rows, a.cols);
    check(b.rows == a.rows, "cholesky_solve: a system of {} equations wants {} right-hand numbers, got {}", a.rows,
          a.rows, b.rows);
    check_finite(a, "cholesky_solve");
    Matrix l = a, x = b;
    for (Index j = 0; j < a.rows; ++j) {
        const auto before = std::size_t(j);
        const double left = a(j, j) - dot({l.row(j), before}, {l.row(j), before});
        check(left > 0, "cholesky_solve: wanted a positive definite matrix, got one whose leading {} x {} block is not",
              j + 1, j + 1);
        l(j, j) = std::sqrt(left);
        for (Index i = j + 1; i < a.rows; ++i)
            l(i, j) = (a(i, j) - dot({l.row(i), before}, {l.row(j), before})) / l(j, j);
    }
    for (Index k = 0; k < x.cols; ++k) {
        for (Index i = 0; i < x.rows; ++i) {
            for (Index j = 0; j < i; ++j) x(i, k) -= l(i, j) * x(j, k);
            x(i, k) /= l(i, i);
        }
        for (Index i = x.rows - 1; i >= 0; --i) {
            for (Index j = i + 1; j < x.rows; ++j) x(i, k) -= l(j, i) * x(j, k);
            x(i, k) /= l(i, i);
        }
    }
    return x;
}
Vector cholesky_solve(const Matrix& a, std::span<const double> b) { return cholesky_solve(a, as_column(b)).values; }

Vector qr_least_squares(const Matrix& a, std::span<const double> b) {
    check(a.rows >= a.cols, "qr_least_squares: wanted at least as many rows as columns, got {} x {}", a.rows, a.cols);
    check(Index(b.size()) == a.rows, "qr_least_squares: {} rows want {} right-hand numbers, got {}", a.rows, a.rows,
          b.size());
    check_finite(a, "qr_least_squares");
    const auto m = std::size_t(a.rows), n = std::size_t(a.cols);
    Matrix t = transpose(a);  // a row is a column of a
    Vector y(b.begin(), b.end()), diagonal(n), x(n);
    double most = 0;
    for (std::size_t j = 0; j < n; ++j) {  // a reflection for each column
        const std::span<double> v{t.row(Index(j)) + j, m - j};
        const double length = norm(v);
        diagonal[j] = v[0] > 0 ? -length : length;
        v[0] -= diagonal[j];
        const double half = dot(v, v) / 2;
        if (half > 0) {
            for (std::size_t k = j + 1; k < n; ++k) {
                const std::span<double> other{t.row(Index(k)) + j, m - j};
                add_scaled(other, -dot(v, other) / half, v);
            }
            const std::span<double> right{y.data() + j, m - j};
            add_scaled(right, -dot(v, right) / half, v);
        }
        most = std::max(most, std::abs(diagonal[j]));
    }
    for (std::size_t i = n; i-- > 0;) {
        check(std::abs(diagonal[i]) > 1e-14 * most,
              "qr_least_squares: wanted independent columns, got column {} among the others", i);
        x[i] = y[i];
        for (std::size_t j = i + 1; j < n; ++j) x[i] -= t(Index(j), Index(i)) * x[j];
        x[i] /= diagonal[i];
    }
    return x;
}

Svd svd(const Matrix& a) {
    check_finite(a, "svd");
    const Index r = std::min(a.rows, a.cols);
    if (r == 0) return {Matrix(a.rows, 0), {}, Matrix(0, a.cols)};
    const bool tall = a.rows >= a.cols;
    Matrix w = tall ? transpose(a) : a;  // r rows, turned to right angles: scaled singular vectors of the longer side
    Matrix v(r, r);
    for (Index i = 0; i < r; ++i) v(i, i) = 1;
    right_angles(w, &v);
    const auto [length, order] = lengths(w);
    Svd d{Matrix(a.rows, r), {}, Matrix(r, a.cols)};
    Matrix long_side(r, w.cols), short_side(r, r);
    for (Index k = 0; k < r; ++k) {
        const Index from = order[std::size_t(k)];
        const double s = length[std::size_t(from)];
        d.values.push_back(s);
        for (Index i = 0; i < w.cols; ++i) long_side(k, i) = s > 0 ? w(from, i) / s : 0;
        for (Index i = 0; i < r; ++i) short_side(k, i) = v(from, i);
    }
    d.u = transpose(tall ? long_side : short_side);
    d.vt = tall ? short_side : long_side;
    return d;
}

Matrix svd_least_squares(const Matrix& a, const Matrix& b, double cutoff) {
    check(b.rows == a.rows, "svd_least_squares: {} rows want {} right-hand numbers, got {}", a.rows, a.rows, b.rows);
    const Svd d = svd(a);
    Matrix c = transpose_matmul(d.u, b);
    for (Index i = 0; i < c.rows; ++i) {
        const double value = d.values[std::size_t(i)], least = cutoff * d.values[0];
        for (Index j = 0; j < c.cols; ++j) c(i, j) = value > least ? c(i, j) / value : 0;
    }
    return transpose_matmul(d.vt, c);
}
Vector svd_least_squares(const Matrix& a, std::span<const double> b, double cutoff) {
    return svd_least_squares(a, as_column(b), cutoff).values;
}

Vector singular_values(const Matrix& a) {
    check_finite(a, "singular_values");
    if (std::min(a.rows, a.cols) == 0) return {};
    Matrix w = a.rows >= a.cols ? transpose(a) : a;
    right_angles(w, nullptr);
    Vector values = lengths(w).first;
    std::ranges::sort(values, std::greater());
    return values;
}

double condition_number(const Matrix& a) {
    const Vector s = singular_values(a);
    check(!s.empty(), "condition_number: wanted at least one row and column, got {} x {}", a.rows, a.cols);
    return s.back() > 0 ? s.front() / s.back() : std::numeric_limits<double>::infinity();
}

}  // namespace RECTO::linalg
